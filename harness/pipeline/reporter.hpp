// Who is told of a campaign's course. Reporters tell; they decide and compute nothing.
#pragma once

#include <string>
#include <vector>

#include "harness/pipeline/gate.hpp"
#include "harness/pipeline/ground.hpp"
#include "harness/pipeline/schedule.hpp"
#include "harness/pipeline/standings.hpp"
#include "harness/record/trial.hpp"

namespace lockstep::pipeline {

// How far a campaign is, for a line that says how much time is left.
struct Course {
    std::size_t done = 0;  // runs
    std::size_t of = 0;
    double share = 0;  // of the run that is being made
    std::optional<double> seconds_left;
};

class Reporter {
public:
    virtual ~Reporter() = default;
    virtual void opening(const record::Plan&, const Ground&) {}
    virtual void gate(const record::Plan&, const Ground&, const GateResult&) {}
    virtual void under_way(const record::Plan&, const Ground&, const Turn&, const Course&) {}
    // The run's files must be on disk when this returns: the next run starts then.
    virtual Result<void> trial(const record::Plan&, const Ground&, const record::Trial&, const Course&)
    {
        return {};
    }
    virtual Result<void> closing(const Conclusion&) { return {}; }
};

}  // namespace lockstep::pipeline
