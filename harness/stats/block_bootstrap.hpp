// Ratio of two means when values come in runs, and runs in blocks.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "harness/stats/interval.hpp"

namespace lockstep::stats {

// What one block holds: the values of one run of each side. A quantity with one value a run is a
// list of one.
struct PairedRuns {
    std::span<const double> first;
    std::span<const double> second;
};

struct RatioEstimate {
    double ratio;
    Interval interval;
};

// 10,000 resamples put the Monte-Carlo error of a 95 % limit near 1/50 of its distance from the
// estimate (Efron & Tibshirani, 14.3 and 19.3).
inline constexpr std::size_t kResamples = 10'000;

// Resampled means kept for each run. A resample of blocks draws from them, which costs one draw a run
// in place of one a value. They are centred on the run's mean, and their spread, off by 1 / sqrt(2 * 64)
// = 9 % for one run, averages out over the runs: 2 % for 20 blocks.
inline constexpr std::size_t kResampledMeans = 64;

// Mean of the run means of `second` over that of `first`, with a BCa interval from a two-level
// bootstrap: blocks are drawn with replacement, and inside each run its values (Davison & Hinkley,
// Bootstrap Methods, 3.8). Depends on nothing but its arguments: the same seed gives the same interval.
// Approximate; below 20 blocks too narrow to carry a claim.
// Absent when there are fewer than two blocks, a run is empty, a value is negative or not finite, or a
// run's mean is 0.
std::optional<RatioEstimate> bootstrap_ratio(std::span<const PairedRuns> blocks, double level,
                                             std::uint64_t seed);

}  // namespace lockstep::stats
