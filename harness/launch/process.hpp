// A child process with all its descendants, watched by a keeper: a small program of its own that starts
// the process, outlives it, and ends every descendant when the process ends, when asked, or when this
// process dies of anything.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/error.hpp"
#include "harness/launch/descriptor.hpp"
#include "harness/launch/interrupt.hpp"
#include "harness/launch/keeper/message.hpp"

namespace lockstep::launch {

using Clock = std::chrono::steady_clock;  // CLOCK_MONOTONIC

struct ProcessOrder {
    std::vector<std::string> command;      // the first is looked up in the environment's PATH
    std::vector<std::string> environment;  // whole, "NAME=value"
    std::filesystem::path folder;          // working folder; empty: this one's
    std::filesystem::path output;          // takes stdout and stderr; empty: thrown away
    bool append = false;                   // keep what `output` holds already
    std::vector<int> cpus;                 // may run on these only; empty: all
    int padding = 0;                       // bytes by which the environment is made longer
    bool protocol = false;                 // pass a pair of descriptors for requests and replies
    std::filesystem::path keeper;          // empty: find_keeper()
};

struct ExitStatus {
    bool signalled = false;
    int value = 0;             // exit code, or the signal
    double cpu_seconds = 0.0;  // user and system, of the process and the children it waited for
    bool clean() const { return !signalled && value == 0; }
};
std::string words(const ExitStatus& status);  // "stopped with signal 6", "ended with exit code 3"

// LOCKSTEP_KEEPER, else lockstep-keeper beside this program or one folder above it. Fails when there is none.
Result<std::filesystem::path> find_keeper();

class Process {
public:
    // Fails when the keeper or the command cannot be started, or the output not be written.
    static Result<Process> start(const ProcessOrder& order);
    Process(Process&&) noexcept;
    Process& operator=(Process&&) noexcept;
    ~Process();  // kills what is left

    pid_t pid() const { return pid_; }  // of the process itself, not of its keeper
    pid_t keeper() const { return keeper_; }
    Clock::time_point started() const { return started_; }  // taken just before the start

    // Readable when the process or its keeper has ended; for poll(). Valid until kill().
    int descriptor() const { return control_.get(); }

    // Ends of the protocol's pipes, when asked for; taken once.
    Descriptor take_requests() { return std::move(requests_); }  // we write
    Descriptor take_replies() { return std::move(replies_); }    // we read

    // Waits for the process itself. Absent when it still runs at the deadline or `interrupt` was raised, or
    // when its keeper was killed (then the process was, too, and nobody knows how it would have ended).
    // After its end, what it left behind is being ended; kill() waits for that.
    std::optional<ExitStatus> wait(Clock::time_point deadline, const Interrupt* interrupt = nullptr);
    std::optional<ExitStatus> status() const { return status_; }
    bool lost() const { return lost_; }  // its keeper was killed, so how it ended is unknown

    // Ends the process and every descendant, those with a session of their own too, and returns when none is
    // left: SIGTERM first and `grace` of time, when `grace` is not zero, then SIGKILL. Returns how many would
    // not die within ten seconds (waiting on a dead disk, for one); 0 as a rule. May be called again.
    int kill(std::chrono::milliseconds grace = {});

private:
    Process() = default;
    bool receive();  // takes one word of the keeper, if there is one
    void lose();     // the keeper is dead: ends all that carries this process's mark
    bool wait_for_word(Clock::time_point deadline, const Interrupt* interrupt);
    Result<void> confirm(const ProcessOrder& order);

    pid_t pid_ = -1;
    pid_t keeper_ = -1;
    Clock::time_point started_;
    std::string mark_;  // in the environment of every descendant
    Descriptor control_;
    Descriptor requests_;
    Descriptor replies_;
    std::optional<ExitStatus> status_;
    std::optional<int> left_;  // descendants left, once the keeper said so
    std::optional<KeeperMessage> failure_;
    bool lost_ = false;
};

}  // namespace lockstep::launch
