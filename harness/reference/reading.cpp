// Every misreading of a layout is a permutation of the parameter's memory.
#include "harness/reference/reading.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace lockstep::reference {
namespace {

using protocol::Layer;
using protocol::LayerKind;
using Order = std::vector<std::size_t>;  // read[i] = handed[order[i]]

Order identity(std::size_t size)
{
    Order order(size);
    std::iota(order.begin(), order.end(), std::size_t{0});
    return order;
}

// Applies `next` on top of what is there.
void then(Order& order, const Order& next)
{
    Order result(order.size());
    for (std::size_t i = 0; i < next.size(); ++i) {
        result[i] = order[next[i]];
    }
    order = std::move(result);
}

Order inverse(const Order& order)
{
    Order result(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        result[order[i]] = i;
    }
    return result;
}

// What a variant makes of a misreading.
Order in_direction(Order order, const Variant& variant)
{
    return variant.misread_backwards ? inverse(order) : order;
}

Order kernel_order(const Layer& layer, const Variant& variant)
{
    const auto channels = static_cast<std::size_t>(layer.input.back());
    const auto filters = static_cast<std::size_t>(layer.output.back());
    const auto height = static_cast<std::size_t>(layer.kernel_height);
    const auto width = static_cast<std::size_t>(layer.kernel_width);
    Order order = identity(height * width * channels * filters);
    if (variant.kernel_oihw) {
        Order next;
        for (std::size_t pixel = 0; pixel < height * width; ++pixel) {
            for (std::size_t c = 0; c < channels; ++c) {
                for (std::size_t f = 0; f < filters; ++f) {
                    next.push_back((f * channels + c) * height * width + pixel);
                }
            }
        }
        then(order, in_direction(std::move(next), variant));
    }
    if (variant.flipped_kernel) {
        Order next;
        for (std::size_t pixel = height * width; pixel-- > 0;) {
            for (std::size_t i = 0; i < channels * filters; ++i) {
                next.push_back(pixel * channels * filters + i);
            }
        }
        then(order, next);
    }
    return order;
}

// `image` is the shape before flatten where this layer follows one, else null.
Order dense_order(const Layer& layer, const std::vector<std::int64_t>* image, const Variant& variant)
{
    const auto inputs = static_cast<std::size_t>(layer.input.back());
    const auto outputs = static_cast<std::size_t>(layer.output.back());
    Order order = identity(inputs * outputs);
    if (variant.dense_transposed) {
        Order next;
        for (std::size_t i = 0; i < inputs; ++i) {
            for (std::size_t o = 0; o < outputs; ++o) {
                next.push_back(o * inputs + i);
            }
        }
        then(order, in_direction(std::move(next), variant));
    }
    if (variant.flatten_chw && image != nullptr && image->size() == 3) {
        const auto pixels = static_cast<std::size_t>((*image)[0] * (*image)[1]);
        const auto channels = static_cast<std::size_t>((*image)[2]);
        Order next;
        for (std::size_t pixel = 0; pixel < pixels; ++pixel) {
            for (std::size_t c = 0; c < channels; ++c) {
                for (std::size_t o = 0; o < outputs; ++o) {
                    next.push_back((c * pixels + pixel) * outputs + o);
                }
            }
        }
        then(order, in_direction(std::move(next), variant));
    }
    return order;
}

bool reads_in_order(const Variant& variant)
{
    return !variant.flatten_chw && !variant.flipped_kernel && !variant.kernel_oihw &&
           !variant.dense_transposed;
}

template <class Visit>
void for_each_kernel(const protocol::Network& network, const Variant& variant, const Visit& visit)
{
    const std::vector<std::int64_t>* image = nullptr;
    for (const Layer& layer : network.layers) {
        if (layer.kind == LayerKind::convolution) {
            visit(layer.name + ".kernel", kernel_order(layer, variant));
        } else if (layer.kind == LayerKind::dense) {
            visit(layer.name + ".kernel", dense_order(layer, image, variant));
        }
        if (layer.kind == LayerKind::flatten) {
            image = &layer.input;
        } else if (layer.kind != LayerKind::dropout) {
            image = nullptr;
        }
    }
}

}  // namespace

void round_operands(int bits, Values& values)
{
    if (bits == 0) {
        return;
    }
    const int dropped = 52 - bits;
    for (double& value : values) {
        const auto word = std::bit_cast<std::uint64_t>(value);
        const std::uint64_t odd = (word >> dropped) & 1U;
        const std::uint64_t rounded = word + ((std::uint64_t{1} << (dropped - 1)) - 1 + odd);
        value = std::bit_cast<double>(rounded >> dropped << dropped);
    }
}

Weights as_read(const protocol::Network& network, const Variant& variant, const Weights& weights)
{
    if (reads_in_order(variant) && variant.missing_bias.empty() && variant.operand_bits == 0) {
        return {};
    }
    Weights read = weights;
    if (!reads_in_order(variant)) {
        for_each_kernel(network, variant, [&](const std::string& name, const Order& order) {
            const Values& handed = weights.at(name);
            Values& target = read.at(name);
            for (std::size_t i = 0; i < order.size(); ++i) {
                target[i] = handed[order[i]];
            }
        });
    }
    for (const Layer& layer : network.layers) {
        if (layer.name == variant.missing_bias) {
            Values& bias = read.at(layer.name + ".bias");
            std::fill(bias.begin(), bias.end(), 0.0);
        }
        if (layer.has_parameters()) {
            round_operands(variant.operand_bits, read.at(layer.name + ".kernel"));
        }
    }
    return read;
}

void write_back(const protocol::Network& network, const Variant& variant, Weights& gradients)
{
    if (!variant.missing_bias.empty()) {
        Values& bias = gradients.at(variant.missing_bias + ".bias");
        std::fill(bias.begin(), bias.end(), 0.0);
    }
    if (reads_in_order(variant)) {
        return;
    }
    for_each_kernel(network, variant, [&](const std::string& name, const Order& order) {
        const Values read = gradients.at(name);
        Values& handed = gradients.at(name);
        for (std::size_t i = 0; i < order.size(); ++i) {
            handed[order[i]] = read[i];
        }
    });
}

Values images_as_read(const protocol::Network& network, const Variant& variant, std::span<const float> images)
{
    Values read(images.begin(), images.end());
    if (variant.pixel_factor != 1.0) {
        for (double& pixel : read) {
            pixel *= variant.pixel_factor;
        }
    }
    if (variant.channels_reversed) {
        const auto channels = static_cast<std::ptrdiff_t>(network.input.back());
        for (auto pixel = read.begin(); pixel != read.end(); pixel += channels) {
            std::reverse(pixel, pixel + channels);
        }
    }
    return read;
}

std::vector<std::int32_t> labels_as_read(const protocol::Network& network, const Variant& variant,
                                         std::span<const std::int32_t> labels)
{
    const auto classes = static_cast<std::int32_t>(network.classes);
    std::vector<std::int32_t> read(labels.begin(), labels.end());
    for (std::size_t i = 0; i < labels.size(); ++i) {
        if (variant.labels_one_hot) {
            const auto row = i / static_cast<std::size_t>(classes);
            read[i] = labels[row] == static_cast<std::int32_t>(i % static_cast<std::size_t>(classes)) ? 1 : 0;
        } else {
            read[i] = (labels[i] + variant.label_shift + classes) % classes;
        }
    }
    return read;
}

}  // namespace lockstep::reference
