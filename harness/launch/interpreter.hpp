// Finding a Python that a private environment can be made of.
#pragma once

#include <filesystem>
#include <string>

#include "harness/base/error.hpp"

namespace lockstep::launch {

struct Interpreter {
    std::filesystem::path path;
    std::string version;  // 3.11.2
};

// The first of python3, python3.14, python3.13 ... python3.8 on the PATH whose version lies in `range` (see
// version_range.hpp) and which has the modules that make virtual environments. Fails with what was found.
Result<Interpreter> find_python(const std::string& range);

}  // namespace lockstep::launch
