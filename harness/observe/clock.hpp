// The one clock of every duration: CLOCK_MONOTONIC, shared by all processes of a machine.
#pragma once

#include <cstdint>
#include <string>

namespace lockstep::observe {

std::int64_t monotonic_ns();
// Wall clock for people: "2026-03-15 14:22:01", local time. `ns_from_now`: shifts it, so that a monotonic
// stamp can be shown: wall_time(stamp - monotonic_ns()).
std::string wall_time(std::int64_t ns_from_now = 0);

}  // namespace lockstep::observe
