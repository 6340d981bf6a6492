// Does a series of positive durations settle, and where?
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace lockstep::stats {

// flat: one level from the start. warm_up: settles at its lowest level. slowdown: settles, but was
// lower before. none: the level still changes in the second half.
enum class SteadyKind { flat, warm_up, slowdown, none };

struct SteadyState {
    SteadyKind kind;
    std::size_t settled;  // values to drop before the last level; 0 when flat or none
};

// Levels closer than 2 % are one level: below the 3 % margin at which a difference begins to matter.
inline constexpr double kSameLevel = 0.02;

// Cuts the series into windows of max(5, n/20) values, takes the log of each window's median, and
// splits these by change_points with penalty 15 ln(windows). Noise is the largest of: that between
// windows, that between values carried over to a median of a window, and kSameLevel / 10. A single
// window that stands out between two equal levels is a burst, not a change. The last level begins at
// the first segment from which on all stay within kSameLevel; `settled` counts one window more, since
// the change may lie inside the first one (it is 0 when flat).
// Absent with fewer than four windows (20 values), or when a value is not finite and above 0.
std::optional<SteadyState> steady_state(std::span<const double> durations);

// ln(median of the second half / median of the first half), and its standard error from noise_sigma:
// sqrt(pi/2) * sigma * sqrt(4/n). Absent with fewer than four values, or as above.
struct HalfShift {
    double shift;
    double error;
};
std::optional<HalfShift> half_shift(std::span<const double> durations);

}  // namespace lockstep::stats
