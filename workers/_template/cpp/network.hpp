// A network of plain loops in float32. Activations are count x height x width x channels, kernels height x
// width x in x out, dense kernels in x out: the canonical layouts, so nothing is permuted anywhere.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "layers.hpp"
#include "protocol/network.hpp"

namespace lockstep::plain {

class Network {
public:
    // With `dropout` false, dropout layers let everything pass. `seed` feeds their generator.
    Network(const protocol::Network& what, std::int64_t batch, bool dropout, std::uint64_t seed);

    // Logits (count x classes), valid until the next call. Requires: count from 1 to the batch.
    std::span<const float> forward(std::span<const float> images, std::int64_t count, bool training);
    // Mean softmax cross-entropy of the last forward(), and its gradient in every parameter.
    double backward(std::span<const std::int32_t> labels);

    std::vector<Parameter*> parameters();

private:
    std::vector<std::unique_ptr<Layer>> layers_;
    std::vector<std::vector<float>> outputs_;    // of each layer, for a whole batch
    std::vector<std::vector<float>> gradients_;  // of the loss in each of these outputs
    std::span<const float> images_;              // of the last forward()
    std::int64_t count_ = 0;
    std::int64_t classes_;
    bool dropout_;
};

}  // namespace lockstep::plain
