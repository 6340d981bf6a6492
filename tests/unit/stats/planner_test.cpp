// Block counts against the figures worked out for them, and predicted power against simulation.
#include "harness/stats/planner.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "harness/stats/sign_interval.hpp"
#include "tests/unit/stats/noise_models.hpp"

namespace lockstep::stats {
namespace {

TEST(Planner, asks_for_the_blocks_worked_out_by_hand)
{
    EXPECT_EQ(blocks_for_half_width(0.05, 0.02, 0.95), 38U);
    EXPECT_EQ(blocks_for_power(0.05, 0.05, 0.95, 0.95), 22U);
    EXPECT_EQ(blocks_for_half_width(0.015, 0.02, 0.95), 12U);
    EXPECT_EQ(blocks_for_power(0.015, 0.02, 0.95, 0.95), 12U);
    EXPECT_EQ(blocks_for_half_width(0.10, 0.02, 0.95), 151U);
}

TEST(Planner, foresees_the_width_that_it_planned_for)
{
    const std::size_t blocks = *blocks_for_half_width(0.05, 0.02, 0.95);
    EXPECT_LE(*foreseen_half_width(0.05, blocks, 0.95), 0.02);
    EXPECT_GT(*foreseen_half_width(0.05, blocks - 1, 0.95), 0.02);
    EXPECT_EQ(foreseen_half_width(0.0, 12, 0.95), 0.0);
    EXPECT_FALSE(foreseen_half_width(0.05, 0, 0.95));
    EXPECT_FALSE(foreseen_half_width(std::nan(""), 12, 0.95));
}

TEST(Planner, never_asks_for_less_than_the_pilot)
{
    EXPECT_EQ(blocks_for_half_width(0.0, 0.02, 0.95), kPilotBlocks);
    EXPECT_EQ(blocks_for_power(0.001, 0.5, 0.95, 0.95), kPilotBlocks);
}

TEST(Planner, speeding_up_and_slowing_down_by_one_ratio_cost_the_same)
{
    EXPECT_EQ(blocks_for_power(0.08, 1.0 / 1.05 - 1.0, 0.95, 0.9), blocks_for_power(0.08, 0.05, 0.95, 0.9));
}

TEST(Planner, of_impossible_wishes_is_absent)
{
    const double nan = std::nan("");
    const double infinite = std::numeric_limits<double>::infinity();
    EXPECT_FALSE(blocks_for_half_width(0.05, 0.0, 0.95));
    EXPECT_FALSE(blocks_for_half_width(0.05, infinite, 0.95));
    EXPECT_FALSE(blocks_for_half_width(-0.05, 0.02, 0.95));
    EXPECT_FALSE(blocks_for_half_width(nan, 0.02, 0.95));
    EXPECT_FALSE(blocks_for_half_width(1e6, 1e-6, 0.95));
    EXPECT_FALSE(blocks_for_half_width(0.05, 0.02, 1.0));
    EXPECT_FALSE(blocks_for_power(0.05, 0.0, 0.95, 0.95));
    EXPECT_FALSE(blocks_for_power(0.05, -1.0, 0.95, 0.95));
    EXPECT_FALSE(blocks_for_power(0.05, 0.05, 0.95, 1.0));
    EXPECT_FALSE(sign_test_power(0.0, 0.05, 30, 0.95));
    EXPECT_FALSE(sign_test_power(0.05, 0.0, 30, 0.95));
}

TEST(Planner, a_level_next_to_1_is_planned_for_like_any_other)
{
    EXPECT_TRUE(blocks_for_half_width(0.05, 0.02, std::nextafter(1.0, 0.0)));
}

TEST(SignTestPower, is_what_simulated_experiments_find)
{
    Random random(8);
    constexpr int kExperiments = 4000;
    int found = 0;
    for (int i = 0; i < kExperiments; ++i) {
        std::vector<double> ratios(30);
        for (double& ratio : ratios) {
            ratio = std::log(1.05) + 0.06 * testing::gaussian(random);
        }
        found += sign_interval(ratios, 0.95)->low > 0.0 ? 1 : 0;
    }
    EXPECT_NEAR(*sign_test_power(0.06, 0.05, 30, 0.95), static_cast<double>(found) / kExperiments, 0.02);
}

TEST(SignTestPower, is_none_without_an_interval_and_nearly_sure_with_many_blocks)
{
    EXPECT_EQ(sign_test_power(0.05, 0.05, 5, 0.95), 0.0);
    EXPECT_GT(*sign_test_power(0.05, 0.05, 60, 0.95), 0.999);
}

}  // namespace
}  // namespace lockstep::stats
