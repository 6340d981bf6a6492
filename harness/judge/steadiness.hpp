// May step times of an arm be compared at all: when does it settle, and does it stay settled?
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "harness/stats/steady_state.hpp"

namespace lockstep::judge {

// What the pilot says about one arm; frozen for the experiment, since a warm-up that varies from run to
// run makes runs incomparable.
struct PilotSteadiness {
    stats::SteadyKind kind;     // the worst over the runs: flat, warm_up, slowdown, none
    std::size_t warm_up_steps;  // the longest over the runs that settle
};

// runs: all step times of each pilot run, in order. Absent when there is no run, or one is too short
// or holds a time that is not above 0 (stats::steady_state).
std::optional<PilotSteadiness> pilot_steadiness(std::span<const std::vector<double>> runs);

// Whether one timed window (warm-up already dropped) held its level: no change of level in its second
// half, and medians of its halves within 2 % of each other, or no further apart than three standard
// errors of that difference: a short run on a noisy machine cannot show 2 %.
// Absent when it is too short to tell (fewer than 20 steps), or a time is not above 0.
std::optional<bool> held_steady(std::span<const double> timed_steps);

// An arm is steady while at most a fifth of its runs failed to hold. Requires unsteady <= runs.
bool steady_arm(std::size_t unsteady, std::size_t runs);

// "flat", "warm-up", "slowdown", "no steady state".
std::string_view name(stats::SteadyKind kind);

}  // namespace lockstep::judge
