// The oracle: the answer to a question in float64 from plain loops.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/record/observation.hpp"
#include "harness/reference/question.hpp"
#include "harness/reference/variant.hpp"

namespace lockstep::reference {

// Requires: the question's tensors have the sizes that its network needs. Guarantees: the result is the
// same to the last bit for every number of threads and every run on one machine. threads = 0 takes all
// cores.
record::ExactObservation observe(const Question& question, const Variant& variant = {}, int threads = 0);

// Index of the largest value of each row; the first of equals.
std::vector<std::int32_t> largest_of_rows(const std::vector<double>& logits, std::int64_t width);

}  // namespace lockstep::reference
