// The one clock of the protocol: CLOCK_MONOTONIC in whole nanoseconds.
#pragma once

#include <time.h>

#include <cstdint>

namespace lockstep::sdk {

inline std::int64_t now()
{
    timespec stamp{};
    clock_gettime(CLOCK_MONOTONIC, &stamp);
    return std::int64_t{stamp.tv_sec} * 1'000'000'000 + stamp.tv_nsec;
}

}  // namespace lockstep::sdk
