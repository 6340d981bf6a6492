// The layers in order, then the chain rule from the last to the first.
#include "harness/reference/pass.hpp"

#include <algorithm>

#include "harness/base/random.hpp"
#include "harness/reference/convolution.hpp"
#include "harness/reference/dense.hpp"
#include "harness/reference/pooling.hpp"
#include "harness/reference/reading.hpp"

namespace lockstep::reference {
namespace {

using protocol::Activation;
using protocol::Layer;
using protocol::LayerKind;

ConvolutionShape shape_of(const Layer& layer, const Variant& variant, std::int64_t batch)
{
    ConvolutionShape shape{.batch = batch,
                           .height = layer.input[0],
                           .width = layer.input[1],
                           .channels = layer.input[2],
                           .out_height = layer.output[0],
                           .out_width = layer.output[1],
                           .filters = layer.output[2],
                           .kernel_height = layer.kernel_height,
                           .kernel_width = layer.kernel_width,
                           .top = 0,
                           .left = 0};
    if (layer.padding == protocol::Padding::same && variant.padding_side != 'a') {
        const std::int64_t parts = variant.padding_side == 'b' ? 1 : 2;
        shape.top = (layer.kernel_height - 1) / parts;
        shape.left = (layer.kernel_width - 1) / parts;
    }
    return shape;
}

Values rounded(const Setting& setting, const Values& values)
{
    Values result = values;
    round_operands(setting.variant.operand_bits, result);
    return result;
}

// Inverted dropout: what stays is divided by the share that stays.
Values dropout_factors(const Layer& layer, std::size_t index, std::size_t size, std::uint64_t seed)
{
    Random random(seed, index);
    Values factors(size);
    for (double& factor : factors) {
        factor = random.uniform() < layer.rate ? 0.0 : 1.0 / (1.0 - layer.rate);
    }
    return factors;
}

void forward_layer(const Setting& setting, const Weights& weights, std::size_t l, Pass& pass)
{
    const Layer& layer = setting.network.layers[l];
    const Values& input = pass.input[l];
    Values& output = pass.input[l + 1];
    switch (layer.kind) {
        case LayerKind::convolution:
            output = convolution(shape_of(layer, setting.variant, pass.batch), rounded(setting, input),
                                 weights.at(layer.name + ".kernel"), weights.at(layer.name + ".bias"),
                                 setting.threads);
            break;
        case LayerKind::dense:
            output = dense(pass.batch, rounded(setting, input), weights.at(layer.name + ".kernel"),
                           weights.at(layer.name + ".bias"), setting.threads);
            break;
        case LayerKind::max_pool: {
            Pooled pooled = max_pool(layer, pass.batch, input, setting.variant.pool_ceil, setting.threads);
            output = std::move(pooled.output);
            pass.winners[l] = std::move(pooled.winners);
            break;
        }
        case LayerKind::flatten:
            output = input;
            break;
        case LayerKind::dropout:
            output = input;
            if (setting.variant.dropout_seed) {
                pass.factors[l] = dropout_factors(layer, l, input.size(), *setting.variant.dropout_seed);
                for (std::size_t i = 0; i < output.size(); ++i) {
                    output[i] *= pass.factors[l][i];
                }
            }
            break;
    }
    if (layer.activation == Activation::relu) {
        pass.before[l] = output;
        for (double& value : output) {
            value = std::max(value, 0.0);
        }
    }
}

// The gradient of layer l's input from pass.at[l] or pass.above[l]; adds the layer's own to pass.gradients.
Values backward_layer(const Setting& setting, const Weights& weights, std::size_t l, Pass& pass)
{
    const Layer& layer = setting.network.layers[l];
    const Values& above = pass.above[l];
    if (layer.kind == LayerKind::max_pool) {
        return max_pool_gradient(pass.input[l].size(), pass.winners[l], above);
    }
    if (!layer.has_parameters()) {
        Values result = above;
        for (std::size_t i = 0; i < pass.factors[l].size(); ++i) {
            result[i] *= pass.factors[l][i];
        }
        return result;
    }
    Values& at = pass.at[l];
    at = above;
    for (std::size_t i = 0; i < pass.before[l].size(); ++i) {
        if (!(pass.before[l][i] > 0.0)) {
            at[i] = 0.0;
        }
    }
    Values bias(static_cast<std::size_t>(layer.output.back()));
    for (std::size_t i = 0; i < at.size(); ++i) {
        bias[i % bias.size()] += at[i];
    }
    pass.gradients[layer.name + ".bias"] = std::move(bias);
    const Values input = rounded(setting, pass.input[l]);
    const Values gradient = rounded(setting, at);
    const Values& kernel = weights.at(layer.name + ".kernel");
    if (layer.kind == LayerKind::dense) {
        pass.gradients[layer.name + ".kernel"] =
            dense_kernel_gradient(pass.batch, input, gradient, setting.threads);
        return l == 0 ? Values{} : dense_input_gradient(pass.batch, kernel, gradient, setting.threads);
    }
    const ConvolutionShape shape = shape_of(layer, setting.variant, pass.batch);
    pass.gradients[layer.name + ".kernel"] = kernel_gradient(shape, input, gradient, setting.threads);
    return l == 0 ? Values{} : input_gradient(shape, kernel, gradient, setting.threads);
}

}  // namespace

Pass forward(const Setting& setting, const Weights& weights, std::span<const float> images)
{
    const std::size_t layers = setting.network.layers.size();
    std::int64_t pixels = 1;
    for (const std::int64_t side : setting.network.input) {
        pixels *= side;
    }
    Pass pass;
    pass.batch = static_cast<std::int64_t>(images.size()) / pixels;
    pass.input.resize(layers + 1);
    pass.before.resize(layers);
    pass.winners.resize(layers);
    pass.factors.resize(layers);
    pass.input[0] = images_as_read(setting.network, setting.variant, images);
    pass.altered = as_read(setting.network, setting.variant, weights);
    for (std::size_t l = 0; l < layers; ++l) {
        forward_layer(setting, pass.altered.empty() ? weights : pass.altered, l, pass);
    }
    pass.probabilities = softmax(pass.logits(), setting.network.classes);
    return pass;
}

void backward(const Setting& setting, const Weights& weights, std::span<const std::int32_t> labels,
              Pass& pass)
{
    const std::size_t layers = setting.network.layers.size();
    Loss loss = loss_of(setting.variant.loss, pass.logits(),
                        labels_as_read(setting.network, setting.variant, labels), setting.network.classes);
    pass.loss = loss.value;
    pass.above.resize(layers);
    pass.at.resize(layers);
    pass.above[layers - 1] = std::move(loss.logits_gradient);
    for (std::size_t l = layers; l-- > 0;) {
        Values below = backward_layer(setting, pass.altered.empty() ? weights : pass.altered, l, pass);
        if (l > 0) {
            pass.above[l - 1] = std::move(below);
        }
    }
    write_back(setting.network, setting.variant, pass.gradients);
}

Values shown_logits(const Variant& variant, const Pass& pass)
{
    const bool probabilities = variant.probabilities_shown || variant.loss == LossForm::softmax_twice;
    return probabilities ? pass.probabilities : pass.logits();
}

Weights shown_gradients(const Variant& variant, const Weights& weights, const Pass& pass)
{
    Weights gradients = pass.gradients;
    if (variant.decay_shown) {
        for (auto& [name, gradient] : gradients) {
            const Values& weight = weights.at(name);
            for (std::size_t i = 0; i < gradient.size(); ++i) {
                gradient[i] += variant.weight_decay * weight[i];
            }
        }
    }
    return gradients;
}

}  // namespace lockstep::reference
