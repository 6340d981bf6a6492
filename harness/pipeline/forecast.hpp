// How long the rest of a campaign will take, from the runs already made.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "harness/pipeline/schedule.hpp"

namespace lockstep::pipeline {

class Forecast {
public:
    // A finished run's wall time, settling included.
    void note(const Turn& turn, double seconds);
    // Of one run: the mean of its like, else the mean of all; absent before the first run.
    std::optional<double> seconds_of(const Turn& turn) const;
    // Of all `turns` from index `next` on; absent before the first run.
    std::optional<double> seconds_left(const std::vector<Turn>& turns, std::size_t next) const;

private:
    struct Mean {
        double sum = 0;
        int count = 0;
        double value() const { return sum / count; }
    };
    std::map<std::pair<std::size_t, std::size_t>, Mean> by_kind_;  // network, arm
    Mean all_;
};

}  // namespace lockstep::pipeline
