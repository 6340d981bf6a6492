// A run's full record on disk: record.json, and steps.npy beside it with the raw stamps.
#pragma once

#include <filesystem>

#include "harness/base/error.hpp"
#include "harness/record/trial.hpp"

namespace lockstep::report {

// Written last of a run's files: a folder without record.json is a run that did not end.
Result<void> write_trial(const std::filesystem::path& folder, const record::Trial& trial);
// Fails when the record is missing, broken, or of a format that this version does not read.
Result<record::Trial> read_trial(const std::filesystem::path& folder);

}  // namespace lockstep::report
