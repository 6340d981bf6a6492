// One look at a worker and all its descendants from outside, through /proc. Costs some 50 microseconds a
// process; meant for marks between phases, not for the timed window.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace lockstep::observe {

// The process and its living descendants; the root first. Empty when it is gone.
std::vector<pid_t> process_tree(pid_t root);

struct TreeReading {
    std::int64_t resident_bytes = 0;       // sum of VmRSS
    std::int64_t resident_peak_bytes = 0;  // sum of VmHWM: each process's own peak since its start or
                                           // reset_peak(). For one process exact; for a tree an upper bound,
                                           // since peaks need not coincide and shared pages count in each
    double cpu_seconds = 0;  // user + system of all living members, and of their reaped children
    int threads = 0;
};

// Absent when the root is gone or /proc tells nothing.
std::optional<TreeReading> read_tree(pid_t root);

// Makes the peak start anew from what is resident now (writes 5 to clear_refs; Linux 4.0). False when
// refused.
bool reset_peak(pid_t root);

}  // namespace lockstep::observe
