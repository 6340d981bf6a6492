// The engine against the float64 oracle on small networks: logits, loss, every gradient, and the parameters
// after five steps, with every way to make a convolution and on every Highway target of this processor.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "hwy/targets.h"
#include "workers/onednn/engine.hpp"
#include "workers/onednn/tests/naive.hpp"

namespace lockstep::onednn {
namespace {

using naive::Builder;
using naive::Values;
using protocol::Activation;
using protocol::Padding;

// A float32 sum of n terms is off by about sqrt(n) * 6e-8 of its size; the longest chains here (a few
// thousand terms through five layers, and Winograd's constants, which cost it a factor of five) stay well
// within this share of the largest value of a tensor, and a wrong tap, tile or mask is off by a hundred times
// more.
constexpr double kTolerance = 3e-5;

struct Case {
    const char* name;
    protocol::Network network;
    std::int64_t batch;
};

std::vector<Case> cases()
{
    const auto valid = Padding::valid;
    return {
        {"cnn2_like_28",
         Builder(28, 28, 1, 10).convolution(32).pool().convolution(64).pool().flatten().dense(24).logits(),
         3},
        {"odd_size_three_channels",
         Builder(15, 13, 3, 7).convolution(16).pool().convolution(20).pool().flatten().dense(9).logits(), 5},
        {"valid_padding",
         Builder(17, 17, 1, 5)
             .convolution(24, 3, valid)
             .pool()
             .convolution(40, 3, valid)
             .pool()
             .flatten()
             .dense(33)
             .logits(),
         4},
        {"batch_of_one",
         Builder(12, 14, 1, 10).convolution(16).pool().convolution(32).pool().flatten().dense(8).logits(), 1},
        {"no_pool_between",
         Builder(10, 9, 2, 4).convolution(18).convolution(17).convolution(33).pool().flatten().logits(), 3},
        {"three_convolutions",
         Builder(20, 20, 1, 6)
             .convolution(16)
             .pool()
             .convolution(32)
             .pool()
             .convolution(48)
             .pool()
             .flatten()
             .dense(20)
             .dense(12)
             .logits(),
         3},
        {"large_kernels",
         Builder(13, 13, 3, 3)
             .convolution(16, 5)
             .pool(3)
             .convolution(20, 5)
             .convolution(16, 1)
             .flatten()
             .logits(),
         2},
        {"pool_of_three",
         Builder(14, 14, 1, 3).convolution(16).pool(3).convolution(16).pool(3).flatten().logits(), 2},
        {"no_convolution", Builder(6, 5, 3, 12).flatten().dense(31).logits(), 4},
        {"only_logits", Builder(5, 5, 1, 2).flatten().logits(), 3},
        {"many_input_channels",
         Builder(8, 8, 19, 21)
             .convolution(16)
             .pool()
             .convolution(16, 3, Padding::same, Activation::none)
             .pool()
             .flatten()
             .logits(),
         3},
        {"pool_first", Builder(12, 12, 3, 4).pool().convolution(16).flatten().logits(), 2},
        {"first_layer_without_relu",
         Builder(9, 9, 1, 4)
             .convolution(16, 3, Padding::same, Activation::none)
             .pool()
             .convolution(16, 3, valid, Activation::none)
             .flatten()
             .dense(8, Activation::none)
             .logits(),
         2},
        {"wide_first_kernel", Builder(11, 11, 1, 4).convolution(16, 7).pool().flatten().logits(), 3},
    };
}

struct Data {
    std::vector<float> images;
    std::vector<std::int32_t> labels;
    std::vector<std::vector<float>> parameters;
};

Data make_data(const protocol::Network& network, std::int64_t batch)
{
    std::mt19937 random(7);
    Data data;
    const std::int64_t pixels = network.input[0] * network.input[1] * network.input[2];
    for (std::int64_t i = 0; i < batch * pixels; ++i) {
        data.images.push_back(static_cast<float>(random() % 256) / 255.0f);
    }
    for (std::int64_t i = 0; i < batch; ++i) {
        data.labels.push_back(static_cast<std::int32_t>(random() % static_cast<unsigned>(network.classes)));
    }
    for (const protocol::Parameter& parameter : protocol::parameters_of(network)) {
        std::int64_t size = 1, fan = 1;
        for (const std::int64_t side : parameter.shape) {
            size *= side;
        }
        fan = size / parameter.shape.back();
        std::normal_distribution<float> draw(
            0.0f, parameter.shape.size() > 1 ? static_cast<float>(std::sqrt(2.0 / static_cast<double>(fan)))
                                             : 0.1f);
        std::vector<float> values(static_cast<std::size_t>(size));
        std::generate(values.begin(), values.end(), [&] { return draw(random); });
        data.parameters.push_back(values);
    }
    return data;
}

Values doubles(const std::vector<float>& values)
{
    return {values.begin(), values.end()};
}

void expect_close(const std::vector<float>& got, const Values& wanted, const std::string& what)
{
    ASSERT_EQ(got.size(), wanted.size()) << what;
    double largest = 0.0, worst = 0.0;
    for (std::size_t i = 0; i < got.size(); ++i) {
        ASSERT_TRUE(std::isfinite(got[i])) << what << " " << i;
        largest = std::max(largest, std::abs(wanted[i]));
        worst = std::max(worst, std::abs(static_cast<double>(got[i]) - wanted[i]));
    }
    EXPECT_LE(worst, kTolerance * largest + 1e-12) << what << ": largest value " << largest;
}

void load(Engine& engine, const Data& data)
{
    for (std::size_t i = 0; i < data.parameters.size(); ++i) {
        engine.set_parameter(i, data.parameters[i]);
    }
    engine.reset_optimizer();
}

protocol::Job job_of(const Case& each, int threads)
{
    protocol::Job job;
    job.network = each.network;
    job.batch = each.batch;
    job.threads = threads;
    job.dropout = false;
    // A larger epsilon than usual: with 1e-7 the sign of a gradient that is all rounding moves a parameter by
    // the whole rate, and no comparison of sums can tell right from wrong there.
    job.optimizer.epsilon = 1e-2;
    return job;
}

void check(const Case& each, const std::string& optimizer, int threads, Preference preference)
{
    SCOPED_TRACE(std::string(each.name) + " " + optimizer + " threads " + std::to_string(threads) + " way " +
                 std::to_string(static_cast<int>(preference)) + " " + kernels::target());
    const Data data = make_data(each.network, each.batch);
    protocol::Job job = job_of(each, threads);
    job.optimizer.kind = optimizer;
    Engine engine(job, preference);
    load(engine, data);
    std::vector<Values> parameters;
    for (const std::vector<float>& values : data.parameters) {
        parameters.push_back(doubles(values));
    }
    const Values images = doubles(data.images);

    std::vector<float> logits(static_cast<std::size_t>(each.batch * each.network.classes));
    const double loss = engine.gradients(data.images, data.labels, logits);
    naive::Result wanted = naive::run(each.network, parameters, images, data.labels);
    expect_close(logits, wanted.logits, "logits");
    EXPECT_NEAR(loss, wanted.loss, 1e-5 * std::abs(wanted.loss));
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        expect_close(engine.gradient_values(i), wanted.gradients[i],
                     "gradient of " + engine.parameter(i).name);
    }

