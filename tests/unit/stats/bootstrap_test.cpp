// The bootstrap against a published example, against itself, and against the truth.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "harness/stats/bca.hpp"
#include "harness/stats/block_bootstrap.hpp"
#include "tests/unit/stats/noise_models.hpp"

namespace lockstep::stats {
namespace {

using Values = std::vector<double>;

double variance(const Values& values)
{
    const double count = static_cast<double>(values.size());
    const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
    double squares = 0.0;
    for (const double value : values) {
        squares += (value - mean) * (value - mean);
    }
    return squares / count;
}

// Runs of `steps` values around exp(effects[side]); `times` keeps what the spans point at.
std::vector<PairedRuns> runs_of(std::vector<Values>& times, std::size_t blocks, std::size_t steps,
                                double effect, Random& random)
{
    times.clear();
    times.reserve(2 * blocks);
    std::vector<PairedRuns> pairs;
    for (std::size_t block = 0; block < blocks; ++block) {
        for (const double side : {0.0, effect}) {
            const double run = 0.05 * testing::gaussian(random);
            Values values(steps);
            for (double& value : values) {
                value = std::exp(side + run + 0.1 * testing::gaussian(random));
            }
            times.push_back(values);
        }
        pairs.push_back({times[2 * block], times[2 * block + 1]});
    }
    return pairs;
}

TEST(Bca, reproduces_the_published_interval_of_a_variance)
{
    // Efron & Tibshirani, tables 14.1 and 14.2: 26 children's scores, variance 171.5, 90 % BCa
    // interval (115.8, 259.6), where the plain percentiles give (100.8, 233.9).
    const Values scores{48, 36, 20, 29, 42, 42, 20, 42, 22, 41, 45, 14, 6,
                        0,  33, 28, 34, 4,  32, 24, 47, 41, 24, 26, 30, 41};
    ASSERT_NEAR(variance(scores), 171.5, 0.05);
    Random random(1);
    Values resampled;
    for (int i = 0; i < 20000; ++i) {
        Values draw(scores.size());
        for (double& value : draw) {
            value = scores[random.below(scores.size())];
        }
        resampled.push_back(variance(draw));
    }
    Values left_out;
    for (std::size_t i = 0; i < scores.size(); ++i) {
        Values rest = scores;
        rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
        left_out.push_back(variance(rest));
    }
    const Interval interval = *bca_interval(variance(scores), resampled, left_out, 0.90);
    EXPECT_NEAR(interval.low, 115.8, 3.0);
    EXPECT_NEAR(interval.high, 259.6, 5.0);
}

TEST(Bca, without_bias_or_skew_is_the_percentile_interval)
{
    Values resampled;
    for (int i = 1; i <= 999; ++i) {
        resampled.push_back(i);
    }
    const Interval interval = *bca_interval(500.0, resampled, Values{-1.0, 0.0, 1.0}, 0.90);
    EXPECT_NEAR(interval.low, 50.0, 1e-6);
    EXPECT_NEAR(interval.high, 950.0, 1e-6);
}

TEST(Bca, survives_resamples_that_all_agree_or_all_lie_on_one_side)
{
    EXPECT_EQ(*bca_interval(2.0, Values(50, 2.0), Values(5, 2.0), 0.95), (Interval{2.0, 2.0}));
    const Interval aside = *bca_interval(9.0, Values{1, 2, 3, 4}, Values{8, 9, 10}, 0.95);
    EXPECT_EQ(aside.high, 4.0);
    EXPECT_FALSE(bca_interval(1.0, {}, Values{1.0}, 0.95));
    EXPECT_FALSE(bca_interval(1.0, Values{std::nan("")}, Values{1.0}, 0.95));
}

TEST(BlockBootstrap, the_same_seed_gives_the_same_interval_and_another_seed_nearly_so)
{
    Random random(2);
    std::vector<Values> times;
    const std::vector<PairedRuns> pairs = runs_of(times, 24, 30, 0.05, random);
    const RatioEstimate first = *bootstrap_ratio(pairs, 0.95, 42);
    const RatioEstimate again = *bootstrap_ratio(pairs, 0.95, 42);
    const RatioEstimate other = *bootstrap_ratio(pairs, 0.95, 43);
    EXPECT_EQ(first.interval, again.interval);
    EXPECT_NE(first.interval, other.interval);
    EXPECT_NEAR(first.interval.low, other.interval.low, 0.2 * first.interval.half_width());
    EXPECT_NEAR(first.interval.high, other.interval.high, 0.2 * first.interval.half_width());
    EXPECT_TRUE(first.interval.contains(first.ratio));
}

TEST(BlockBootstrap, is_the_ratio_of_the_means_of_run_means)
{
    const Values a{1, 1, 4};
    const Values b{2};
    const Values c{6, 6};
    const Values d{2, 2};
    const std::vector<PairedRuns> pairs{{a, c}, {b, d}};
    EXPECT_DOUBLE_EQ(bootstrap_ratio(pairs, 0.95, 1)->ratio, 8.0 / 4.0);
}

TEST(BlockBootstrap, covers_the_true_ratio_about_as_often_as_it_says)
{
    Random random(3);
    constexpr int kExperiments = 200;
    int covered = 0;
    for (int i = 0; i < kExperiments; ++i) {
        std::vector<Values> times;
        const std::vector<PairedRuns> pairs = runs_of(times, 30, 5, 0.05, random);
        covered += bootstrap_ratio(pairs, 0.95, 9)->interval.contains(std::exp(0.05)) ? 1 : 0;
    }
    EXPECT_GE(covered, 180);  // 90 %: three standard errors below 95 %
}

TEST(BlockBootstrap, knows_that_steps_of_one_run_are_not_independent)
{
    // Runs differ by 5 %, steps within a run not at all: 12 runs a side say little, however many steps.
    Random random(4);
    std::vector<Values> times;
    times.reserve(24);
    std::vector<PairedRuns> pairs;
    for (std::size_t block = 0; block < 12; ++block) {
        times.emplace_back(200, std::exp(0.05 * testing::gaussian(random)));
        times.emplace_back(200, std::exp(0.05 * testing::gaussian(random)));
        pairs.push_back({times[2 * block], times[2 * block + 1]});
    }
    const double half = bootstrap_ratio(pairs, 0.95, 1)->interval.half_width();
    EXPECT_GT(half, 0.02);  // 1.96 * 0.05 * sqrt(2/12) = 0.04; steps taken for independent: 0.003
}

TEST(BlockBootstrap, of_unusable_runs_is_absent)
{
    const Values good{1, 2};
    const Values negative{3, -1};
    const Values zero{0, 0};
    const Values broken{1, std::nan("")};
    EXPECT_FALSE(bootstrap_ratio(std::vector<PairedRuns>{{good, good}}, 0.95, 1));
    EXPECT_FALSE(bootstrap_ratio({}, 0.95, 1));
    for (const Values& bad : {Values{}, negative, zero, broken}) {
        EXPECT_FALSE(bootstrap_ratio(std::vector<PairedRuns>{{good, good}, {good, bad}}, 0.95, 1));
        EXPECT_FALSE(bootstrap_ratio(std::vector<PairedRuns>{{bad, good}, {good, good}}, 0.95, 1));
    }
}

}  // namespace
}  // namespace lockstep::stats
