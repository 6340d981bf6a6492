// The only list of values that a run exports as a row. Its nine columns are a contract with other people's
// scripts: they never change.
#pragma once

#include <string>
#include <vector>

#include "harness/record/trial.hpp"

namespace lockstep::report {

// "timestamp,framework,...", without a line end.
std::string column_names();
// One row, without a line end. An absent value is an empty cell, and so is every figure of a run that did not
// complete. 1 MB = 10^6 bytes.
std::string row_of(const record::Trial& trial);

}  // namespace lockstep::report
