// {name} in a manifest's commands and variables: the one function that fills them in.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/error.hpp"

namespace lockstep::launch {

// Name without braces -> value.
using Placeholders = std::map<std::string, std::string>;

// python   the interpreter of the worker's environment
// folder   the worker's own folder
// sdk      workers/sdk
// bin      the folder of built programs
// home     where lockstep keeps what it installs and caches
// threads  how many threads were asked for
std::span<const std::string> placeholder_names();

// `text` with every {name} replaced. Braces that hold anything but lower-case letters and underscores are
// left as they are. Fails on a name without a value; `where` (file and line, or the key) opens the message.
Result<std::string> expand(std::string_view text, const Placeholders& values, std::string_view where);
Result<std::vector<std::string>> expand_all(std::span<const std::string> texts, const Placeholders& values,
                                            std::string_view where);

// What is wrong with a `text` that holds a {name} which no worker may use; absent when all names are known.
std::optional<Error> placeholder_problem(std::string_view text);

}  // namespace lockstep::launch
