// Why does a worker depart? Known departures are tried in the reference; the one that fits is named.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/judge/agreement.hpp"
#include "harness/judge/exam.hpp"

namespace lockstep::judge {

// One known departure.
struct Cause {
    std::string id;        // "pool-ceil", "adam-epsilon", "tf32" ...; stable
    std::string sentence;  // "Max-pooling rounds its output size up where the contract rounds down."
};

struct Attempt {
    std::string cause;      // id
    double distance = 1.0;  // from the worker to the reference with this departure, over the distance to
                            // the plain reference: the mean over the tensors that depart; 0 is a perfect
                            // fit, 1 no nearer than the plain reference
    bool agrees = false;    // within this variant's own tolerances
};

struct Diagnosis {
    std::optional<Cause> cause;     // absent when nothing known fits
    std::string grounds;            // one sentence: how well the named cause fits, or that none does
    std::vector<Attempt> attempts;  // what was tried, in this order
};

// Requires: !agreement.agrees, where agreement = compare(observation, question, answer). Runs the reference
// some dozens of times, each about as long as one step's pass, and the whole question a few times.
Diagnosis diagnose(const record::Observation& observation, const reference::Question& question,
                   const Answer& answer, const Agreement& agreement, int threads = 0);

}  // namespace lockstep::judge
