// Small networks, weights and pictures for tests, all from a seed.
#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "harness/base/random.hpp"
#include "harness/reference/question.hpp"
#include "protocol/network.hpp"
#include "protocol/shapes.hpp"

namespace lockstep::testing_networks {

using protocol::Layer;
using protocol::LayerKind;

inline Layer convolution(std::int64_t filters, protocol::Padding padding = protocol::Padding::same)
{
    Layer layer;
    layer.kind = LayerKind::convolution;
    layer.kernel_height = layer.kernel_width = 3;
    layer.padding = padding;
    layer.output = {filters};
    layer.activation = protocol::Activation::relu;
    return layer;
}

inline Layer pool()
{
    Layer layer;
    layer.kind = LayerKind::max_pool;
    layer.window = 2;
    return layer;
}

inline Layer flatten()
{
    return Layer{};
}

inline Layer dense(std::int64_t units, bool relu)
{
    Layer layer;
    layer.kind = LayerKind::dense;
    layer.output = {units};
    layer.activation = relu ? protocol::Activation::relu : protocol::Activation::none;
    return layer;
}

inline Layer dropout(double rate)
{
    Layer layer;
    layer.kind = LayerKind::dropout;
    layer.rate = rate;
    return layer;
}

// Fills in names and shapes. Requires: layers that fit together; the last one gives the logits.
inline protocol::Network network_of(std::vector<std::int64_t> input, const std::vector<Layer>& layers)
{
    const std::map<LayerKind, std::string> words{{LayerKind::convolution, "conv"},
                                                 {LayerKind::max_pool, "pool"},
                                                 {LayerKind::flatten, "flatten"},
                                                 {LayerKind::dense, "dense"},
                                                 {LayerKind::dropout, "dropout"}};
    protocol::Network network;
    network.input = input;
    std::map<LayerKind, int> count;
    for (Layer layer : layers) {
        layer.name = words.at(layer.kind) + std::to_string(++count[layer.kind]);
        layer.input = input;
        layer.output = protocol::output_of(layer).value();
        input = layer.output;
        network.layers.push_back(layer);
    }
    network.classes = input.back();
    return network;
}

// The two networks of the contract.
inline protocol::Network cnn2(std::int64_t side, std::int64_t channels, std::int64_t classes,
                              protocol::Padding padding = protocol::Padding::same)
{
    return network_of({side, side, channels}, {convolution(32, padding), pool(), convolution(64, padding),
                                               pool(), flatten(), dense(128, true), dense(classes, false)});
}

inline protocol::Network cnn3(std::int64_t side, std::int64_t channels, std::int64_t classes,
                              protocol::Padding padding = protocol::Padding::same)
{
    return network_of({side, side, channels},
                      {convolution(64, padding), pool(), convolution(128, padding), pool(),
                       convolution(256, padding), pool(), flatten(), dense(512, true), dropout(0.5),
                       dense(256, true), dropout(0.5), dense(classes, false)});
}

// One to three convolutions, each perhaps pooled, one to three dense layers; odd and even sizes, both
// paddings, 1 or 3 channels, 2 to 12 classes.
inline protocol::Network random_network(Random& random)
{
    const auto between = [&](int low, int high) {
        return low + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(high - low + 1)));
    };
    const std::int64_t height = between(7, 15);
    const std::int64_t width = between(7, 15);
    const auto padding = between(0, 1) == 0 ? protocol::Padding::same : protocol::Padding::valid;
    std::vector<Layer> layers;
    std::int64_t side = std::min(height, width);
    for (std::int64_t i = between(1, 3); i > 0 && side >= 4; --i) {
        layers.push_back(convolution(between(1, 9), padding));
        side -= padding == protocol::Padding::valid ? 2 : 0;
        if (between(0, 3) > 0) {
            layers.push_back(pool());
            side /= 2;
        }
    }
    layers.push_back(flatten());
    for (std::int64_t i = between(0, 2); i > 0; --i) {
        layers.push_back(dense(between(3, 20), true));
        if (between(0, 2) == 0) {
            layers.push_back(dropout(0.5));
        }
    }
    layers.push_back(dense(between(2, 12), false));
    return network_of({height, width, between(0, 1) == 0 ? 1 : 3}, layers);
}

// Glorot uniform kernels; biases within +-`bias`.
inline std::map<std::string, std::vector<float>> random_weights(const protocol::Network& network, double bias,
                                                                Random& random)
{
    std::map<std::string, std::vector<float>> weights;
    for (const protocol::Parameter& parameter : protocol::parameters_of(network)) {
        std::int64_t size = 1;
        for (const std::int64_t side : parameter.shape) {
            size *= side;
        }
        double limit = bias;
        if (parameter.shape.size() > 1) {
            const auto rank = parameter.shape.size();
            const double area =
                static_cast<double>(size / parameter.shape[rank - 1] / parameter.shape[rank - 2]);
            limit = std::sqrt(
                6.0 / (area * static_cast<double>(parameter.shape[rank - 1] + parameter.shape[rank - 2])));
        }
        std::vector<float>& values = weights[parameter.name];
        for (std::int64_t i = 0; i < size; ++i) {
            values.push_back(static_cast<float>(limit * (2.0 * random.uniform() - 1.0)));
        }
    }
    return weights;
}

// A bright rectangle with texture on a blank ground, as 8-bit pixels.
inline std::vector<std::uint8_t> picture(const std::vector<std::int64_t>& shape, Random& random)
{
    const auto height = static_cast<std::uint64_t>(shape[0]);
    const auto width = static_cast<std::uint64_t>(shape[1]);
    const std::uint64_t top = random.below(height / 2 + 1);
    const std::uint64_t left = random.below(width / 2 + 1);
    std::vector<std::uint8_t> pixels;
    for (std::uint64_t y = 0; y < height; ++y) {
        for (std::uint64_t x = 0; x < width; ++x) {
            for (std::int64_t c = 0; c < shape[2]; ++c) {
                const bool inside =
                    y >= top && y < top + (height + 1) / 2 && x >= left && x < left + (width + 1) / 2;
                pixels.push_back(inside ? static_cast<std::uint8_t>(1 + random.below(255)) : std::uint8_t{0});
            }
        }
    }
    return pixels;
}

// A question on random pictures, not chosen for anything.
inline reference::Question question_of(const protocol::Network& network, std::int64_t batch, int steps,
                                       std::uint64_t seed)
{
    Random random(seed);
    reference::Question question;
    question.network = network;
    question.batch = batch;
    question.steps = steps;
    question.weights = random_weights(network, 0.1, random);
    for (std::int64_t i = 0; i < batch * std::max(1, steps); ++i) {
        for (const std::uint8_t pixel : picture(network.input, random)) {
            question.images.push_back(static_cast<float>(pixel) / 255.0F);
        }
        question.labels.push_back(
            static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(network.classes))));
    }
    return question;
}

}  // namespace lockstep::testing_networks
