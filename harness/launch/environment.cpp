// See the header.
#include "harness/launch/environment.hpp"

#include <unistd.h>

#include <cstdlib>

extern char** environ;

namespace lockstep::launch {
namespace {

// Counts that a user's shell may carry; a worker's manifest sets those that its framework reads.
constexpr const char* kThreadCounts[] = {
    "OMP_NUM_THREADS", "OMP_THREAD_LIMIT", "OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS",
    "MKL_NUM_THREADS", "BLIS_NUM_THREADS", "NUMEXPR_NUM_THREADS",  "VECLIB_MAXIMUM_THREADS"};
constexpr const char* kOurs[] = {"LOCKSTEP_READ_FD", "LOCKSTEP_WRITE_FD", "LOCKSTEP_MARK",
                                 "LOCKSTEP_PADDING"};
constexpr const char* kPython[] = {"PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "VIRTUAL_ENV",
                                   "PIP_TARGET", "PIP_PREFIX", "PIP_USER",      "PIP_REQUIRE_VIRTUALENV"};

}  // namespace

Variables own_variables()
{
    Variables variables;
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        const std::string_view text(*entry);
        const std::size_t equals = text.find('=');
        if (equals != std::string_view::npos) {
            variables.emplace(text.substr(0, equals), text.substr(equals + 1));
        }
    }
    return variables;
}

Variables quiet_variables(bool private_python)
{
    Variables variables = own_variables();
    for (const char* name : kThreadCounts) {
        variables.erase(name);
    }
    for (const char* name : kOurs) {
        variables.erase(name);
    }
    if (private_python) {
        for (const char* name : kPython) {
            variables.erase(name);
        }
        variables["PYTHONNOUSERSITE"] = "1";
    }
    return variables;
}

std::vector<std::string> entries(const Variables& variables)
{
    std::vector<std::string> all;
    for (const auto& [name, value] : variables) {
        all.push_back(name + "=" + value);
    }
    return all;
}

std::filesystem::path find_program(std::string_view name)
{
    const auto runs = [](const std::filesystem::path& path) {
        std::error_code ignored;
        return std::filesystem::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0;
    };
    if (name.find('/') != std::string_view::npos) {
        return runs(name) ? std::filesystem::path(name) : std::filesystem::path();
    }
    const char* path = std::getenv("PATH");
    std::string_view rest = path == nullptr ? "/usr/local/bin:/usr/bin:/bin" : path;
    while (!rest.empty()) {
        const std::size_t colon = rest.find(':');
        const std::filesystem::path candidate = std::filesystem::path(rest.substr(0, colon)) / name;
        if (runs(candidate)) {
            return candidate;
        }
        rest = colon == std::string_view::npos ? std::string_view() : rest.substr(colon + 1);
    }
    return {};
}

}  // namespace lockstep::launch
