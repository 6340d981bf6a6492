// Each candidate is asked, not guessed from its name: a name may be a link or a version manager's shim.
#include "harness/launch/interpreter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "harness/base/nearest_word.hpp"
#include "harness/launch/command_run.hpp"
#include "harness/launch/environment.hpp"
#include "harness/launch/version_range.hpp"

namespace lockstep::launch {
namespace {

// The oldest version that any framework here still runs on, and the newest that exists or is near.
constexpr int kOldest = 8;
constexpr int kNewest = 14;
constexpr std::chrono::milliseconds kProbeTime{20'000};

struct Candidate {
    Interpreter interpreter;
    bool makes_environments = false;
};

std::optional<Candidate> ask(const std::filesystem::path& path)
{
    const char* question =
        "import importlib.util as u, platform\n"
        "print('version', platform.python_version(), all(u.find_spec(m) for m in ('venv', 'ensurepip')))\n";
    const Result<Captured> answer =
        capture({path.string(), "-c", question}, entries(quiet_variables(true)), kProbeTime);
    if (!answer || !answer->ended || !answer->status.clean()) {
        return std::nullopt;
    }
    const std::size_t at = answer->output.find("version ");
    const std::size_t begin = at + 8;
    const std::size_t end = answer->output.find(' ', begin);
    if (at == std::string::npos || end == std::string::npos) {
        return std::nullopt;
    }
    std::string version = answer->output.substr(begin, end - begin);
    version.resize(std::min(version.size(), version.find_first_not_of("0123456789.")));
    return Candidate{{path, version}, answer->output.compare(end + 1, 4, "True") == 0};
}

std::vector<std::filesystem::path> candidates()
{
    std::vector<std::filesystem::path> found{find_program("python3")};
    for (int minor = kNewest; minor >= kOldest; --minor) {
        found.push_back(find_program(fmt::format("python3.{}", minor)));
    }
    std::erase_if(found, [](const auto& path) { return path.empty(); });
    return found;
}

}  // namespace

Result<Interpreter> find_python(const std::string& range)
{
    std::vector<std::string> seen;
    std::string without;
    for (const std::filesystem::path& path : candidates()) {
        const std::optional<Candidate> candidate = ask(path);
        if (!candidate) {
            continue;
        }
        const std::string& version = candidate->interpreter.version;
        const Result<bool> fits = in_range(version, range);
        if (!fits) {
            return tl::unexpected(fits.error());
        }
        if (*fits && candidate->makes_environments) {
            return candidate->interpreter;
        }
        if (*fits) {
            without = version;
        }
        if (std::ranges::find(seen, version) == seen.end()) {
            seen.push_back(version);
        }
    }
    if (!without.empty()) {
        return fail(
            fmt::format("Python {} cannot make virtual environments: venv or ensurepip is missing.", without),
            "Install it: sudo apt install python3-venv.");
    }
    const std::string wanted = range.empty() ? "Python 3" : "a Python " + range;
    return fail(
        seen.empty() ? fmt::format("No {} was found on the PATH.", wanted.substr(range.empty() ? 0 : 2))
                     : fmt::format("No Python on the PATH fits {}; found {}.", range, join_words(seen)),
        fmt::format("Install {} beside it, or give an environment of your own with --python PATH.", wanted));
}

}  // namespace lockstep::launch
