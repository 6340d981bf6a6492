// Where the level of a series jumps.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace lockstep::stats {

// The split of a series into segments of constant mean that costs least: squared distance from each
// segment's mean, in units of sigma^2, plus `penalty` a change. Found exactly by PELT (Killick,
// Fearnhead & Eckley, "Optimal detection of changepoints with a linear computational cost", 2012).
// Returns the index at which each segment but the first begins, rising. 15 ln n is a penalty under
// which noise alone hardly ever splits (Barrett et al., "Virtual machine warmup blows hot and cold",
// 2017).
// Requires sigma > 0 and penalty > 0, both finite. Empty when they are not, when a value is not finite,
// or when nothing changes.
std::vector<std::size_t> change_points(std::span<const double> series, double sigma, double penalty);

}  // namespace lockstep::stats
