// Why an install did not work, read from what its tools said.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "harness/base/error.hpp"

namespace lockstep::launch {

// `subject` is what did not work ("the install of X"); `log` where the whole output is; `text` the output of
// this attempt. Knows: a full disk, wrong hashes, no compiler, no Python headers, no Maven, no venv, no write
// permission, no network, a package that does not exist for this Python or machine. Anything else names the
// last line of `text`.
Error explain_failure(const std::string& subject, const std::filesystem::path& log, std::string_view text);

}  // namespace lockstep::launch
