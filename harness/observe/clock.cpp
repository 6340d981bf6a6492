// clock_gettime and local time.
#include "harness/observe/clock.hpp"

#include <fmt/chrono.h>

#include <ctime>

namespace lockstep::observe {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

}  // namespace

std::int64_t monotonic_ns()
{
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * kSecond + now.tv_nsec;
}

std::string wall_time(std::int64_t ns_from_now)
{
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    const std::time_t seconds = (now.tv_sec * kSecond + now.tv_nsec + ns_from_now) / kSecond;
    return fmt::format("{:%Y-%m-%d %H:%M:%S}", fmt::localtime(seconds));
}

}  // namespace lockstep::observe
