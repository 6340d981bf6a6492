// Bonferroni's share of the error.
#include "harness/stats/simultaneous.hpp"

#include <algorithm>

#include "harness/stats/sign_interval.hpp"

namespace lockstep::stats {

double simultaneous_level(double level, std::size_t count)
{
    return 1.0 - (1.0 - level) / static_cast<double>(std::max<std::size_t>(count, 1));
}

std::vector<std::optional<Interval>> simultaneous_intervals(std::span<const std::vector<double>> lists,
                                                            double level)
{
    const double each = simultaneous_level(level, lists.size());
    std::vector<std::optional<Interval>> intervals;
    intervals.reserve(lists.size());
    for (const std::vector<double>& list : lists) {
        intervals.push_back(sign_interval(list, each));
    }
    return intervals;
}

}  // namespace lockstep::stats
