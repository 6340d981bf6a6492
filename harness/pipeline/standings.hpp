// From the runs of a campaign to what may be said of each arm: the judge's words in the form that reports
// tell.
#pragma once

#include <vector>

#include "harness/pipeline/gate.hpp"
#include "harness/pipeline/ground.hpp"
#include "harness/record/standing.hpp"
#include "harness/record/trial.hpp"

namespace lockstep::pipeline {

struct Conclusion {
    std::vector<record::StandingTable> tables;  // one a network, in the plan's order
    bool any_failed = false;                    // a run failed, or an arm departs from the reference
    bool any_inconclusive = false;              // some ranked arm got no answer
    bool any_refused = false;                   // the control of the experiment failed
};

Conclusion conclude(const record::Plan& plan, const Ground& ground, const std::vector<GateResult>& gate,
                    const std::vector<record::Trial>& trials);

}  // namespace lockstep::pipeline
