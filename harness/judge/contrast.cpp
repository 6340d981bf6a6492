// Pairs, then the summaries of stats/.
#include "harness/judge/contrast.hpp"

#include <algorithm>

#include "harness/stats/finite.hpp"
#include "harness/stats/hodges_lehmann.hpp"
#include "harness/stats/quantile.hpp"
#include "harness/stats/sign_interval.hpp"
#include "harness/stats/sign_test.hpp"
#include "harness/stats/spread.hpp"
#include "harness/stats/trimmed_mean.hpp"

namespace lockstep::judge {
namespace {

bool usable(const std::optional<double>& value)
{
    return value && std::isfinite(*value) && *value > 0.0;
}

}  // namespace

std::vector<double> log_ratios(std::span<const std::optional<double>> baseline,
                               std::span<const std::optional<double>> arm)
{
    std::vector<double> ratios;
    for (std::size_t block = 0; block < std::min(baseline.size(), arm.size()); ++block) {
        if (usable(baseline[block]) && usable(arm[block])) {
            ratios.push_back(std::log(*arm[block]) - std::log(*baseline[block]));
        }
    }
    return ratios;
}

std::optional<stats::Interval> Contrast::ratio_interval() const
{
    return interval ? std::optional(stats::Interval{std::exp(interval->low), std::exp(interval->high)})
                    : std::nullopt;
}

std::optional<double> Contrast::half_width() const
{
    return interval ? std::optional(interval->half_width()) : std::nullopt;
}

std::optional<Contrast> contrast_of(std::span<const double> log_ratios, double level)
{
    if (log_ratios.empty() || !stats::all_finite(log_ratios) || !stats::is_level(level)) {
        return std::nullopt;
    }
    Contrast contrast{.blocks = log_ratios.size(),
                      .level = level,
                      .estimate = *stats::median(log_ratios),
                      .interval = stats::sign_interval(log_ratios, level),
                      .hodges_lehmann = *stats::hodges_lehmann(log_ratios),
                      .trimmed_mean = *stats::trimmed_mean(log_ratios),
                      .sigma = *stats::robust_sigma(log_ratios),
                      .p = stats::sign_test(log_ratios),
                      .shape = false};
    const auto [low, high] = std::minmax({contrast.estimate, contrast.hodges_lehmann, contrast.trimmed_mean});
    contrast.shape = contrast.interval && high - low > contrast.interval->half_width();
    return contrast;
}

}  // namespace lockstep::judge
