// Contrasts, then what the size of the family does to them.
#include "harness/judge/family.hpp"

#include "harness/stats/holm.hpp"
#include "harness/stats/simultaneous.hpp"

namespace lockstep::judge {

std::vector<std::optional<Comparison>> compare(std::span<const std::vector<double>> log_ratios, double level)
{
    const std::vector<std::optional<stats::Interval>> together =
        stats::simultaneous_intervals(log_ratios, level);
    std::vector<std::optional<Comparison>> comparisons;
    std::vector<double> p_values;
    for (std::size_t arm = 0; arm < log_ratios.size(); ++arm) {
        const std::optional<Contrast> contrast = contrast_of(log_ratios[arm], level);
        comparisons.push_back(contrast ? std::optional(Comparison{*contrast, together[arm], 1.0})
                                       : std::nullopt);
        p_values.push_back(contrast ? contrast->p : 1.0);
    }
    const std::vector<double> adjusted = stats::holm(p_values);
    for (std::size_t arm = 0; arm < comparisons.size(); ++arm) {
        if (comparisons[arm]) {
            comparisons[arm]->adjusted_p = adjusted[arm];
        }
    }
    return comparisons;
}

}  // namespace lockstep::judge
