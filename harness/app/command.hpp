// The commands, one file each. A command adds its options to the program's and sets what is to be run.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace lockstep::app {

// Returns the exit code.
using Action = std::function<int()>;

void add_run(CLI::App& program, Action& action);         // run
void add_verify(CLI::App& program, Action& action);      // verify
void add_install(CLI::App& program, Action& action);     // install, uninstall
void add_frameworks(CLI::App& program, Action& action);  // frameworks
void add_data(CLI::App& program, Action& action);        // data and its commands

}  // namespace lockstep::app
