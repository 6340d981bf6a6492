// Distribution-free interval for the median, from order statistics.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "harness/stats/interval.hpp"

namespace lockstep::stats {

// The rank k of sign_interval: the largest k >= 1 with P(Bin(n, 1/2) <= k-1) <= (1-level)/2.
// Absent when even k = 1 misses the level (n < 6 at 95 %), or `level` is not inside (0, 1).
std::optional<std::size_t> sign_rank(std::size_t count, double level);

// What rank k among n really gives: 1 - 2 P(Bin(n, 1/2) <= k-1). Requires 1 <= rank <= (count+1)/2.
double sign_coverage(std::size_t count, std::size_t rank);

// The fewest numbers for which an interval of this level exists: 6 at 95 %. Absent when not
// 0 < level < 1.
std::optional<std::size_t> least_count(double level);

// [low, high] covers the median with probability >= level, whatever the distribution: the order
// statistics d(k), d(n+1-k) (David & Nagaraja, Order Statistics, 3rd ed., 7.1). It excludes 0 exactly
// when sign_test gives p <= 1-level.
// Absent when `sign_rank` is, or a value is not finite.
std::optional<Interval> sign_interval(std::span<const double> values, double level);

}  // namespace lockstep::stats
