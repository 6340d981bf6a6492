// The shape rules: same and valid padding, floor pooling, parameter counts of CONTRACT.
#include "protocol/shapes.hpp"

#include <gtest/gtest.h>

#include <utility>

namespace lockstep::protocol {
namespace {

using Sizes = std::vector<std::int64_t>;

Layer layer_of(LayerKind kind, Sizes input, Sizes output)
{
    Layer layer;
    layer.kind = kind;
    layer.input = std::move(input);
    layer.output = std::move(output);
    return layer;
}

// The two networks of CONTRACT section 1, shapes filled in by output_of.
Network contract_network(bool three, std::int64_t side, Padding padding)
{
    Network network;
    network.input = {side, side, 1};
    network.classes = 10;
    Sizes now = network.input;
    const auto add = [&](Layer layer) {
        layer.name = "layer" + std::to_string(network.layers.size());
        layer.input = now;
        layer.output = *output_of(layer);
        now = layer.output;
        network.layers.push_back(layer);
    };
    const std::vector<std::int64_t> filters = three ? Sizes{64, 128, 256} : Sizes{32, 64};
    for (const std::int64_t count : filters) {
        Layer convolution = layer_of(LayerKind::convolution, {}, {count});
        convolution.kernel_height = convolution.kernel_width = 3;
        convolution.padding = padding;
        add(convolution);
        Layer pool = layer_of(LayerKind::max_pool, {}, {});
        pool.window = 2;
        add(pool);
    }
    add(layer_of(LayerKind::flatten, {}, {}));
    for (const std::int64_t units : three ? Sizes{512, 256, 10} : Sizes{128, 10}) {
        add(layer_of(LayerKind::dense, {}, {units}));
    }
    return network;
}

TEST(shapes, the_parameter_counts_are_those_of_the_contract)
{
    const auto count = [](bool three, std::int64_t side, Padding padding) {
        const Network network = contract_network(three, side, padding);
        EXPECT_FALSE(flaw_in(network));
        return parameter_count(network);
    };
    EXPECT_EQ(count(false, 224, Padding::same), 25'710'346);
    EXPECT_EQ(count(false, 28, Padding::same), 421'642);
    EXPECT_EQ(count(false, 28, Padding::valid), 225'034);
    EXPECT_EQ(count(true, 224, Padding::same), 103'264'522);
    EXPECT_EQ(count(true, 28, Padding::same), 1'683'722);
    EXPECT_EQ(count(true, 28, Padding::valid), 635'146);
}

TEST(shapes, a_kernel_larger_than_its_image_leaves_nothing_and_is_a_flaw)
{
    Network network = contract_network(false, 28, Padding::valid);
    network.layers[0].kernel_height = network.layers[0].kernel_width = 29;
    network.layers[0].output = *output_of(network.layers[0]);
    EXPECT_EQ(network.layers[0].output, (Sizes{0, 0, 32}));
    EXPECT_EQ(flaw_in(network)->where, "layers[0]");
}

TEST(shapes, a_dense_layer_takes_no_image)
{
    EXPECT_FALSE(output_of(layer_of(LayerKind::dense, {7, 7, 3}, {10})));
}

TEST(shapes, a_pool_without_a_window_is_refused_rather_than_divided_by)
{
    EXPECT_FALSE(output_of(layer_of(LayerKind::max_pool, {7, 7, 3}, {})));
}

}  // namespace
}  // namespace lockstep::protocol
