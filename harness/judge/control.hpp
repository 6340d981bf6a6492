// The experiment's own control: the baseline against its twin, which is the same command again.
#pragma once

#include <cstddef>

#include "harness/judge/contrast.hpp"
#include "harness/judge/verdict.hpp"

namespace lockstep::judge {

struct TwinControl {
    Contrast contrast;  // twin against baseline
    bool passed;        // the interval contains "no difference" and |estimate| is within the margin
    double floor;       // the furthest end of the interval from 0, log scale; infinite without an interval
};

// Requires margin > 0. Not passed when there are too few blocks for an interval. An interval of level
// 95 % fails by chance in up to 5 of 100 sound experiments, whatever the number of blocks.
TwinControl twin_control(const Contrast& twin, double margin);

// The verdict that may be printed in this experiment. Inconclusive and too few blocks stay; anything
// else is control_failed when the control is not passed; a difference whose |estimate| is below the
// floor is below_control.
Verdict under_control(Verdict verdict, const Contrast& contrast, const TwinControl& control);

// Over many contrasts of things known to be equal, the signs of the estimates must be fair coins.
// True when their exact two-sided p is below 0.001: the harness itself favours one side.
bool one_sided(std::size_t positive, std::size_t negative);

}  // namespace lockstep::judge
