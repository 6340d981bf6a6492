// One forward and backward pass of the network over a batch, with everything between kept, so that its
// rounding can be judged.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "harness/reference/loss.hpp"
#include "harness/reference/variant.hpp"
#include "protocol/network.hpp"

namespace lockstep::reference {

using Values = std::vector<double>;
using Weights = std::map<std::string, Values>;  // by parameter name, canonical layout

struct Setting {
    const protocol::Network& network;
    const Variant& variant;
    int threads = 0;  // 0: all cores; no result depends on it
};

// Indices l are those of network.layers; tensors are batch x the layer's shape.
struct Pass {
    std::int64_t batch = 0;
    std::vector<Values> input;   // of layer l; input[0] the images, input[layers] the logits
    std::vector<Values> before;  // convolution and dense with ReLU: the output before ReLU
    std::vector<std::vector<std::int64_t>> winners;  // max-pool: for each output the index in input[l]
    std::vector<Values> factors;                     // dropout that is on: what each input was multiplied by
    Values probabilities;                            // batch x classes
    // After backward():
    double loss = 0.0;
    std::vector<Values> above;  // gradient with respect to layer l's output, after ReLU
    std::vector<Values> at;     // convolution and dense: with respect to the output before ReLU
    Weights gradients;
    Weights altered;  // the weights as the variant reads them; empty where it reads them as they are
    const Values& logits() const { return input.back(); }
};

// `images` holds any number of images, height x width x channels.
Pass forward(const Setting& setting, const Weights& weights, std::span<const float> images);

// Completes a pass of forward() with the same setting and weights. One label an image.
void backward(const Setting& setting, const Weights& weights, std::span<const std::int32_t> labels,
              Pass& pass);

// What the worker shows as its logits.
Values shown_logits(const Variant& variant, const Pass& pass);

// What the worker shows as its gradients.
Weights shown_gradients(const Variant& variant, const Weights& weights, const Pass& pass);

}  // namespace lockstep::reference
