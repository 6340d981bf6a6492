// Mean without the extremes, and its interval.
#pragma once

#include <optional>
#include <span>

#include "harness/stats/interval.hpp"

namespace lockstep::stats {

// The share cut from each end: the usual choice (Wilcox, Introduction to Robust Estimation, 4.3).
inline constexpr double kTrimmedShare = 0.2;

// Mean of what is left after floor(share * n) values are cut from each end; share 0 is the plain mean.
// Absent when empty, a value is not finite, or not 0 <= share < 1/2.
std::optional<double> trimmed_mean(std::span<const double> values, double share = kTrimmedShare);

// trimmed mean +- t(h-1) * s_w / ((1 - 2 share) sqrt(n)), with s_w the Winsorised standard deviation
// and h the number of values left (Tukey & McLaughlin, 1963; Yuen's method for one sample). With
// share 0 it is Student's interval. Approximate: it assumes independent values.
// Absent when fewer than two values are left, or as `trimmed_mean`.
std::optional<Interval> trimmed_mean_interval(std::span<const double> values, double level,
                                              double share = kTrimmedShare);

}  // namespace lockstep::stats
