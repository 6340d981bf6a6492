// Initial weights and the permutations between layouts, by hand-checked small cases and round trips.
#include "harness/data/initial_weights.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace lockstep::data {
namespace {

using protocol::Layer;
using protocol::LayerKind;
using protocol::Layouts;
using protocol::Network;

// conv 3x3 (1 -> 2), flatten 2x2x2 (after an imagined pool), dropout, dense 8 -> 3, dense 3 -> 2.
Network small_network()
{
    Network network;
    network.input = {4, 4, 1};
    network.classes = 2;
    Layer convolution{
        .kind = LayerKind::convolution, .name = "conv1", .input = {4, 4, 1}, .output = {4, 4, 2}};
    convolution.kernel_height = convolution.kernel_width = 3;
    const Layer pool{.kind = LayerKind::max_pool, .name = "pool1", .input = {4, 4, 2}, .output = {2, 2, 2}};
    const Layer flatten{.kind = LayerKind::flatten, .name = "flatten1", .input = {2, 2, 2}, .output = {8}};
    const Layer dropout{.kind = LayerKind::dropout, .name = "dropout1", .input = {8}, .output = {8}};
    const Layer dense1{.kind = LayerKind::dense, .name = "dense1", .input = {8}, .output = {3}};
    const Layer dense2{.kind = LayerKind::dense, .name = "dense2", .input = {3}, .output = {2}};
    network.layers = {convolution, pool, flatten, dropout, dense1, dense2};
    return network;
}

enum Index : std::size_t { kConvolutionKernel, kConvolutionBias, kDense1Kernel, kDense1Bias, kDense2Kernel };

std::vector<float> counting(std::size_t count)
{
    std::vector<float> values(count);
    std::iota(values.begin(), values.end(), 0.0f);
    return values;
}

std::vector<float> moved(std::size_t index, const Layouts& layouts)
{
    const Network network = small_network();
    const ParameterLayout layout(network, index, layouts);
    const std::vector<float> from = counting(static_cast<std::size_t>(elements_of(layout.canonical_shape())));
    std::vector<float> to(from.size());
    layout.to_worker(from, to);
    return to;
}

TEST(InitialWeights, kernels_fill_the_glorot_interval_evenly_and_biases_are_zero)
{
    Network network = small_network();
    network.layers[0].input = {4, 4, 64};
    network.layers[0].output = {4, 4, 128};
    const std::vector<float> kernel = initial_values(network, kConvolutionKernel, 42);
    ASSERT_EQ(kernel.size(), 9u * 64u * 128u);
    const float limit = std::sqrt(6.0f / (9.0f * 64.0f + 9.0f * 128.0f));
    const auto [least, most] = std::minmax_element(kernel.begin(), kernel.end());
    EXPECT_GE(*least, -limit);
    EXPECT_LE(*most, limit);
    EXPECT_LT(*least, -0.999f * limit);
    EXPECT_GT(*most, 0.999f * limit);
    const double count = static_cast<double>(kernel.size());
    const double mean = std::accumulate(kernel.begin(), kernel.end(), 0.0) / count;
    // The mean of n uniform values has standard deviation limit / sqrt(3 n).
    EXPECT_LT(std::abs(mean), 5.0 * static_cast<double>(limit) / std::sqrt(3.0 * count));
    EXPECT_EQ(initial_values(network, kConvolutionBias, 42), std::vector<float>(128, 0.0f));
}

TEST(InitialWeights, each_parameter_depends_on_the_seed_and_its_own_place_alone)
{
    const Network network = small_network();
    EXPECT_EQ(initial_values(network, kDense1Kernel, 1), initial_values(network, kDense1Kernel, 1));
    EXPECT_NE(initial_values(network, kDense1Kernel, 1), initial_values(network, kDense1Kernel, 2));
    Network wider = network;
    wider.layers[0].output = {4, 4, 7};
    EXPECT_EQ(initial_values(network, kDense1Kernel, 1), initial_values(wider, kDense1Kernel, 1));
}

TEST(ParameterLayout, the_canonical_layouts_change_nothing)
{
    const Network network = small_network();
    for (const std::size_t index :
         {kConvolutionKernel, kConvolutionBias, kDense1Kernel, kDense1Bias, kDense2Kernel}) {
        EXPECT_TRUE(ParameterLayout(network, index, Layouts{}).same());
        EXPECT_TRUE(std::ranges::is_sorted(moved(index, Layouts{})));
    }
}

TEST(ParameterLayout, a_convolution_in_oihw_has_its_output_channel_first)
{
    Layouts layouts;
    layouts.convolution = "OIHW";
    const ParameterLayout layout(small_network(), kConvolutionKernel, layouts);
    EXPECT_EQ(layout.worker_shape(), (Shape{2, 1, 3, 3}));
    // Canonical value at (h, w, 0, o) is 2 * (3 h + w) + o.
    EXPECT_EQ(moved(kConvolutionKernel, layouts),
              (std::vector<float>{0, 2, 4, 6, 8, 10, 12, 14, 16, 1, 3, 5, 7, 9, 11, 13, 15, 17}));
}

TEST(ParameterLayout, a_flipped_convolution_is_turned_by_180_degrees)
{
    Layouts layouts;
    layouts.flipped = true;
    EXPECT_EQ(moved(kConvolutionKernel, layouts),
              (std::vector<float>{16, 17, 14, 15, 12, 13, 10, 11, 8, 9, 6, 7, 4, 5, 2, 3, 0, 1}));
    layouts.convolution = "OIHW";
    EXPECT_EQ(moved(kConvolutionKernel, layouts),
              (std::vector<float>{16, 14, 12, 10, 8, 6, 4, 2, 0, 17, 15, 13, 11, 9, 7, 5, 3, 1}));
}

TEST(ParameterLayout, a_dense_kernel_in_out_in_is_transposed)
{
    Layouts layouts;
    layouts.dense = "out_in";
    EXPECT_EQ(moved(kDense2Kernel, layouts), (std::vector<float>{0, 2, 4, 1, 3, 5}));
}

TEST(ParameterLayout, only_the_dense_layer_after_the_flatten_follows_the_flatten_order)
{
    Layouts layouts;
    layouts.flatten = "CHW";
    // Features in CHW order are canonical rows 0 2 4 6 1 3 5 7, each of three values.
    EXPECT_EQ(moved(kDense1Kernel, layouts),
              (std::vector<float>{0, 1, 2, 6, 7,  8,  12, 13, 14, 18, 19, 20,
                                  3, 4, 5, 9, 10, 11, 15, 16, 17, 21, 22, 23}));
    EXPECT_TRUE(ParameterLayout(small_network(), kDense2Kernel, layouts).same());
}

TEST(ParameterLayout, flatten_order_and_transposition_combine)
{
    Layouts layouts;
    layouts.flatten = "CHW";
    layouts.dense = "out_in";
    EXPECT_EQ(moved(kDense1Kernel, layouts),
              (std::vector<float>{0, 6,  12, 18, 3, 9, 15, 21, 1, 7,  13, 19,
                                  4, 10, 16, 22, 2, 8, 14, 20, 5, 11, 17, 23}));
}

TEST(ParameterLayout, every_layout_comes_back_unchanged_at_sizes_off_the_tile)
{
    Network network = small_network();
    network.layers[2].input = {5, 7, 33};
    network.layers[4].input = network.layers[2].output = network.layers[3].output = {5 * 7 * 33};
    network.layers[4].output = network.layers[5].input = {45};
    network.layers[0].input = {4, 4, 5};
    for (const std::size_t index :
         {kConvolutionKernel, kConvolutionBias, kDense1Kernel, kDense1Bias, kDense2Kernel}) {
        for (int bits = 0; bits < 16; ++bits) {
            const Layouts layouts{(bits & 1) != 0 ? "OIHW" : "HWIO", (bits & 2) != 0,
                                  (bits & 4) != 0 ? "out_in" : "in_out", (bits & 8) != 0 ? "CHW" : "HWC"};
            const ParameterLayout layout(network, index, layouts);
            const std::vector<float> before = initial_values(network, index, 5);
            std::vector<float> there(before.size());
            std::vector<float> back(before.size());
            layout.to_worker(before, there);
            layout.from_worker(there, back);
            EXPECT_EQ(before, back) << index << " with " << bits;
            EXPECT_EQ(elements_of(layout.worker_shape()), static_cast<std::int64_t>(before.size()));
            EXPECT_EQ(layout.same(), before == there || index == kConvolutionBias)
                << index << " with " << bits;
        }
    }
}

}  // namespace
}  // namespace lockstep::data
