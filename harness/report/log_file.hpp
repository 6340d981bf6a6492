// s.log: the story of one run in lines that other people's scripts read (grammar: docs/results.md).
#pragma once

#include <cstdint>
#include <string>

#include "harness/record/environment.hpp"
#include "harness/record/trial.hpp"

namespace lockstep::report {

// Complete text. `wall_offset_ns`: added to a monotonic stamp it gives nanoseconds since 1970, so that
// every line has its wall time (local). Lines whose facts are absent are left out.
std::string log_text(const record::Trial& trial, const record::Environment& environment,
                     std::int64_t wall_offset_ns);

}  // namespace lockstep::report
