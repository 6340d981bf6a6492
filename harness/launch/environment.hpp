// Environments for the processes we start, and programs on the PATH.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::launch {

using Variables = std::map<std::string, std::string>;

Variables own_variables();  // of this process
// The same without what would disturb a worker or an install: thread counts, and the descriptors and marks
// of a lockstep that runs this one. `private_python` also takes out Python's own paths and user packages.
Variables quiet_variables(bool private_python);
std::vector<std::string> entries(const Variables& variables);  // "NAME=value", sorted

// The program that a shell would run for `name`; empty when there is none. A name with a slash is taken as
// it is, when it may be executed.
std::filesystem::path find_program(std::string_view name);

}  // namespace lockstep::launch
