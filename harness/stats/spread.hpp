// Robust measures of spread: a few wild values do not move them.
#pragma once

#include <optional>
#include <span>

namespace lockstep::stats {

// 1 / (third quartile of the standard normal): makes the MAD of Gaussian numbers estimate sigma.
inline constexpr double kMadToSigma = 1.4826022185056018;

// Median absolute deviation from the median. Absent when empty or a value is not finite.
std::optional<double> mad(std::span<const double> values);

// kMadToSigma * mad: the standard deviation, were the numbers Gaussian. Absent as `mad`.
std::optional<double> robust_sigma(std::span<const double> values);

// Standard deviation of the noise of a series whose level may jump: robust_sigma of the first
// differences, over sqrt(2). A jump touches one difference only, so it does not count as noise.
// Too small when neighbours resemble each other. Absent with fewer than two values or as `mad`.
std::optional<double> noise_sigma(std::span<const double> series);

}  // namespace lockstep::stats
