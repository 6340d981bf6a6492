// Bootstrap interval corrected for bias and skew.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "harness/stats/interval.hpp"

namespace lockstep::stats {

// The BCa interval (Efron & Tibshirani, An Introduction to the Bootstrap, 14.3): percentiles of the
// resampled estimates at Phi(z0 + (z0 + z) / (1 - a (z0 + z))). z0 comes from the share of resampled
// estimates below `estimate`, a from `left_out`, the estimates with one unit left out at a time.
// Approximate: good from about 20 units on.
// Absent when a list is empty, a value is not finite, or not 0 < level < 1.
std::optional<Interval> bca_interval(double estimate, std::vector<double> resampled,
                                     std::span<const double> left_out, double level);

}  // namespace lockstep::stats
