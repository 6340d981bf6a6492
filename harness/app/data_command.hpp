// The commands below `lockstep data`, one file each, and what they share.
#pragma once

#include <string>

#include "harness/app/command.hpp"
#include "harness/base/error.hpp"
#include "harness/data/dataset.hpp"

namespace lockstep::app {

void add_data_import(CLI::App& data, Action& action);
void add_data_split(CLI::App& data, Action& action);
void add_data_export(CLI::App& data, Action& action);
void add_data_validate(CLI::App& data, Action& action);
void add_data_fetch(CLI::App& data, Action& action);
void add_data_synth(CLI::App& data, Action& action);

// What a user names as a data set: an imported folder, a built-in name, a folder with train.csv or IDX files,
// or one such file; all but the first are imported into the cache. Fails where staging and import do.
Result<data::Dataset> open_source(const std::string& source);

// The last line of a program's output that says something.
std::string last_line(std::string text);

// The facts of a data set on standard output.
void print_dataset(const data::Dataset& dataset);

}  // namespace lockstep::app
