// Rules over the classes of stats/steady_state.
#include "harness/judge/steadiness.hpp"

#include <algorithm>
#include <cmath>

namespace lockstep::judge {

std::optional<PilotSteadiness> pilot_steadiness(std::span<const std::vector<double>> runs)
{
    std::optional<PilotSteadiness> arm;
    for (const std::vector<double>& run : runs) {
        const std::optional<stats::SteadyState> state = stats::steady_state(run);
        if (!state) {
            return std::nullopt;
        }
        const PilotSteadiness so_far = arm.value_or(PilotSteadiness{state->kind, 0});
        arm = PilotSteadiness{std::max(so_far.kind, state->kind),
                              std::max(so_far.warm_up_steps, state->settled)};
    }
    return arm;
}

std::optional<bool> held_steady(std::span<const double> timed_steps)
{
    const std::optional<stats::SteadyState> state = stats::steady_state(timed_steps);
    const std::optional<stats::HalfShift> halves = stats::half_shift(timed_steps);
    if (!state || !halves) {
        return std::nullopt;
    }
    const double allowed = std::max(stats::kSameLevel, 3.0 * halves->error);
    return state->kind != stats::SteadyKind::none && std::abs(halves->shift) <= allowed;
}

bool steady_arm(std::size_t unsteady, std::size_t runs)
{
    return 5 * unsteady <= runs;
}

std::string_view name(stats::SteadyKind kind)
{
    switch (kind) {
        case stats::SteadyKind::flat:
            return "flat";
        case stats::SteadyKind::warm_up:
            return "warm-up";
        case stats::SteadyKind::slowdown:
            return "slowdown";
        case stats::SteadyKind::none:
            return "no steady state";
    }
    return "unknown";
}

}  // namespace lockstep::judge
