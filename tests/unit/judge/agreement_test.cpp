// Correct workers are never refused, and what departs is named by its first layer.
#include "harness/judge/agreement.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <limits>

#include "tests/unit/judge/agreement_worker.hpp"
#include "tests/unit/reference/networks.hpp"

namespace lockstep::judge {
namespace {

using namespace testing_networks;

constexpr std::uint64_t kSeed = 20260315;

struct Pictures {
    std::vector<std::uint8_t> images;
    std::vector<std::int32_t> labels;
};

Pictures pictures(const protocol::Network& network, int count, Random& random)
{
    Pictures result;
    for (int i = 0; i < count; ++i) {
        const std::vector<std::uint8_t> image = picture(network.input, random);
        result.images.insert(result.images.end(), image.begin(), image.end());
        result.labels.push_back(
            static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(network.classes))));
    }
    return result;
}

Exam random_exam(int number, const protocol::Optimizer& optimizer, bool for_exams)
{
    Random random(kSeed, static_cast<std::uint64_t>(number));
    const protocol::Network network = random_network(random);
    const Pictures from = pictures(network, 150, random);
    ExamSettings settings;
    settings.batch = 1 + static_cast<std::int64_t>(random.below(16));
    settings.threads = 1;
    return set_exam(network, for_exams ? exam_optimizer(optimizer, network) : optimizer,
                    random_weights(network, 0.0, random), {from.images, from.labels}, settings);
}

void expect_no_refusal(int networks, const protocol::Optimizer& optimizer, bool for_exams)
{
    std::printf("seed %llu\n", static_cast<unsigned long long>(kSeed));
    for (int number = 0; number < networks; ++number) {
        const Exam exam = random_exam(number, optimizer, for_exams);
        const Agreement agreement =
            compare(Float32Worker(exam.question).answer(), exam.question, exam.answer);
        EXPECT_TRUE(agreement.agrees) << "network " << number << ": " << sentence(agreement);
    }
}

TEST(CorrectWorkers, are_never_refused_over_200_random_networks)
{
    expect_no_refusal(200, {}, true);
}

TEST(CorrectWorkers, are_never_refused_with_momentum)
{
    protocol::Optimizer optimizer;
    optimizer.kind = "sgd";
    expect_no_refusal(60, optimizer, true);
}

TEST(CorrectWorkers, are_never_refused_with_the_campaigns_own_learning_rate)
{
    expect_no_refusal(60, {}, false);
}

class OneExam : public ::testing::Test {
protected:
    OneExam()
    {
        Random random(kSeed);
        const protocol::Network network = network_of(
            {9, 9, 1},
            {convolution(4), pool(), convolution(5), pool(), flatten(), dense(8, true), dense(4, false)});
        const Pictures from = pictures(network, 60, random);
        ExamSettings settings;
        settings.batch = 4;
        exam_ = set_exam(network, exam_optimizer({}, network), random_weights(network, 0.0, random),
                         {from.images, from.labels}, settings);
        seen_ = Float32Worker(exam_.question).answer();
    }
    Agreement verdict() const { return compare(seen_, exam_.question, exam_.answer); }

    Exam exam_;
    record::Observation seen_;
};

TEST_F(OneExam, names_the_first_layer_in_forward_order)
{
    seen_.gradients.at("dense1.kernel")[3] += 0.01F;
    seen_.gradients.at("conv2.kernel")[7] += 0.01F;
    seen_.logits[0] += 0.01F;
    seen_.loss += 0.01;
    const Agreement agreement = verdict();
    ASSERT_FALSE(agreement.agrees);
    EXPECT_EQ(agreement.first()->layer, "conv2");
    EXPECT_EQ(agreement.first()->quantity, "gradient of conv2.kernel");
    EXPECT_NEAR(agreement.first()->absolute, 0.01, 1e-4);
    EXPECT_NE(sentence(agreement).find("Layer conv2 departs first"), std::string::npos);
}

TEST_F(OneExam, looks_at_the_steps_only_after_the_pass)
{
    seen_.parameters.at("conv1.bias")[0] += 1e-3F;
    EXPECT_EQ(verdict().first()->quantity, "conv1.bias after 5 steps");
    seen_.loss += 1.0;
    EXPECT_EQ(verdict().first()->quantity, "loss");
}

TEST_F(OneExam, sees_one_wrong_element_among_many)
{
    std::vector<float>& kernel = seen_.parameters.at("dense1.kernel");
    kernel[kernel.size() / 2] += 2e-5F;
    EXPECT_EQ(verdict().first()->layer, "dense1");
}

TEST_F(OneExam, refuses_what_is_missing_or_has_another_size_or_is_not_finite)
{
    record::Observation whole = seen_;
    seen_.gradients.erase("conv1.kernel");
    EXPECT_EQ(verdict().first()->note, "is missing");
    seen_ = whole;
    seen_.logits.pop_back();
    EXPECT_EQ(verdict().first()->note, "has 15 values where 16 belong");
    seen_ = whole;
    seen_.parameters.at("dense2.bias")[0] = std::numeric_limits<float>::quiet_NaN();
    EXPECT_EQ(verdict().first()->note, "has values that are not finite");
    seen_ = whole;
    seen_.losses.pop_back();
    EXPECT_EQ(verdict().first()->quantity, "loss of step 5");
    seen_ = {};
    EXPECT_FALSE(verdict().agrees);
}

TEST_F(OneExam, counts_only_predictions_that_rounding_cannot_change)
{
    seen_.predictions[0] = (seen_.predictions[0] + 1) % 4;
    exam_.answer.tolerances.decided[0] = true;
    EXPECT_EQ(verdict().first()->quantity, "predictions");
    exam_.answer.tolerances.decided[0] = false;
    EXPECT_TRUE(verdict().agrees);
}

TEST_F(OneExam, says_how_far_from_float64_a_correct_worker_is)
{
    const Agreement agreement = verdict();
    EXPECT_GT(agreement.furthest_units(), 0.0);
    EXPECT_LT(agreement.furthest_units(), 100.0);
    EXPECT_EQ(agreement.first(), nullptr);
}

}  // namespace
}  // namespace lockstep::judge
