// The network as a torch::nn::Sequential, and lockstep's images as torch sees them.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "protocol/network.hpp"

namespace lockstep::libtorch_worker {

// Each layer under its own name. `dropout` false: dropout layers let everything pass.
inline torch::nn::Sequential sequential(const protocol::Network& network, bool dropout)
{
    using protocol::LayerKind;
    torch::nn::Sequential found;
    for (const protocol::Layer& layer : network.layers) {
        std::string name = layer.name;  // push_back takes a name by its type: std::string, moved in
        switch (layer.kind) {
            case LayerKind::convolution: {
                const bool same = layer.padding == protocol::Padding::same;
                torch::nn::Conv2dOptions options(layer.input[2], layer.output[2],
                                                 {layer.kernel_height, layer.kernel_width});
                if (same) {
                    options.padding({(layer.kernel_height - 1) / 2, (layer.kernel_width - 1) / 2});
                }
                found->push_back(std::move(name), torch::nn::Conv2d(options));
                break;
            }
            case LayerKind::max_pool:
                found->push_back(std::move(name), torch::nn::MaxPool2d(layer.window));
                break;
            case LayerKind::flatten:
                found->push_back(std::move(name), torch::nn::Flatten());
                break;
            case LayerKind::dense:
                found->push_back(std::move(name), torch::nn::Linear(layer.input[0], layer.output[0]));
                break;
            case LayerKind::dropout:
                found->push_back(std::move(name), torch::nn::Dropout(dropout ? layer.rate : 0.0));
                break;
        }
        if (layer.activation == protocol::Activation::relu) {
            found->push_back(layer.name + "_relu", torch::nn::ReLU());
        }
    }
    return found;
}

// Images, count x height x width x channels, as count x channels x height x width. With one channel they are
// the same bytes and nothing is copied: requires that `images` outlives the tensor.
inline torch::Tensor as_tensor(const float* images, std::int64_t count, const std::vector<std::int64_t>& size)
{
    auto* data = const_cast<float*>(images);
    if (size[2] == 1) {
        return torch::from_blob(data, {count, 1, size[0], size[1]});
    }
    return torch::from_blob(data, {count, size[0], size[1], size[2]}).permute({0, 3, 1, 2}).contiguous();
}

}  // namespace lockstep::libtorch_worker
