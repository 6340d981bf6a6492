// Middle and other quantiles of a list of numbers.
#pragma once

#include <optional>
#include <span>

namespace lockstep::stats {

// Linear interpolation between order statistics at 1 + (n-1)*share (definition 7 of Hyndman & Fan,
// "Sample quantiles in statistical packages", 1996). Requires 0 <= share <= 1.
// Absent when the list is empty, holds a value that is not finite, or `share` is out of range.
std::optional<double> quantile(std::span<const double> values, double share);

// The middle value, or the mean of the two middle ones. Absent as above.
std::optional<double> median(std::span<const double> values);

}  // namespace lockstep::stats
