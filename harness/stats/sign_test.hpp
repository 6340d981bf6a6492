// Exact test of "signs are fair coins".
#pragma once

#include <cstddef>
#include <span>

namespace lockstep::stats {

// Two-sided exact p of a fair coin (Gibbons & Chakraborti, Nonparametric Statistical Inference, 5.4).
// Ties go to the rarer sign until both are equal, so they only ever weaken the evidence. 1 when there
// is nothing to count.
double sign_test(std::size_t positive, std::size_t negative, std::size_t ties);

// The same from numbers: a number's sign counts, 0 is a tie, and so is NaN.
double sign_test(std::span<const double> values);

}  // namespace lockstep::stats
