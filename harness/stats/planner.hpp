// How many blocks a precision or a power costs.
#pragma once

#include <cstddef>
#include <optional>

namespace lockstep::stats {

// Blocks measured in any case before the spread is known; no plan asks for fewer. Twice the least
// number for which a 95 % interval exists.
inline constexpr std::size_t kPilotBlocks = 12;

// sigma: robust_sigma of the log-ratios. half_width: of the interval of the log-ratio.
// ceil((z * sqrt(pi/2) * sigma / half_width)^2), z the two-sided normal quantile of `level`: the
// standard error of a median of Gaussian numbers is sqrt(pi/2) sigma / sqrt(n).
// Absent when sigma is negative, half_width is not above 0, level not inside (0, 1), anything is not
// finite, or the answer exceeds a billion.
std::optional<std::size_t> blocks_for_half_width(double sigma, double half_width, double level);

// The half-width that such a plan foresees after `blocks` blocks: z * sqrt(pi/2) * sigma / sqrt(blocks).
// To stop measuring once this falls below a wanted half-width keeps the level of sign_interval; to
// stop on the interval's own half-width picks the moments when it is too narrow by chance, and wrong
// intervals rise from 4-5 to 5-6 of 100.
// Absent as above, or when blocks is 0.
std::optional<double> foreseen_half_width(double sigma, std::size_t blocks, double level);

// Blocks after which a true change by `change` (0.05: 5 % longer) gives an interval without 0 with
// probability `power`: ceil(((z_level + z_power) * sqrt(pi/2) * sigma / ln(1 + change))^2).
// A prediction for Gaussian noise; sign_test_power is exact and a little lower.
// Absent as above, or when change is 0, or not above -1.
std::optional<std::size_t> blocks_for_power(double sigma, double change, double level, double power);

// Probability that the sign interval of `blocks` Gaussian log-ratios around ln(1 + change) excludes 0
// on the right side. 0 when there are too few blocks for an interval. Absent when sigma is not above 0
// or as above.
std::optional<double> sign_test_power(double sigma, double change, std::size_t blocks, double level);

}  // namespace lockstep::stats
