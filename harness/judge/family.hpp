// All arms against one baseline: claims that hold together.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "harness/judge/contrast.hpp"

namespace lockstep::judge {

struct Comparison {
    Contrast contrast;                            // at the level asked for
    std::optional<stats::Interval> simultaneous;  // log scale; all of the family hold together
    double adjusted_p;                            // Holm, over the family
};

// One entry an arm, in the order given: its log-ratios against the baseline. An entry is absent where
// `contrast_of` is; it still counts as a member of the family, which only widens the others.
std::vector<std::optional<Comparison>> compare(std::span<const std::vector<double>> log_ratios, double level);

}  // namespace lockstep::judge
