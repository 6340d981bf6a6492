// Drawing weights, and moving them between layouts. Dense kernels of flattened images are the bulk (98 %
// of cnn3 at 224x224), so their transposition works in tiles that stay in the first-level cache.
#include "harness/data/initial_weights.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "harness/base/random.hpp"

namespace lockstep::data {
namespace {

using protocol::Layer;
using protocol::LayerKind;

// Sets the streams of weights apart from every other use of the same seed; the parameter's index is added.
constexpr std::uint64_t kPurpose = 0x7765696768740000;  // "weight"

// Side of a tile: 32 x 32 floats are 4 KiB on either side, an eighth of a 32 KiB cache each.
constexpr std::int64_t kTile = 32;

// The layer that a parameter belongs to, by the order of protocol::parameters_of: kernel, bias, kernel ...
const Layer& layer_of(const protocol::Network& network, std::size_t index)
{
    std::size_t first = 0;
    for (const Layer& layer : network.layers) {
        if (layer.has_parameters()) {
            if (index < first + 2) {
                return layer;
            }
            first += 2;
        }
    }
    return network.layers.at(network.layers.size());  // outside the contract: throws
}

bool is_bias(std::size_t index)
{
    return index % 2 == 1;
}

// The image whose flattening a dense layer reads: found by walking back over what keeps the feature order.
std::optional<std::vector<std::int64_t>> flattened_image(const protocol::Network& network, const Layer& dense)
{
    const std::size_t at = static_cast<std::size_t>(&dense - network.layers.data());
    for (std::size_t i = at; i > 0; --i) {
        const Layer& before = network.layers[i - 1];
        if (before.kind == LayerKind::flatten && before.input.size() == 3) {
            return before.input;
        }
        if (before.kind != LayerKind::dropout && before.kind != LayerKind::flatten) {
            return {};
        }
    }
    return {};
}

// to[column * to_stride + row] = from[row * from_stride + column]
void transpose(const float* from, std::int64_t from_stride, float* to, std::int64_t to_stride,
               std::int64_t rows, std::int64_t columns)
{
    for (std::int64_t row0 = 0; row0 < rows; row0 += kTile) {
        const std::int64_t row1 = std::min(rows, row0 + kTile);
        for (std::int64_t column0 = 0; column0 < columns; column0 += kTile) {
            const std::int64_t column1 = std::min(columns, column0 + kTile);
            for (std::int64_t column = column0; column < column1; ++column) {
                for (std::int64_t row = row0; row < row1; ++row) {
                    to[column * to_stride + row] = from[row * from_stride + column];
                }
            }
        }
    }
}

}  // namespace

std::vector<float> initial_values(const protocol::Network& network, std::size_t index, std::uint64_t seed)
{
    const Layer& layer = layer_of(network, index);
    const bool convolves = layer.kind == LayerKind::convolution;
    const std::int64_t area = convolves ? layer.kernel_height * layer.kernel_width : 1;
    const std::int64_t fan_in = area * layer.input.back();
    const std::int64_t fan_out = area * layer.output.back();
    if (is_bias(index)) {
        return std::vector<float>(static_cast<std::size_t>(layer.output.back()), 0.0f);
    }
    std::vector<float> values(static_cast<std::size_t>(fan_in * layer.output.back()));
    const double limit = std::sqrt(6.0 / static_cast<double>(fan_in + fan_out));
    Random random(seed, kPurpose + index);
    for (float& value : values) {
        value = static_cast<float>((2.0 * random.uniform() - 1.0) * limit);
    }
    return values;
}

ParameterLayout::ParameterLayout(const protocol::Network& network, std::size_t index,
                                 const protocol::Layouts& layouts)
{
    const Layer& layer = layer_of(network, index);
    const std::int64_t in = layer.input.back();
    const std::int64_t out = layer.output.back();
    if (is_bias(index)) {
        canonical_ = worker_ = {out};
        return;
    }
    if (layer.kind == LayerKind::convolution) {
        kind_ = Kind::convolution;
        transposed_ = layouts.convolution == "OIHW";
        flipped_ = layouts.flipped && layer.kernel_height * layer.kernel_width > 1;
        canonical_ = {layer.kernel_height, layer.kernel_width, in, out};
        worker_ = transposed_ ? Shape{out, in, layer.kernel_height, layer.kernel_width} : canonical_;
        same_ = !transposed_ && !flipped_;
        return;
    }
    kind_ = Kind::dense;
    transposed_ = layouts.dense == "out_in";
    canonical_ = {in, out};
    worker_ = transposed_ ? Shape{out, in} : canonical_;
    channels_ = in;
    const auto image = layouts.flatten == "CHW" ? flattened_image(network, layer) : std::nullopt;
    if (image && image->at(2) > 1) {
        positions_ = image->at(0) * image->at(1);
        channels_ = image->at(2);
    }
    same_ = !transposed_ && positions_ == 1;
}

void ParameterLayout::to_worker(std::span<const float> canonical, std::span<float> worker) const
{
    if (same_) {
        std::copy(canonical.begin(), canonical.end(), worker.begin());
    } else if (kind_ == Kind::convolution) {
        convolution(canonical, worker, true);
    } else {
        dense(canonical, worker, true);
    }
}

void ParameterLayout::from_worker(std::span<const float> worker, std::span<float> canonical) const
{
    if (same_) {
        std::copy(worker.begin(), worker.end(), canonical.begin());
    } else if (kind_ == Kind::convolution) {
        convolution(worker, canonical, false);
    } else {
        dense(worker, canonical, false);
    }
}

void ParameterLayout::convolution(std::span<const float> from, std::span<float> to, bool towards_worker) const
{
    const std::int64_t area = canonical_[0] * canonical_[1];
    const std::int64_t in = canonical_[2];
    const std::int64_t out = canonical_[3];
    // Reversing both axes of a height x width grid reverses its flat positions.
    std::size_t canonical_at = 0;
    for (std::int64_t position = 0; position < area; ++position) {
        const std::int64_t there = flipped_ ? area - 1 - position : position;
        for (std::int64_t i = 0; i < in; ++i) {
            for (std::int64_t o = 0; o < out; ++o, ++canonical_at) {
                const std::size_t worker_at = static_cast<std::size_t>(
                    transposed_ ? (o * in + i) * area + there : (there * in + i) * out + o);
                if (towards_worker) {
                    to[worker_at] = from[canonical_at];
                } else {
                    to[canonical_at] = from[worker_at];
                }
            }
        }
    }
}

// Canonical row of a feature: position * channels + channel; a worker's: channel * positions + position.
void ParameterLayout::dense(std::span<const float> from, std::span<float> to, bool towards_worker) const
{
    const std::int64_t in = canonical_[0];
    const std::int64_t out = canonical_[1];
    const std::int64_t row = channels_ * out;  // from one position to the next, in the canonical kernel
    if (transposed_ && positions_ == 1) {
        towards_worker ? transpose(from.data(), out, to.data(), in, in, out)
                       : transpose(from.data(), in, to.data(), out, out, in);
        return;
    }
    for (std::int64_t channel = 0; channel < channels_; ++channel) {
        const std::int64_t canonical_at = channel * out;
        if (transposed_) {
            const std::int64_t worker_at = channel * positions_;
            towards_worker ? transpose(&from[canonical_at], row, &to[worker_at], in, positions_, out)
                           : transpose(&from[worker_at], in, &to[canonical_at], row, out, positions_);
            continue;
        }
        for (std::int64_t position = 0; position < positions_; ++position) {
            const std::int64_t here = position * row + canonical_at;
            const std::int64_t there = (channel * positions_ + position) * out;
            std::copy_n(&from[towards_worker ? here : there], out, &to[towards_worker ? there : here]);
        }
    }
}

}  // namespace lockstep::data
