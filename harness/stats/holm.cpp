// Holm's step-down over a sorted index.
#include "harness/stats/holm.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace lockstep::stats {

std::vector<double> holm(std::span<const double> p_values)
{
    std::vector<double> adjusted(p_values.begin(), p_values.end());
    std::replace_if(
        adjusted.begin(), adjusted.end(), [](double p) { return std::isnan(p); }, 1.0);
    std::vector<std::size_t> order(adjusted.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return adjusted[a] < adjusted[b]; });
    double so_far = 0.0;
    for (std::size_t i = 0; i < order.size(); ++i) {
        double& p = adjusted[order[i]];
        so_far = std::max(so_far, std::min(1.0, static_cast<double>(order.size() - i) * p));
        p = so_far;
    }
    return adjusted;
}

}  // namespace lockstep::stats
