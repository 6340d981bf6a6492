// What a keeper and its harness say to each other: one fixed message a packet, over the keeper's
// descriptor 3 (a SOCK_SEQPACKET pair). End of file in either direction means that the other one is dead.
#pragma once

#include <cstdint>

namespace lockstep::launch {

// Descriptors of a keeper. 4 and 5 are there when the process speaks the protocol, and stay open in it.
inline constexpr int kControlDescriptor = 3;
inline constexpr int kRequestDescriptor = 4;
inline constexpr int kReplyDescriptor = 5;

enum class KeeperWord : std::int32_t {
    started,    // keeper: `value` is the pid
    failed,     // keeper: nothing runs; `value` is errno, `step` what did not work
    exited,     // keeper: `value` is the exit code; then everything left is ended
    signalled,  // keeper: `value` is the signal; then everything left is ended
    gone,       // keeper: `value` descendants are left, 0 as a rule
    end,  // harness: end everything; `value` is the time between SIGTERM and SIGKILL in ms, 0: SIGKILL at
          // once
};

enum class KeeperStep : std::int32_t { fork, folder, cpus, command };

struct KeeperMessage {
    KeeperWord word = KeeperWord::gone;
    std::int32_t value = 0;
    KeeperStep step = KeeperStep::fork;
    std::int32_t unused = 0;
    std::int64_t cpu_microseconds = 0;  // exited, signalled: user and system
};

}  // namespace lockstep::launch