    naive::Update update(job.optimizer);
    for (int step = 0; step < 5; ++step) {
        const float got = engine.step(data.images, data.labels);
        wanted = naive::run(each.network, parameters, images, data.labels);
        EXPECT_NEAR(got, wanted.loss, 1e-5 * std::abs(wanted.loss) + 1e-7) << "step " << step;
        update.apply(parameters, wanted.gradients);
    }
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        expect_close(engine.parameter_values(i), parameters[i], engine.parameter(i).name + " after 5 steps");
    }

    std::vector<float> some(static_cast<std::size_t>(each.network.classes));
    const std::int64_t pixels = static_cast<std::int64_t>(data.images.size()) / each.batch;
    engine.predict(std::span(data.images).first(static_cast<std::size_t>(pixels)), 1, some);
    Values one(images.begin(), images.begin() + pixels);
    expect_close(some, naive::run(each.network, parameters, one, {data.labels[0]}).logits,
                 "prediction of one image");
}

class EngineOnEachTarget : public testing::TestWithParam<std::int64_t> {
protected:
    void SetUp() override { hwy::SetSupportedTargetsForTest(GetParam()); }
    void TearDown() override { hwy::SetSupportedTargetsForTest(0); }
};

TEST_P(EngineOnEachTarget, AgreesWithTheOracleOnSmallNetworks)
{
    for (const Case& each : cases()) {
        check(each, "adam", 2, Preference::automatic);
    }
}

INSTANTIATE_TEST_SUITE_P(Targets, EngineOnEachTarget, testing::ValuesIn(kernels::targets()),
                         [](const auto& each) { return std::string(hwy::TargetName(each.param)); });

TEST(Engine, AgreesWithTheOracleWhenConvolutionsAreMadeByTheLibrary)
{
    for (const Case& each : cases()) {
        check(each, "adam", 2, Preference::library);
    }
}

TEST(Engine, AgreesWithTheOracleWhenOnlyItsDirectLoopsAreUsed)
{
    for (const Case& each : cases()) {
        check(each, "sgd", 1, Preference::direct);
    }
}

TEST(Engine, AgreesWithTheOracleUnderMomentumAndMoreThreadsThanImages)
{
    check(cases()[0], "sgd", 4, Preference::automatic);
    check(cases()[3], "adam", 3, Preference::automatic);
}

