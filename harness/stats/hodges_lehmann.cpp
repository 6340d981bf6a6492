// Walsh averages, listed.
#include "harness/stats/hodges_lehmann.hpp"

#include <vector>

#include "harness/stats/quantile.hpp"

namespace lockstep::stats {

std::optional<double> hodges_lehmann(std::span<const double> values)
{
    std::vector<double> averages;
    averages.reserve(values.size() * (values.size() + 1) / 2);
    for (std::size_t i = 0; i < values.size(); ++i) {
        for (std::size_t j = i; j < values.size(); ++j) {
            averages.push_back(values[i] / 2.0 + values[j] / 2.0);
        }
    }
    return median(averages);
}

}  // namespace lockstep::stats
