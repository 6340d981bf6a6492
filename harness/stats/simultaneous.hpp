// Several intervals that all hold together.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "harness/stats/interval.hpp"

namespace lockstep::stats {

// The level each of `count` intervals needs so that all hold together with `level`:
// 1 - (1-level)/count (Bonferroni). `level` itself for a count of 0 or 1.
double simultaneous_level(double level, std::size_t count);

// sign_interval of each list at that level. An entry is absent where its list is too short.
std::vector<std::optional<Interval>> simultaneous_intervals(std::span<const std::vector<double>> lists,
                                                            double level);

}  // namespace lockstep::stats
