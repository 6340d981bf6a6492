// Several tests at once: p-values that may each be compared with alpha.
#pragma once

#include <span>
#include <vector>

namespace lockstep::stats {

// Holm's step-down adjustment (1979): the i-th smallest of m becomes max over j <= i of
// (m - j + 1) p(j), at most 1. In the order given. The chance of any false "yes" among "adjusted <=
// alpha" is at most alpha, however the tests hang together. NaN counts as 1: no evidence.
std::vector<double> holm(std::span<const double> p_values);

}  // namespace lockstep::stats
