// Units whose ReLU or max-pool goes one way or the other by so little that rounding could turn it.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/reference/pass.hpp"

namespace lockstep::judge {

// One doubtful unit and the other way that it could go.
struct Turn {
    std::int64_t image{};
    std::size_t relu = 0;  // layer whose ReLU is turned, at `unit` of its output; none if unit < 0
    std::int64_t unit = -1;
    std::size_t pool = 0;  // max-pool whose output `output` takes `winner` instead; none if output < 0
    std::int64_t output = -1;
    std::int64_t winner = -1;
};

// Of layer l: its ReLU together with the max-pool that follows directly, if one does, since only the largest
// of a window passes a gradient on; or a max-pool that follows anything else. None for other layers.
// `reach`: how far rounding may move an output before ReLU (or the pool's input). In order of images.
std::vector<Turn> doubtful_units(const reference::Setting& setting, const reference::Pass& pass,
                                 std::size_t l, double reach);

// Lets each of them go the other way, for a backward() after this.
void turn(const std::vector<Turn>& turns, reference::Pass& pass);

}  // namespace lockstep::judge
