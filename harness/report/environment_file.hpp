// environment.json: the machine as a record on disk.
#pragma once

#include <filesystem>

#include "harness/base/error.hpp"
#include "harness/record/environment.hpp"

namespace lockstep::report {

Result<void> write_environment(const std::filesystem::path& file, const record::Environment& environment);

}  // namespace lockstep::report
