// Whole experiments on simulated noise, with the stop on width: how often is the verdict wrong, and
// how often is a difference found?
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <span>
#include <vector>

#include "harness/judge/contrast.hpp"
#include "harness/judge/verdict.hpp"
#include "harness/stats/planner.hpp"
#include "harness/stats/spread.hpp"
#include "tests/unit/stats/noise_models.hpp"

namespace lockstep::judge {
namespace {

constexpr double kMargin = 0.03;
constexpr std::size_t kMostBlocks = 60;

// Looks every 4 blocks from the pilot on; stops on the foreseen half-width alone.
Contrast run(testing::Noise noise, double effect, double half_width, Random& random, double scale)
{
    const std::vector<double> all =
        testing::paired(testing::experiment(noise, {0.0, effect}, kMostBlocks, random, scale));
    std::size_t blocks = stats::kPilotBlocks;
    const auto seen = [&] { return std::span(all).first(blocks); };
    while (blocks<kMostBlocks&& * stats::foreseen_half_width(*stats::robust_sigma(seen()), blocks, 0.95)>
               half_width) {
        blocks += 4;
    }
    return *contrast_of(seen(), 0.95);
}

struct Tally {
    double covered = 0.0;
    double excluded = 0.0;  // intervals without 1
    double equivalent = 0.0;
    double blocks = 0.0;
};

// Shares over `count` experiments, and the mean number of blocks. sigma: of one log-ratio.
Tally repeat(int count, testing::Noise noise, double effect, double half_width, std::uint64_t seed,
             double sigma = 0.05)
{
    Random random(seed, static_cast<std::uint64_t>(noise));
    Tally tally;
    for (int i = 0; i < count; ++i) {
        const Contrast contrast = run(noise, effect, half_width, random, sigma / std::numbers::sqrt2);
        tally.covered += contrast.interval->contains(effect) ? 1.0 / count : 0.0;
        tally.excluded += contrast.interval->contains(0.0) ? 0.0 : 1.0 / count;
        tally.equivalent += verdict_of(contrast, kMargin).word == Word::no_difference ? 1.0 / count : 0.0;
        tally.blocks += static_cast<double>(contrast.blocks) / count;
    }
    return tally;
}

TEST(SimulatedExperiment, differs_falsely_in_at_most_5_of_100_with_the_stop_on_width)
{
    double mean = 0.0;
    for (const testing::Noise noise : testing::kAllNoise) {
        const Tally equal = repeat(1000, noise, 0.0, 0.02, 1);
        EXPECT_LE(equal.excluded, 0.07) << testing::name(noise);  // 0.05 and 2.9 standard errors
        mean += equal.excluded / static_cast<double>(testing::kAllNoise.size());
    }
    EXPECT_LE(mean, 0.055);
}

TEST(SimulatedExperiment, its_interval_covers_94_of_100_times_with_the_stop_on_width)
{
    double mean = 0.0;
    for (const testing::Noise noise : testing::kAllNoise) {
        const Tally slower = repeat(1000, noise, 0.05, 0.02, 2);
        EXPECT_GE(slower.covered, 0.93) << testing::name(noise);
        mean += slower.covered / static_cast<double>(testing::kAllNoise.size());
    }
    EXPECT_GE(mean, 0.94);
}

TEST(SimulatedExperiment, finds_a_slowdown_of_5_percent_nearly_always_within_40_blocks)
{
    const Tally found = repeat(1000, testing::Noise::gaussian, std::log(1.05), 0.02, 3);
    EXPECT_GE(found.excluded, 0.95);
    EXPECT_LE(found.blocks, 40.0);
}

TEST(SimulatedExperiment, finds_2_percent_on_a_quiet_machine_within_20_blocks)
{
    const Tally found = repeat(1000, testing::Noise::gaussian, std::log(1.02), 0.01, 4, 0.015);
    EXPECT_GE(found.excluded, 0.95);
    EXPECT_LE(found.blocks, 20.0);
}

// The stop has to be finer than half the margin: at a half-width of 2 % an interval around nothing
// fits into 3 % half of the time only.
TEST(SimulatedExperiment, tells_equal_from_3_percent_apart_when_it_stops_at_well_under_half_the_margin)
{
    const Tally equal = repeat(1000, testing::Noise::gaussian, 0.0, 0.0125, 5, 0.04);
    const Tally apart = repeat(1000, testing::Noise::gaussian, std::log1p(kMargin), 0.0125, 6, 0.04);
    EXPECT_GE(equal.equivalent, 0.80);
    EXPECT_LE(apart.equivalent, 0.025);
}

}  // namespace
}  // namespace lockstep::judge
