// A centre that uses every pair of values.
#pragma once

#include <optional>
#include <span>

namespace lockstep::stats {

// Median of the Walsh averages (x_i + x_j) / 2, i <= j (Hodges & Lehmann, 1963). Holds n(n+1)/2
// numbers in memory: meant for tens or hundreds of values.
// Absent when empty or a value is not finite.
std::optional<double> hodges_lehmann(std::span<const double> values);

}  // namespace lockstep::stats
