// The timed window of a run.
#include "harness/record/trial.hpp"

#include <algorithm>

namespace lockstep::record {

std::vector<double> timed_steps(const Trial& trial)
{
    std::vector<double> seconds;
    for (std::size_t i = static_cast<std::size_t>(trial.warm_up_steps); i < trial.steps.size(); ++i) {
        seconds.push_back(static_cast<double>(trial.steps[i].end - trial.steps[i].begin) * 1e-9);
    }
    return seconds;
}

std::optional<double> median_step(const Trial& trial)
{
    std::vector<double> seconds = timed_steps(trial);
    if (seconds.empty()) {
        return {};
    }
    std::sort(seconds.begin(), seconds.end());
    const std::size_t half = seconds.size() / 2;
    return seconds.size() % 2 == 1 ? seconds[half] : (seconds[half - 1] + seconds[half]) / 2;
}

}  // namespace lockstep::record
