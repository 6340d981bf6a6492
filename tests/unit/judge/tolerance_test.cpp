// Tolerances cover float32 and little more; doubtful units are found and told from harmless ties.
#include "harness/judge/tolerance.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "harness/judge/agreement.hpp"
#include "harness/judge/exam.hpp"
#include "tests/unit/judge/agreement_worker.hpp"
#include "tests/unit/reference/networks.hpp"

namespace lockstep::judge {
namespace {

using namespace testing_networks;
using reference::Pass;
using reference::Setting;
using reference::Weights;

const reference::Variant kPlain;

// How much of its limit a tensor of a float32 worker uses.
double used(const std::string& quantity, const Agreement& agreement)
{
    for (const Departure& departure : agreement.table) {
        if (departure.quantity == quantity) {
            return departure.excess;
        }
    }
    return -1.0;
}

TEST(Tolerance, of_a_long_sum_is_kept_and_not_vacuous_in_the_worst_order_of_summation)
{
    for (const std::int64_t side : {8, 40, 120}) {
        const protocol::Network network = network_of({side, side, 1}, {flatten(), dense(6, false)});
        const reference::Question question = question_of(network, 4, 0, 3);
        const Agreement agreement =
            compare(Float32Worker(question).answer(), question, answer(question, {}, 1));
        EXPECT_LT(used("logits", agreement), 1.0) << side;
        EXPECT_GT(used("logits", agreement), 0.01) << side;
    }
}

TEST(Tolerance, grows_with_the_root_of_the_length_of_sums)
{
    const auto limit = [](std::int64_t side) {
        const reference::Question question =
            question_of(network_of({side, side, 1}, {flatten(), dense(6, false)}), 4, 0, 3);
        const Answer right = answer(question, {}, 1);
        double squares = 0.0;
        for (const double logit : right.exact.logits) {
            squares += logit * logit;
        }
        return right.tolerances.logits.rms /
               std::sqrt(squares / static_cast<double>(right.exact.logits.size()));
    };
    const double growth = limit(80) / limit(10);
    EXPECT_GT(growth, 4.0);
    EXPECT_LT(growth, 16.0);
}

TEST(Tolerance, of_parameters_is_a_small_part_of_what_the_steps_move)
{
    Random random(5);
    const protocol::Network network =
        network_of({11, 11, 1}, {convolution(6), pool(), flatten(), dense(12, true), dense(5, false)});
    std::vector<std::uint8_t> images;
    std::vector<std::int32_t> labels;
    for (int i = 0; i < 100; ++i) {
        const auto image = picture(network.input, random);
        images.insert(images.end(), image.begin(), image.end());
        labels.push_back(i % 5);
    }
    ExamSettings settings;
    settings.batch = 8;
    const Exam exam = set_exam(network, exam_optimizer({}, network), random_weights(network, 0.0, random),
                               {images, labels}, settings);
    EXPECT_EQ(exam.answer.tolerances.doubtful, 0);
    for (const auto& [name, limit] : exam.answer.tolerances.parameters) {
        double squares = 0.0;
        const std::vector<float>& start = exam.question.weights.at(name);
        for (std::size_t i = 0; i < start.size(); ++i) {
            const double moved = exam.answer.exact.parameters.at(name)[i] - static_cast<double>(start[i]);
            squares += moved * moved;
        }
        EXPECT_LT(limit.rms, 0.01 * std::sqrt(squares / static_cast<double>(start.size()))) << name;
    }
}

// A convolution that hands its input on, then a pool.
struct OnePool {
    explicit OnePool(std::vector<float> pixels)
        : network(network_of({2, 2, 1}, {convolution(1), pool(), flatten(), dense(2, false)})),
          setting{network, kPlain, 1},
          weights{{"conv1.kernel", {0, 0, 0, 0, 1, 0, 0, 0, 0}},
                  {"conv1.bias", {0}},
                  {"dense1.kernel", {1, -1}},
                  {"dense1.bias", {0, 0}}},
          pass(reference::forward(setting, weights, pixels))
    {
    }
    std::size_t doubts(double reach) const { return doubtful_units(setting, pass, 0, reach).size(); }

