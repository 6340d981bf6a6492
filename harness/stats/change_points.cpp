// PELT: optimal partitioning that drops starts which can never win again.
#include "harness/stats/change_points.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "harness/stats/finite.hpp"
#include "harness/stats/quantile.hpp"

namespace lockstep::stats {
namespace {

// Cost of any segment in constant time, from running sums. The series is centred first, so that the
// difference of two large sums does not eat the digits.
class SegmentCost {
public:
    SegmentCost(std::span<const double> series, double sigma) : sums_{0.0}, squares_{0.0}
    {
        const double centre = median(series).value_or(0.0);
        for (const double value : series) {
            const double x = (value - centre) / sigma;
            sums_.push_back(sums_.back() + x);
            squares_.push_back(squares_.back() + x * x);
        }
    }

    double operator()(std::size_t from, std::size_t to) const
    {
        const double sum = sums_[to] - sums_[from];
        return squares_[to] - squares_[from] - sum * sum / static_cast<double>(to - from);
    }

private:
    std::vector<double> sums_;
    std::vector<double> squares_;
};

}  // namespace

std::vector<std::size_t> change_points(std::span<const double> series, double sigma, double penalty)
{
    if (!all_finite(series) || !(sigma > 0.0) || !(penalty > 0.0) || !std::isfinite(sigma + penalty)) {
        return {};
    }
    const std::size_t count = series.size();
    const SegmentCost cost(series, sigma);
    std::vector<double> least(count + 1, -penalty);
    std::vector<std::size_t> previous(count + 1, 0);
    std::vector<std::size_t> starts{0};
    for (std::size_t end = 1; end <= count; ++end) {
        least[end] = std::numeric_limits<double>::infinity();
        for (const std::size_t start : starts) {
            const double total = least[start] + cost(start, end) + penalty;
            if (total < least[end]) {
                least[end] = total;
                previous[end] = start;
            }
        }
        std::erase_if(starts,
                      [&](std::size_t start) { return least[start] + cost(start, end) > least[end]; });
        starts.push_back(end);
    }
    std::vector<std::size_t> changes;
    for (std::size_t at = previous[count]; at > 0; at = previous[at]) {
        changes.push_back(at);
    }
    std::reverse(changes.begin(), changes.end());
    return changes;
}

}  // namespace lockstep::stats
