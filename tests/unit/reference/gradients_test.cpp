// The gradients of the reference against finite differences of its own loss, and small cases by hand.
#include <gtest/gtest.h>

#include <cmath>

#include "harness/reference/observe.hpp"
#include "harness/reference/pass.hpp"
#include "tests/unit/reference/networks.hpp"

namespace lockstep::reference {
namespace {

using namespace testing_networks;

double loss_at(const Question& question, const Variant& variant, const Weights& weights)
{
    const Setting setting{question.network, variant, 1};
    Pass pass = forward(setting, weights, images_of(question, 0));
    backward(setting, weights, labels_of(question, 0), pass);
    return pass.loss;
}

// Central differences with a step of 1e-6 err by about 1e-10 (rounding over step) where no unit turns.
void expect_gradients_of_the_loss(const Question& question, const Variant& variant)
{
    const Setting setting{question.network, variant, 1};
    Weights weights = weights_of(question);
    Pass pass = forward(setting, weights, images_of(question, 0));
    backward(setting, weights, labels_of(question, 0), pass);
    Random random(7);
    for (auto& [name, values] : weights) {
        for (int repeat = 0; repeat < 12; ++repeat) {
            const std::size_t i = random.below(values.size());
            const double kept = values[i];
            constexpr double kStep = 1e-6;
            values[i] = kept + kStep;
            const double above = loss_at(question, variant, weights);
            values[i] = kept - kStep;
            const double below = loss_at(question, variant, weights);
            values[i] = kept;
            EXPECT_NEAR(pass.gradients.at(name)[i], (above - below) / (2.0 * kStep), 1e-8)
                << name << " " << i;
        }
    }
}

protocol::Network every_kind(protocol::Padding padding)
{
    return network_of({11, 9, 3}, {convolution(5, padding), pool(), convolution(4, padding), pool(),
                                   flatten(), dense(7, true), dropout(0.5), dense(5, false)});
}

TEST(Gradients, are_those_of_the_loss_with_same_padding)
{
    expect_gradients_of_the_loss(question_of(every_kind(protocol::Padding::same), 3, 0, 1), {});
}

TEST(Gradients, are_those_of_the_loss_with_valid_padding)
{
    const protocol::Network network = network_of(
        {13, 12, 1}, {convolution(5, protocol::Padding::valid), pool(),
                      convolution(4, protocol::Padding::valid), pool(), flatten(), dense(4, false)});
    expect_gradients_of_the_loss(question_of(network, 2, 0, 2), {});
}

TEST(Gradients, are_those_of_the_loss_with_convolutions_that_are_not_pooled)
{
    const protocol::Network network =
        network_of({6, 7, 2}, {convolution(3), convolution(9), flatten(), dense(3, false)});
    expect_gradients_of_the_loss(question_of(network, 5, 0, 3), {});
}

TEST(Gradients, are_those_of_the_loss_in_variants_that_only_misread)
{
    Variant variant;
    variant.padding_side = 'b';
    variant.pool_ceil = true;
    variant.flipped_kernel = true;
    variant.kernel_oihw = true;
    variant.flatten_chw = true;
    variant.dense_transposed = true;
    variant.channels_reversed = true;
    variant.label_shift = 1;
    expect_gradients_of_the_loss(question_of(every_kind(protocol::Padding::same), 3, 0, 4), variant);
}

TEST(Gradients, are_those_of_the_loss_in_every_form_of_the_loss_but_per_example)
{
    for (const LossForm form : {LossForm::sum, LossForm::softmax_twice, LossForm::per_class}) {
        Variant variant;
        variant.loss = form;
        expect_gradients_of_the_loss(question_of(every_kind(protocol::Padding::same), 3, 0, 5), variant);
    }
}

TEST(Gradients, are_those_of_the_loss_with_dropout_on)
{
    Variant variant;
    variant.dropout_seed = 11;
    expect_gradients_of_the_loss(question_of(every_kind(protocol::Padding::same), 3, 0, 6), variant);
}

// One pixel, one filter: only the kernel's middle meets the image.
TEST(SmallCase, of_one_pixel_is_what_a_hand_computes)
{
    Question question;
    question.network = network_of({1, 1, 1}, {convolution(1), flatten(), dense(2, false)});
    question.batch = 1;
    question.steps = 0;
    question.weights = {{"conv1.kernel", {9, 9, 9, 9, 2, 9, 9, 9, 9}},
                        {"conv1.bias", {0.5F}},
                        {"dense1.kernel", {1, -1}},
                        {"dense1.bias", {0, 0.25F}}};
    question.images = {0.5F};
    question.labels = {1};
    const auto seen = observe(question);
    // conv 2*0.5 + 0.5 = 1.5; logits 1.5 and -1.25; p1 = 1 / (1 + e^2.75).
    EXPECT_DOUBLE_EQ(seen.logits[0], 1.5);
    EXPECT_DOUBLE_EQ(seen.logits[1], -1.25);
    const double p1 = 1.0 / (1.0 + std::exp(2.75));
    EXPECT_NEAR(seen.loss, -std::log(p1), 1e-14);
    EXPECT_NEAR(seen.gradients.at("dense1.bias")[0], 1.0 - p1, 1e-15);
    EXPECT_NEAR(seen.gradients.at("dense1.kernel")[1], 1.5 * (p1 - 1.0), 1e-15);
    EXPECT_NEAR(seen.gradients.at("conv1.bias")[0], 2.0 * (1.0 - p1), 1e-15);
    EXPECT_NEAR(seen.gradients.at("conv1.kernel")[4], (1.0 - p1), 1e-15);
    EXPECT_EQ(seen.gradients.at("conv1.kernel")[0], 0.0);
}

TEST(SmallCase, convolution_does_not_turn_the_kernel_and_pads_with_zeros)
{
    Question question;
    question.network = network_of({2, 2, 1}, {convolution(1), flatten(), dense(2, false)});
    question.batch = 1;
    question.steps = 0;
    question.weights = {{"conv1.kernel", {0, 0, 0, 0, 0, 1, 0, 0, 0}},  // takes the pixel to the right
                        {"conv1.bias", {0}},
                        {"dense1.kernel", {1, 0, 10, 0, 100, 0, 1000, 0}},
                        {"dense1.bias", {0, 0}}};
    question.images = {0.1F, 0.2F, 0.3F, 0.4F};
    question.labels = {0};
    EXPECT_NEAR(observe(question).logits[0], 0.2 + 100 * 0.4, 1e-3);
    Variant turned;
    turned.flipped_kernel = true;  // takes the pixel to the left
    EXPECT_NEAR(observe(question, turned).logits[0], 10 * 0.1 + 1000 * 0.3, 1e-3);
    Variant before;
    before.padding_side = 'b';  // its middle is one pixel up and left: the pixel straight above
    EXPECT_NEAR(observe(question, before).logits[0], 100 * 0.1 + 1000 * 0.2, 1e-3);
}

TEST(SmallCase, pooling_drops_the_last_row_and_column_and_its_ceil_variant_the_first)
{
    Question question;
    question.network = network_of({3, 3, 1}, {pool(), flatten(), dense(2, false)});
    question.batch = 1;
    question.steps = 0;
    question.weights = {{"dense1.kernel", {1, 0}}, {"dense1.bias", {0, 0}}};
    question.images = {0.1F, 0.5F, 0.2F, 0.3F, 0.4F, 0.2F, 0.2F, 0.2F, 0.9F};
    question.labels = {0};
    EXPECT_FLOAT_EQ(static_cast<float>(observe(question).logits[0]), 0.5F);
    Variant ceil;
    ceil.pool_ceil = true;
    EXPECT_FLOAT_EQ(static_cast<float>(observe(question, ceil).logits[0]), 0.9F);
}

TEST(Reference, is_the_same_to_the_last_bit_with_any_number_of_threads)
{
    Question question = question_of(cnn2(13, 3, 7), 5, 3, 8);
    question.prediction_images = question.images;
    const auto one = observe(question, {}, 1);
    for (const int threads : {2, 3}) {
        const auto many = observe(question, {}, threads);
        EXPECT_EQ(one.logits, many.logits);
        EXPECT_EQ(one.gradients, many.gradients);
        EXPECT_EQ(one.losses, many.losses);
        EXPECT_EQ(one.parameters, many.parameters);
        EXPECT_EQ(one.predictions, many.predictions);
    }
}

TEST(Reference, gives_a_finite_loss_for_logits_of_thousands)
{
    Question question = question_of(cnn2(9, 1, 3), 2, 0, 9);
    Variant bright;
    bright.pixel_factor = 1e6;
    EXPECT_TRUE(std::isfinite(observe(question, bright).loss));
}

}  // namespace
}  // namespace lockstep::reference
