// Median absolute deviations.
#include "harness/stats/spread.hpp"

#include <cmath>
#include <numbers>
#include <vector>

#include "harness/stats/quantile.hpp"

namespace lockstep::stats {

std::optional<double> mad(std::span<const double> values)
{
    const std::optional<double> middle = median(values);
    if (!middle) {
        return std::nullopt;
    }
    std::vector<double> deviations;
    deviations.reserve(values.size());
    for (const double value : values) {
        deviations.push_back(std::abs(value - *middle));
    }
    return median(deviations);
}

std::optional<double> robust_sigma(std::span<const double> values)
{
    const std::optional<double> deviation = mad(values);
    return deviation ? std::optional(kMadToSigma * *deviation) : std::nullopt;
}

std::optional<double> noise_sigma(std::span<const double> series)
{
    if (series.size() < 2) {
        return std::nullopt;
    }
    std::vector<double> differences;
    differences.reserve(series.size() - 1);
    for (std::size_t i = 1; i < series.size(); ++i) {
        differences.push_back(series[i] - series[i - 1]);
    }
    const std::optional<double> sigma = robust_sigma(differences);
    return sigma ? std::optional(*sigma / std::numbers::sqrt2) : std::nullopt;
}

}  // namespace lockstep::stats
