// Commands that are run to their end: probes, and the steps of an install. Nothing of them is left when
// the harness is killed.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/error.hpp"
#include "harness/launch/interrupt.hpp"
#include "harness/launch/process.hpp"

namespace lockstep::launch {

struct Captured {
    bool ended = false;  // false: it ran longer than allowed and was ended
    ExitStatus status;
    std::string output;  // stdout and stderr
};

// Runs a command that says little. Fails when it cannot be started.
Result<Captured> capture(const std::vector<std::string>& command, const std::vector<std::string>& environment,
                         std::chrono::milliseconds limit);

struct LoggedCommand {
    std::vector<std::string> command;
    std::vector<std::string> environment;
    std::filesystem::path folder;                // working folder; empty: this one's
    std::filesystem::path log;                   // stdout and stderr are added here
    std::function<void(std::string_view)> line;  // each whole line of output, as it comes; may be empty
};
// Without a limit on time. Fails when the command cannot be started or `interrupt` was raised (remedy: run
// the same command again).
Result<ExitStatus> run_logged(const LoggedCommand& order, const Interrupt* interrupt);

}  // namespace lockstep::launch
