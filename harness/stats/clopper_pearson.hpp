// How sure a counted rate is.
#pragma once

#include <cstddef>
#include <optional>

#include "harness/stats/interval.hpp"

namespace lockstep::stats {

// Exact interval for a probability after `successes` in `trials` (Clopper & Pearson, 1934): covers it
// with at least `level`. Absent when trials is 0, successes exceeds it, or not 0 < level < 1.
std::optional<Interval> clopper_pearson(std::size_t successes, std::size_t trials, double level);

}  // namespace lockstep::stats
