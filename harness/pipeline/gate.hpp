// The agreement gate: before anything is timed, each arm shows on each network that it computes what the
// contract says. What fails is unranked, never just slower.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/pipeline/ground.hpp"
#include "harness/record/outcome.hpp"

namespace lockstep::pipeline {

enum class Admission {
    agrees,     // shown, now or earlier under the same digest
    departs,    // shown to compute something else
    failed,     // could not be checked: its worker failed
    skipped,    // cannot do what is asked, or is not installed
    unchecked,  // the user wished so, the worker is a control, or its precision is not float32
};

struct GateResult {
    std::size_t network = 0;
    std::size_t arm = 0;
    Admission admission = Admission::unchecked;
    std::string note;                        // one or two sentences; when it agrees, only what it declares to
                                             // do otherwise than the contract, if anything
    std::optional<double> first_loss;        // the worker's own, on the first batch
    std::optional<double> furthest_units;    // of logits and gradients, in float32's units in the last place
    std::optional<std::int64_t> parameters;  // as the worker counted them
    record::Outcome outcome;                 // of the check's own worker
    bool from_cache = false;
};

struct GateOrder {
    const record::Plan& plan;
    const Ground& ground;
    std::filesystem::path folder;  // takes a report and the worker's output of each check
    std::filesystem::path staging;
    std::function<void(const GateResult&)> tell;  // after each; may be empty
};

// One result an arm and network, networks outermost. Stops early, with what it has, when interrupted.
std::vector<GateResult> pass_gate(const GateOrder& order, const Workshop& shop);

std::string_view word(Admission admission);

}  // namespace lockstep::pipeline
