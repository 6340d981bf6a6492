// Redrawn at most four times a second: drawing must not disturb what is measured.
#include "harness/report/progress_line.hpp"
#include "harness/base/console.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>

namespace lockstep::report {
namespace {

constexpr std::int64_t kRedrawNs = 250'000'000;

std::int64_t now_ns()
{
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec;
}

std::size_t terminal_width()
{
    winsize size{};
    return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col : 80u;
}

}  // namespace

std::string duration_words(double seconds)
{
    const long whole = std::lround(std::max(0.0, seconds));
    if (whole >= 3600) {
        return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
    }
    return whole >= 60 ? fmt::format("{} min {:02} s", whole / 60, whole % 60) : fmt::format("{} s", whole);
}

void ProgressLine::show(const std::string& label, double share, const std::optional<double>& seconds_left)
{
    const std::int64_t now = now_ns();
    if (!terminal_ || (last_ns_ && now - *last_ns_ < kRedrawNs)) {
        return;
    }
    last_ns_ = now;
    std::string line = fmt::format("{}  {:3.0f} %", label, std::clamp(share, 0.0, 1.0) * 100);
    if (seconds_left) {
        line += fmt::format("  about {} left", duration_words(*seconds_left));
    }
    put(stderr, "\r\033[K{}", line.substr(0, terminal_width() - 1));
    std::fflush(stderr);
    drawn_ = true;
}

void ProgressLine::say(const std::string& line)
{
    clear();
    put(stderr, "{}\n", line);
    std::fflush(stderr);
}

void ProgressLine::clear()
{
    if (drawn_) {
        put(stderr, "\r\033[K");
        std::fflush(stderr);
        drawn_ = false;
    }
    last_ns_.reset();
}

}  // namespace lockstep::report
