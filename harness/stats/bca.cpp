// Bias correction z0, acceleration a, and the percentiles they choose.
#include "harness/stats/bca.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <numeric>

#include "harness/stats/finite.hpp"

namespace lockstep::stats {
namespace {

const boost::math::normal kNormal;

double bias_correction(double estimate, std::span<const double> sorted)
{
    const auto [first, last] = std::equal_range(sorted.begin(), sorted.end(), estimate);
    const double below = static_cast<double>(first - sorted.begin());
    const double equal = static_cast<double>(last - first);
    const double count = static_cast<double>(sorted.size());
    // Half a resample from either end, so that z0 stays finite when all lie on one side.
    const double share = std::clamp((below + equal / 2.0) / count, 0.5 / count, 1.0 - 0.5 / count);
    return boost::math::quantile(kNormal, share);
}

double acceleration(std::span<const double> left_out)
{
    const double count = static_cast<double>(left_out.size());
    const double mean = std::accumulate(left_out.begin(), left_out.end(), 0.0) / count;
    double squares = 0.0;
    double cubes = 0.0;
    for (const double value : left_out) {
        const double apart = mean - value;
        squares += apart * apart;
        cubes += apart * apart * apart;
    }
    const double scale = 6.0 * std::pow(squares, 1.5);
    return scale > 0.0 ? cubes / scale : 0.0;
}

double percentile(std::span<const double> sorted, double share)
{
    const double last = static_cast<double>(sorted.size() - 1);
    const double position = std::clamp(share * static_cast<double>(sorted.size() + 1) - 1.0, 0.0, last);
    const auto below = static_cast<std::size_t>(position);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    return std::lerp(sorted[below], sorted[above], position - std::floor(position));
}

}  // namespace

std::optional<Interval> bca_interval(double estimate, std::vector<double> resampled,
                                     std::span<const double> left_out, double level)
{
    if (resampled.empty() || left_out.empty() || !std::isfinite(estimate) || !all_finite(resampled) ||
        !all_finite(left_out) || !is_level(level)) {
        return std::nullopt;
    }
    std::sort(resampled.begin(), resampled.end());
    const double z0 = bias_correction(estimate, resampled);
    const double a = acceleration(left_out);
    const double z = boost::math::quantile(boost::math::complement(kNormal, (1.0 - level) / 2.0));
    const auto end = [&](double reach) {
        const double shifted = z0 + reach;
        const double bend = 1.0 - a * shifted;
        // Past its pole the formula turns back; the outermost percentile is what it was heading for.
        const double share =
            bend > 0.0 ? boost::math::cdf(kNormal, z0 + shifted / bend) : (shifted > 0.0 ? 1.0 : 0.0);
        return percentile(resampled, share);
    };
    return Interval{end(-z), end(z)};
}

}  // namespace lockstep::stats
