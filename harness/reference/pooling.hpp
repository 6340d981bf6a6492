// Max-pooling and the way back.
#pragma once

#include <cstdint>
#include <vector>

#include "protocol/network.hpp"

namespace lockstep::reference {

struct Pooled {
    std::vector<double> output;
    std::vector<std::int64_t> winners;  // for each output, the index of its input; the first of equals
};

// Shapes from the layer. `ceil`: see Variant::pool_ceil.
Pooled max_pool(const protocol::Layer& layer, std::int64_t batch, const std::vector<double>& input, bool ceil,
                int threads);

// Each output's gradient goes to its winner.
std::vector<double> max_pool_gradient(std::size_t inputs, const std::vector<std::int64_t>& winners,
                                      const std::vector<double>& output_gradient);

// Where the window of output row or column `i` begins, for an axis of `size` pixels.
std::int64_t window_start(std::int64_t i, std::int64_t size, std::int64_t window, bool ceil);

}  // namespace lockstep::reference
