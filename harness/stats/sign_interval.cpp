// Ranks from the fair coin's binomial distribution.
#include "harness/stats/sign_interval.hpp"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <vector>

#include "harness/stats/finite.hpp"

namespace lockstep::stats {
namespace {

double lower_tail(std::size_t count, std::size_t at_most)
{
    return boost::math::cdf(boost::math::binomial(static_cast<double>(count), 0.5),
                            static_cast<double>(at_most));
}

}  // namespace

std::optional<std::size_t> sign_rank(std::size_t count, double level)
{
    const double tail = (1.0 - level) / 2.0;
    if (!is_level(level) || count == 0 || lower_tail(count, 0) > tail) {
        return std::nullopt;
    }
    // The tail grows with k, so halving finds the last k that fits; P(Bin <= (n-1)/2) is about 1/2.
    std::size_t fits = 1;
    std::size_t fails = count / 2 + 2;
    while (fails - fits > 1) {
        const std::size_t middle = fits + (fails - fits) / 2;
        (lower_tail(count, middle - 1) <= tail ? fits : fails) = middle;
    }
    return std::min(fits, (count + 1) / 2);
}

double sign_coverage(std::size_t count, std::size_t rank)
{
    return 1.0 - 2.0 * lower_tail(count, rank - 1);
}

std::optional<std::size_t> least_count(double level)
{
    if (!is_level(level)) {
        return std::nullopt;
    }
    // 2^-n <= (1-level)/2, the tail at k = 1.
    std::size_t count = static_cast<std::size_t>(std::ceil(1.0 - std::log2(1.0 - level)));
    while (!sign_rank(count, level)) {
        ++count;
    }
    return count;
}

std::optional<Interval> sign_interval(std::span<const double> values, double level)
{
    const std::optional<std::size_t> rank = sign_rank(values.size(), level);
    if (!rank || !all_finite(values)) {
        return std::nullopt;
    }
    std::vector<double> sorted(values.begin(), values.end());
    std::sort(sorted.begin(), sorted.end());
    return Interval{sorted[*rank - 1], sorted[sorted.size() - *rank]};
}

}  // namespace lockstep::stats