    protocol::Network network;
    Setting setting;
    Weights weights;
    Pass pass;
};

TEST(Doubt, is_a_rival_within_reach)
{
    EXPECT_EQ(OnePool({0.5F, 0.49F, 0.1F, 0.1F}).doubts(0.02), 1U);
    EXPECT_EQ(OnePool({0.5F, 0.4F, 0.1F, 0.1F}).doubts(0.02), 0U);
}

TEST(Doubt, is_not_a_tie_of_equals)
{
    EXPECT_EQ(OnePool({0.5F, 0.5F, 0.5F, 0.5F}).doubts(0.02), 0U);
}

TEST(Doubt, is_the_largest_near_0_but_not_a_small_one_beside_a_large_one)
{
    EXPECT_EQ(OnePool({0.01F, 0.0F, 0.0F, 0.0F}).doubts(0.02), 1U);
    EXPECT_EQ(OnePool({0.01F, 0.5F, 0.0F, 0.0F}).doubts(0.02), 0U);
}

TEST(Doubt, once_turned_sends_the_gradient_the_other_way)
{
    OnePool one({0.5F, 0.499F, 0.1F, 0.1F});
    turn(doubtful_units(one.setting, one.pass, 0, 0.02), one.pass);
    const std::vector<std::int32_t> labels{0};
    reference::backward(one.setting, one.weights, labels, one.pass);
    EXPECT_EQ(one.pass.above[0][0], 0.0);
    EXPECT_NE(one.pass.above[0][1], 0.0);
}

TEST(Exam, gives_biases_that_are_not_0_and_the_same_to_every_thread_count)
{
    Random random(6);
    const protocol::Network network = random_network(random);
    std::vector<std::uint8_t> images;
    std::vector<std::int32_t> labels;
    for (int i = 0; i < 5; ++i) {  // fewer than are asked for: they come again
        const auto image = picture(network.input, random);
        images.insert(images.end(), image.begin(), image.end());
        labels.push_back(0);
    }
    const auto weights = random_weights(network, 0.0, random);
    ExamSettings settings;
    settings.batch = 4;
    settings.threads = 1;
    const Exam one = set_exam(network, exam_optimizer({}, network), weights, {images, labels}, settings);
    settings.threads = 2;
    const Exam two = set_exam(network, exam_optimizer({}, network), weights, {images, labels}, settings);
    EXPECT_EQ(one.images, two.images);
    EXPECT_EQ(one.answer.exact.parameters, two.answer.exact.parameters);
    EXPECT_EQ(one.answer.tolerances.logits.rms, two.answer.tolerances.logits.rms);
    EXPECT_EQ(one.question.labels.size(), 20U);
    for (const auto& [name, values] : one.question.weights) {
        for (const float value : values) {
            EXPECT_TRUE(name.find("bias") == std::string::npos || std::abs(value) >= 0.02F) << name;
        }
    }
}

// Windows of a layer's 2x2 max-pool in which the largest value is above 0 and occurs more than once.
std::size_t ties(const Pass& pass, const protocol::Layer& layer, std::size_t l)
{
    const std::int64_t width = layer.input[1], channels = layer.input[2];
    const reference::Values& values = pass.input[l];
    std::size_t found = 0;
    for (std::int64_t image = 0; image < pass.batch; ++image) {
        for (std::int64_t i = 0; i < layer.output[0] * layer.output[1] * channels; ++i) {
            const std::int64_t row = 2 * (i / channels / layer.output[1]), c = i % channels;
            const std::int64_t column = 2 * (i / channels % layer.output[1]);
            std::vector<double> window;
            for (std::int64_t k = 0; k < 4; ++k) {
                const std::int64_t pixel = (row + k / 2) * width + column + k % 2;
                const std::int64_t at = (image * layer.input[0] * width + pixel) * channels + c;
                window.push_back(values[static_cast<std::size_t>(at)]);
            }
            std::sort(window.begin(), window.end());
            found += window[3] > 0.0 && window[3] - window[2] <= 1e-12 * window[3] ? 1 : 0;
        }
    }
    return found;
}

TEST(Exam, asks_no_max_pool_which_of_equal_values_passes_the_gradient_on)
{
    Random random(8);
    const protocol::Network network =
        network_of({12, 12, 1}, {convolution(6), pool(), convolution(5), pool(), flatten(), dense(3, false)});
    std::vector<std::uint8_t> images;
    const std::vector<std::int32_t> labels{0, 1, 2};
    for (const int level : {0, 100, 255}) {
        images.insert(images.end(), 144, static_cast<std::uint8_t>(level));
    }
    ExamSettings settings;
    settings.batch = 8;
    const Exam exam = set_exam(network, exam_optimizer({}, network), random_weights(network, 0.0, random),
                               {images, labels}, settings);
    const Weights weights = reference::weights_of(exam.question);
    const Pass asked =
        reference::forward({network, kPlain, 1}, weights, reference::images_of(exam.question, 0));
    EXPECT_EQ(ties(asked, network.layers[1], 1), 0U);
    EXPECT_EQ(ties(asked, network.layers[3], 3), 0U);
    const Pass flat = reference::forward({network, kPlain, 1}, weights, exam.question.prediction_images);
    EXPECT_GT(ties(flat, network.layers[1], 1), 100U);
    EXPECT_GT(ties(flat, network.layers[3], 3), 0U);
}

TEST(Exam, gives_its_images_as_the_bytes_that_the_question_holds)
{
    Random random(9);
    const protocol::Network network = random_network(random);
    const std::vector<std::uint8_t> images = picture(network.input, random);
    const std::vector<std::int32_t> labels{0};
    ExamSettings settings;
    settings.batch = 2;
    const Exam exam = set_exam(network, exam_optimizer({}, network), random_weights(network, 0.0, random),
                               {images, labels}, settings);
    ASSERT_EQ(exam.images.size(), exam.question.images.size());
    for (std::size_t i = 0; i < exam.images.size(); ++i) {
        EXPECT_EQ(static_cast<float>(exam.images[i]) / 255.0F, exam.question.images[i]);
    }
    EXPECT_EQ(exam.question.prediction_images.front(), static_cast<float>(images.front()) / 255.0F);
}

TEST(Exam, adds_the_doubt_where_no_image_is_without)
{
    // The pixels differ by one part in 10^7, the reach of rounding.
    reference::Question question =
        question_of(network_of({2, 2, 1}, {convolution(1), pool(), flatten(), dense(2, false)}), 1, 0, 7);
    question.weights.at("conv1.kernel") = {0, 0, 0, 0, 1, 0, 0, 0, 0};
    question.weights.at("conv1.bias") = {0.1F};
    question.images = {0.5F, 0.50000006F, 0.1F, 0.1F};
    const Answer doubtful = answer(question, {}, 1);
    question.images = {0.5F, 0.7F, 0.1F, 0.1F};
    const Answer clear = answer(question, {}, 1);
    EXPECT_EQ(clear.tolerances.doubtful, 0);
    EXPECT_EQ(doubtful.tolerances.doubtful, 1);
    EXPECT_GT(doubtful.tolerances.gradients.at("conv1.kernel").rms,
              100.0 * clear.tolerances.gradients.at("conv1.kernel").rms);
}

}  // namespace
}  // namespace lockstep::judge
