// Ranks, exact p-values, and how often the interval really covers.
#include "harness/stats/sign_test.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <utility>
#include <vector>

#include "harness/stats/sign_interval.hpp"
#include "harness/stats/trimmed_mean.hpp"
#include "tests/unit/stats/noise_models.hpp"

namespace lockstep::stats {
namespace {

using Values = std::vector<double>;

TEST(SignInterval, uses_the_published_ranks)
{
    const std::vector<std::pair<std::size_t, std::size_t>> ranks{{6, 1},   {7, 1},   {12, 3},  {20, 6},
                                                                 {30, 10}, {40, 14}, {60, 22}, {100, 40}};
    for (const auto& [count, rank] : ranks) {
        EXPECT_EQ(sign_rank(count, 0.95), rank) << count;
    }
}

TEST(SignInterval, states_the_coverage_that_a_rank_gives)
{
    EXPECT_NEAR(sign_coverage(6, 1), 0.96875, 1e-12);
    EXPECT_NEAR(sign_coverage(12, 3), 0.961, 5e-4);
    EXPECT_NEAR(sign_coverage(20, 6), 0.959, 5e-4);
    EXPECT_NEAR(sign_coverage(30, 10), 0.957, 5e-4);
    EXPECT_NEAR(sign_coverage(40, 14), 0.962, 5e-4);
    EXPECT_NEAR(sign_coverage(60, 22), 0.973, 5e-4);
}

TEST(SignInterval, the_rank_is_the_largest_that_keeps_the_level)
{
    for (std::size_t count = 1; count < 200; ++count) {
        for (const double level : {0.5, 0.9, 0.95, 0.99, 0.9966}) {
            const std::optional<std::size_t> rank = sign_rank(count, level);
            if (!rank) {
                EXPECT_LT(sign_coverage(count, 1), level);
                continue;
            }
            EXPECT_GE(sign_coverage(count, *rank), level);
            EXPECT_LT(sign_coverage(count, *rank + 1), level);
        }
    }
}

TEST(SignInterval, six_is_the_fewest_at_95_percent)
{
    EXPECT_FALSE(sign_interval(Values{1, 2, 3, 4, 5}, 0.95));
    EXPECT_EQ(*sign_interval(Values{6, 2, 3, 1, 5, 4}, 0.95), (Interval{1.0, 6.0}));
    EXPECT_EQ(least_count(0.95), 6U);
    EXPECT_EQ(least_count(0.99), 8U);
    EXPECT_FALSE(least_count(1.0));
}

TEST(SignInterval, of_unusable_input_is_absent)
{
    const double kNaN = std::numeric_limits<double>::quiet_NaN();
    EXPECT_FALSE(sign_interval({}, 0.95));
    EXPECT_FALSE(sign_interval(Values{1, 2, 3, kNaN, 5, 6, 7}, 0.95));
    EXPECT_FALSE(sign_interval(Values(12, 1.0), kNaN));
    EXPECT_FALSE(sign_interval(Values(12, 1.0), 1.0));
}

TEST(SignInterval, covers_the_true_median_under_every_noise_model)
{
    constexpr int kExperiments = 2000;
    for (const testing::Noise noise : testing::kAllNoise) {
        for (const std::size_t blocks : {12, 30}) {
            Random random(7, static_cast<std::uint64_t>(noise) * 100 + blocks);
            int covered = 0;
            for (int i = 0; i < kExperiments; ++i) {
                const Values ratios =
                    testing::paired(testing::experiment(noise, {0.0, 0.05}, blocks, random));
                covered += sign_interval(ratios, 0.95)->contains(0.05) ? 1 : 0;
            }
            // True coverage is at least 95.7 %; 94 % is 3.7 standard errors below it.
            EXPECT_GE(covered, 0.94 * kExperiments) << testing::name(noise) << ", " << blocks << " blocks";
        }
    }
}

TEST(SignInterval, finds_no_false_difference_in_more_than_30_of_400_under_every_noise_model)
{
    for (const testing::Noise noise : testing::kAllNoise) {
        Random random(11, static_cast<std::uint64_t>(noise));
        int wrong = 0;
        for (int i = 0; i < 400; ++i) {
            const Values ratios = testing::paired(testing::experiment(noise, {0.0, 0.0}, 30, random));
            wrong += sign_interval(ratios, 0.95)->contains(0.0) ? 0 : 1;
        }
        EXPECT_LE(wrong, 30) << testing::name(noise);
    }
}

TEST(SignInterval, owes_its_coverage_to_the_random_order)
{
    Random random(13);
    int wrong = 0;
    for (int i = 0; i < 400; ++i) {
        const Values stream = testing::noise_stream(testing::Noise::drift, 60, random);
        Values ratios;
        for (std::size_t block = 0; block < 30; ++block) {
            ratios.push_back(stream[30 + block] - stream[block]);  // all of one arm, then all of the other
        }
        wrong += sign_interval(ratios, 0.95)->contains(0.0) ? 0 : 1;
    }
    EXPECT_GT(wrong, 390);
}

TEST(SignTest, gives_exact_binomial_tails)
{
    EXPECT_DOUBLE_EQ(sign_test(6, 0, 0), 2.0 / 64.0);
    EXPECT_DOUBLE_EQ(sign_test(0, 6, 0), 2.0 / 64.0);
    EXPECT_NEAR(sign_test(10, 2, 0), 2.0 * (1 + 12 + 66) / 4096.0, 1e-12);
    EXPECT_DOUBLE_EQ(sign_test(3, 3, 0), 1.0);
    EXPECT_DOUBLE_EQ(sign_test(0, 0, 0), 1.0);
}

TEST(SignTest, ties_only_weaken_the_evidence)
{
    EXPECT_DOUBLE_EQ(sign_test(10, 0, 2), sign_test(10, 2, 0));
    EXPECT_DOUBLE_EQ(sign_test(4, 1, 9), 1.0);
    EXPECT_DOUBLE_EQ(sign_test(0, 0, 20), 1.0);
    EXPECT_GT(sign_test(10, 1, 1), sign_test(10, 1, 0));
}

TEST(SignTest, agrees_with_the_interval_on_whether_0_is_excluded)
{
    Random random(17);
    int excluded = 0;
    for (int i = 0; i < 2000; ++i) {
        Values values;
        const double shift = static_cast<double>(random.below(3));
        for (std::size_t j = 6 + random.below(30); j > 0; --j) {
            values.push_back(static_cast<double>(random.below(7)) - 3.0 + shift);  // many ties
        }
        const bool excludes = !sign_interval(values, 0.95)->contains(0.0);
        EXPECT_EQ(excludes, sign_test(values) <= 0.05);
        excluded += excludes ? 1 : 0;
    }
    EXPECT_GT(excluded, 200);
    EXPECT_LT(excluded, 1800);
}

}  // namespace
}  // namespace lockstep::stats