TEST(Engine, PlansNoReferenceKernelForAnyPreference)
{
    for (const Preference preference : {Preference::automatic, Preference::winograd, Preference::library}) {
        for (const Case& each : cases()) {
            Engine engine(job_of(each, 1), preference);
            for (const auto& [where, what] : engine.facts()) {
                EXPECT_EQ(what.find("ref"), std::string::npos) << each.name << " " << where << ": " << what;
            }
        }
    }
}

TEST(Engine, SendsAPoolingWindowsGradientToTheFirstOfEqualMaximaAndNoneThroughAClosedReLU)
{
    // Equal pixels make every window of the first layer a tie; a kernel of one centre tap copies them.
    Case each{"ties", Builder(4, 4, 1, 2).convolution(1).pool().flatten().logits(), 1};
    Data data = make_data(each.network, 1);
    std::fill(data.images.begin(), data.images.end(), 0.5f);
    std::fill(data.parameters[0].begin(), data.parameters[0].end(), 0.0f);
    data.parameters[0][4] = 1.0f;
    data.parameters[0][0] = 0.25f;  // the tap up and left reads outside for the first row and column
    data.parameters[1] = {0.0f};
    Engine engine(job_of(each, 1));
    for (const float bias : {0.0f, -0.5f, -0.625f}) {
        data.parameters[1] = {bias};
        load(engine, data);
        std::vector<float> logits(2);
        engine.gradients(data.images, data.labels, logits);
        std::vector<Values> parameters;
        for (const std::vector<float>& values : data.parameters) {
            parameters.push_back(doubles(values));
        }
        const naive::Result wanted = naive::run(each.network, parameters, doubles(data.images), data.labels);
        for (std::size_t i = 0; i < parameters.size(); ++i) {
            expect_close(engine.gradient_values(i), wanted.gradients[i], engine.parameter(i).name);
        }
    }
}

TEST(Engine, DropsTheAskedShareAndScalesTheRestWithTheSameDrawsForAnyThreads)
{
    const Case each{"dropout", Builder(40, 50, 1, 3).flatten().dropout(0.3).logits(), 1};
    const Data data = make_data(each.network, 1);
    std::vector<std::vector<float>> seen;
    for (const int threads : {1, 2}) {
        protocol::Job job = job_of(each, threads);
        job.dropout = true;
        job.seed = 5;
        Engine engine(job);
        load(engine, data);
        engine.step(data.images, data.labels);
        const std::vector<float> kernel = engine.gradient_values(0), bias = engine.gradient_values(1);
        int dropped = 0, lit = 0;
        for (std::size_t i = 0; i < data.images.size(); ++i) {
            if (data.images[i] == 0.0f) {
                continue;
            }
            ++lit;
            if (kernel[3 * i] == 0.0f) {
                ++dropped;
            } else {
                EXPECT_NEAR(kernel[3 * i], bias[0] * data.images[i] / 0.7f, 1e-6);
            }
        }
        // Four standard deviations of a share of 0.3 in about 2,000 draws.
        EXPECT_NEAR(static_cast<double>(dropped) / lit, 0.3, 0.041);
        seen.push_back(kernel);
        std::vector<float> before(3), after(3);
        engine.predict(data.images, 1, before);
        engine.predict(data.images, 1, after);
        EXPECT_EQ(before, after);
    }
    for (std::size_t i = 0; i < seen[0].size(); ++i) {
        EXPECT_EQ(seen[0][i] == 0.0f, seen[1][i] == 0.0f) << i;
    }
}

TEST(Engine, TrainsThroughDropoutAfterConvolutionsAndDenseLayers)
{
    Case each{"dropout_everywhere",
              Builder(12, 12, 1, 3)
                  .convolution(16)
                  .pool()
                  .dropout(0.2)
                  .convolution(16)
                  .dropout(0.2)
                  .flatten()
                  .dense(32)
                  .dropout(0.5)
                  .logits(),
              8};
    protocol::Job job = job_of(each, 2);
    job.dropout = true;
    job.optimizer.learning_rate = 5e-3;
    Engine engine(job);
    const Data data = make_data(each.network, each.batch);
    load(engine, data);
    const float first = engine.step(data.images, data.labels);
    float last = first;
    for (int i = 0; i < 200; ++i) {
        last = engine.step(data.images, data.labels);
    }
    EXPECT_LT(last, 0.5f * first);
}

TEST(Engine, RefusesALabelOutsideTheClasses)
{
    const Case each{"labels", Builder(4, 4, 1, 3).flatten().logits(), 1};
    Engine engine(job_of(each, 1));
    const Data data = make_data(each.network, 1);
    EXPECT_THROW(engine.step(data.images, std::vector<std::int32_t>{3}), std::invalid_argument);
    EXPECT_THROW(engine.step(data.images, std::vector<std::int32_t>{-1}), std::invalid_argument);
}

}  // namespace
}  // namespace lockstep::onednn
