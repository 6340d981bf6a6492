// One run of one arm, from the start of its process to its end.
#pragma once

#include <filesystem>
#include <functional>

#include "harness/pipeline/ground.hpp"
#include "harness/pipeline/schedule.hpp"
#include "harness/record/trial.hpp"

namespace lockstep::pipeline {

struct TrialOrder {
    const record::Plan& plan;
    const Ground& ground;
    Turn turn;
    std::filesystem::path folder;          // of this run's files; exists
    std::filesystem::path staging;         // of files that runs share
    std::function<void(double)> progress;  // share of the training done, 0..1; may be empty
};

// Never fails: what goes wrong is the trial's outcome. Leaves output.txt, steps.npy and prediction files in
// the folder; the caller writes the record.
record::Trial run_trial(const TrialOrder& order, const Workshop& shop);

}  // namespace lockstep::pipeline
