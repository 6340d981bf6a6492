// The shape rules of CONTRACT: stride 1, odd kernels, floor pooling, height-width-channel flattening.
#include "protocol/shapes.hpp"

#include <algorithm>
#include <cctype>
#include <set>

namespace lockstep::protocol {
namespace {

using Sizes = std::vector<std::int64_t>;

// 2^31 values are 8 GiB of float32 for one image, 2^40 parameters 4 TiB for one layer: far beyond any
// machine here, and small enough that sums and products of them stay within int64.
constexpr std::int64_t kMostElements = std::int64_t{1} << 31;
constexpr std::int64_t kMostParameters = std::int64_t{1} << 40;

// Product, or 0 when a size is below 1 or the product above `most`.
std::int64_t bounded_product(const Sizes& sizes, std::int64_t most)
{
    std::int64_t product = 1;
    for (const std::int64_t size : sizes) {
        if (size < 1 || size > most / product) {
            return 0;
        }
        product *= size;
    }
    return product;
}

bool fits_a_file_name(const std::string& name)
{
    return !name.empty() && name.size() <= 100 && name.front() != '.' &&
           std::all_of(name.begin(), name.end(), [](unsigned char c) {
               return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.';
           });
}

std::optional<Sizes> convolution_output(const Layer& layer)
{
    const bool odd = layer.kernel_height > 0 && layer.kernel_width > 0 && layer.kernel_height % 2 == 1 &&
                     layer.kernel_width % 2 == 1;
    if (layer.input.size() != 3 || layer.output.empty() || !odd) {
        return {};
    }
    const std::int64_t lost = layer.padding == Padding::valid ? 1 : 0;
    return Sizes{layer.input[0] - lost * (layer.kernel_height - 1),
                 layer.input[1] - lost * (layer.kernel_width - 1), layer.output.back()};
}

std::string flaw_of(const Layer& layer)
{
    if (bounded_product(layer.output, kMostElements) == 0) {
        return "output has no size, or too large a one";
    }
    if (output_of(layer) != layer.output) {
        return "output does not follow from its input";
    }
    if (layer.kind == LayerKind::convolution &&
        bounded_product({layer.kernel_height, layer.kernel_width, layer.input.back(), layer.output.back()},
                        kMostParameters) == 0) {
        return "kernel is too large";
    }
    if (layer.kind == LayerKind::dense &&
        bounded_product({layer.input.back(), layer.output.back()}, kMostParameters) == 0) {
        return "units are too many";
    }
    if (layer.kind == LayerKind::dropout && !(layer.rate >= 0.0 && layer.rate < 1.0)) {
        return "rate is not within 0 and 1";
    }
    return {};
}

}  // namespace

std::optional<Sizes> output_of(const Layer& layer)
{
    switch (layer.kind) {
        case LayerKind::convolution:
            return convolution_output(layer);
        case LayerKind::max_pool:
            if (layer.input.size() != 3 || layer.window < 1) {
                return {};
            }
            return Sizes{layer.input[0] / layer.window, layer.input[1] / layer.window, layer.input[2]};
        case LayerKind::flatten: {
            const std::int64_t features = bounded_product(layer.input, kMostElements);
            return features == 0 ? std::nullopt : std::optional(Sizes{features});
        }
        case LayerKind::dense:
            return layer.input.size() == 1 ? std::optional(layer.output) : std::nullopt;
        case LayerKind::dropout:
            return layer.input;
    }
    return {};
}

std::optional<Flaw> flaw_in(const Network& network)
{
    if (network.input.size() != 3 || bounded_product(network.input, kMostElements) == 0) {
        return Flaw{"input", "is not a height, a width and channels"};
    }
    if (network.layers.empty()) {
        return Flaw{"layers", "are none"};
    }
    const Sizes* before = &network.input;
    std::set<std::string> names;
    for (std::size_t i = 0; i < network.layers.size(); ++i) {
        const Layer& layer = network.layers[i];
        const std::string where = "layers[" + std::to_string(i) + "]";
        if (!fits_a_file_name(layer.name) || !names.insert(layer.name).second) {
            return Flaw{where + ".name",
                        "\"" + layer.name + "\" is taken, or cannot be part of a file's name"};
        }
        if (layer.input != *before) {
            return Flaw{where + ".input", "is not the output of the layer before"};
        }
        if (const std::string why = flaw_of(layer); !why.empty()) {
            return Flaw{where, "(" + layer.name + "): " + why};
        }
        before = &layer.output;
    }
    const Layer& last = network.layers.back();
    if (last.kind != LayerKind::dense || last.activation != Activation::none) {
        return Flaw{"layers", "do not end with a dense layer without activation"};
    }
    if (network.classes < 1 || last.output != Sizes{network.classes}) {
        return Flaw{"classes", "are not the units of the last layer"};
    }
    return {};
}

}  // namespace lockstep::protocol
