// Units whose ReLU or max-pool goes one way or the other by so little that rounding could turn it.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/reference/pass.hpp"

namespace lockstep::judge {

struct Doubt {
    std::vector<std::int64_t> units;  // doubtful ones of each image
    std::vector<double> squares;      // by channel: the sum of the squared gradients that may go elsewhere
    std::vector<double> sum;          // and of their absolute values
};

// Of layer l: its ReLU together with the max-pool that follows directly, if one does, since only the largest
// of a window passes a gradient on; or a max-pool that follows anything else. None for other layers.
// `reach`: how far rounding may move an output before ReLU (or the pool's input). The sums are 0 before
// backward().
Doubt doubt_of(const reference::Setting& setting, const reference::Pass& pass, std::size_t l, double reach);

}  // namespace lockstep::judge
