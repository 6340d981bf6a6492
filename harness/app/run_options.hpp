// The command line of `run` and `verify` as an experiment: everything that a file can say can be said here.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "harness/pipeline/workshop.hpp"
#include "harness/spec/experiment.hpp"

namespace lockstep::app {

struct RunOptions {
    std::string file;                  // an experiment file; the options below change it
    spec::Experiment given;            // what the command line says
    std::vector<std::string> arms;     // as written: framework=...,name=...
    std::vector<std::string> options;  // key=value, for every arm
    bool no_verify = false;
    bool no_twin = false;
    bool twin = false;
};

// The options that describe an experiment.
void add_experiment_options(CLI::App& command, RunOptions& options);

// File and command line together; the command line wins. Naming frameworks or arms replaces the file's.
Result<spec::Experiment> experiment_of(const RunOptions& options);

// The plan on this machine. "all" stands for every framework that is ready, lockstep's own first; no
// framework at all for lockstep's own. Fails on a framework that is not known.
Result<record::Plan> plan_for(spec::Experiment experiment, const pipeline::Workshop& shop);

}  // namespace lockstep::app
