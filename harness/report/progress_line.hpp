// What a campaign says while it runs: one line that is redrawn on a terminal, one line a finished run on a
// pipe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace lockstep::report {

// "4 min 10 s", "12 s", "1 h 05 min".
std::string duration_words(double seconds);

class ProgressLine {
public:
    // Writes to standard error, so that standard output stays what a program may read.
    explicit ProgressLine(bool terminal) : terminal_(terminal) {}
    ~ProgressLine() { clear(); }

    // `label`: what runs now; `share`: of this run, 0..1; `seconds_left`: of everything. Drawn at once after a
    // line that stays, and then at most four times a second.
    void show(const std::string& label, double share, const std::optional<double>& seconds_left);
    // A line that stays.
    void say(const std::string& line);
    void clear();

private:
    bool terminal_;
    bool drawn_ = false;
    std::optional<std::int64_t> last_ns_;  // of the last drawing
};

}  // namespace lockstep::report
