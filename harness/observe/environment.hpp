// Reads the machine once, at the start of a campaign.
#pragma once

#include "harness/record/environment.hpp"

namespace lockstep::observe {

// Never fails: what cannot be read is absent.
record::Environment read_environment();
// How many cores this process may use: affinity and cgroup quota, at least 1.
int usable_cores();

}  // namespace lockstep::observe
