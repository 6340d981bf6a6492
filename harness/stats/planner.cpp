// Normal quantiles turned into block counts.
#include "harness/stats/planner.hpp"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <numbers>

#include "harness/stats/finite.hpp"
#include "harness/stats/sign_interval.hpp"

namespace lockstep::stats {
namespace {

constexpr double kMostBlocks = 1e9;
const boost::math::normal kNormal;

double two_sided(double level)
{
    return boost::math::quantile(boost::math::complement(kNormal, (1.0 - level) / 2.0));
}

// Standard error of a median of n Gaussian values over sigma / sqrt(n).
const double kMedianError = std::sqrt(std::numbers::pi / 2.0);

std::optional<std::size_t> blocks(double quantiles, double sigma, double distance)
{
    const double root = quantiles * kMedianError * sigma / distance;
    const double count = std::ceil(root * root);
    if (!(sigma >= 0.0) || !(distance > 0.0) || !std::isfinite(distance) || !(count <= kMostBlocks)) {
        return std::nullopt;
    }
    return std::max(kPilotBlocks, static_cast<std::size_t>(count));
}

}  // namespace

std::optional<std::size_t> blocks_for_half_width(double sigma, double half_width, double level)
{
    return is_level(level) ? blocks(two_sided(level), sigma, half_width) : std::nullopt;
}

std::optional<double> foreseen_half_width(double sigma, std::size_t blocks, double level)
{
    if (!is_level(level) || !(sigma >= 0.0) || !std::isfinite(sigma) || blocks == 0) {
        return std::nullopt;
    }
    return two_sided(level) * kMedianError * sigma / std::sqrt(static_cast<double>(blocks));
}

std::optional<std::size_t> blocks_for_power(double sigma, double change, double level, double power)
{
    if (!is_level(level) || !is_level(power) || !(change > -1.0)) {
        return std::nullopt;
    }
    const double quantiles = two_sided(level) + boost::math::quantile(kNormal, power);
    return blocks(std::max(quantiles, 0.0), sigma, std::abs(std::log1p(change)));
}

std::optional<double> sign_test_power(double sigma, double change, std::size_t blocks, double level)
{
    const double distance = std::abs(std::log1p(change));
    if (!is_level(level) || !(change > -1.0) || !(distance > 0.0) || !std::isfinite(distance) ||
        !(sigma > 0.0) || !std::isfinite(sigma)) {
        return std::nullopt;
    }
    const std::optional<std::size_t> rank = sign_rank(blocks, level);
    if (!rank) {
        return 0.0;
    }
    const double wrong_sign = boost::math::cdf(kNormal, -distance / sigma);
    const boost::math::binomial wrong(static_cast<double>(blocks), wrong_sign);
    return boost::math::cdf(wrong, static_cast<double>(*rank - 1));
}

}  // namespace lockstep::stats
