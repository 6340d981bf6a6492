// Quantiles by selection: no full sort, the input is left alone.
#include "harness/stats/quantile.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "harness/stats/finite.hpp"

namespace lockstep::stats {

std::optional<double> quantile(std::span<const double> values, double share)
{
    if (values.empty() || !all_finite(values) || !(share >= 0.0 && share <= 1.0)) {
        return std::nullopt;
    }
    std::vector<double> work(values.begin(), values.end());
    const double position = share * static_cast<double>(work.size() - 1);
    const auto below = work.begin() + static_cast<std::ptrdiff_t>(position);
    std::nth_element(work.begin(), below, work.end());
    const double fraction = position - std::floor(position);
    if (fraction == 0.0) {
        return *below;
    }
    const double above = *std::min_element(below + 1, work.end());
    return std::lerp(*below, above, fraction);
}

std::optional<double> median(std::span<const double> values)
{
    return quantile(values, 0.5);
}

}  // namespace lockstep::stats
