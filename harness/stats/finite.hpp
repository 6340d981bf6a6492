// The one check of input that every summary shares.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

namespace lockstep::stats {

// False when a value is NaN or infinite: such a list has no summary, and sorting it is undefined.
inline bool all_finite(std::span<const double> values)
{
    return std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
}

// A confidence level must lie strictly between 0 and 1; NaN does not.
inline bool is_level(double level)
{
    return level > 0.0 && level < 1.0;
}

}  // namespace lockstep::stats
