// Pilot runs combined, and runs checked afterwards.
#include "harness/judge/steadiness.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/unit/stats/noise_models.hpp"

namespace lockstep::judge {
namespace {

using stats::SteadyKind;
using Values = std::vector<double>;

Values slow_start(std::size_t slow)
{
    Values steps(200, 1.0);
    std::fill_n(steps.begin(), slow, 2.0);
    return steps;
}

Values noisy(std::size_t count, double sigma, double late, Random& random)
{
    Values steps;
    for (std::size_t i = 0; i < count; ++i) {
        steps.push_back(std::exp((2 * i >= count ? late : 0.0) + sigma * testing::gaussian(random)));
    }
    return steps;
}

TEST(PilotSteadiness, the_longest_warm_up_counts)
{
    const PilotSteadiness arm =
        *pilot_steadiness(std::vector<Values>{slow_start(20), slow_start(50), slow_start(0)});
    EXPECT_EQ(arm.kind, SteadyKind::warm_up);
    EXPECT_EQ(arm.warm_up_steps, 60U);
}

TEST(PilotSteadiness, the_worst_class_counts)
{
    Values late(200, 1.0);
    std::fill(late.begin() + 150, late.end(), 1.5);
    EXPECT_EQ(pilot_steadiness(std::vector<Values>{slow_start(0), late, slow_start(20)})->kind,
              SteadyKind::none);
    EXPECT_EQ(pilot_steadiness(std::vector<Values>{slow_start(0)})->kind, SteadyKind::flat);
}

TEST(PilotSteadiness, of_no_run_or_a_short_one_is_absent)
{
    EXPECT_FALSE(pilot_steadiness({}));
    EXPECT_FALSE(pilot_steadiness(std::vector<Values>{slow_start(0), Values(5, 1.0)}));
}

TEST(HeldSteady, a_quiet_run_may_move_by_2_percent_and_no_more)
{
    Values steps(40, 1.0);
    std::fill(steps.begin() + 20, steps.end(), 1.019);
    EXPECT_TRUE(*held_steady(steps));
    std::fill(steps.begin() + 20, steps.end(), 1.03);
    EXPECT_FALSE(*held_steady(steps));
    EXPECT_FALSE(held_steady(Values(19, 1.0)));
}

TEST(HeldSteady, noise_alone_rarely_fails_a_run_and_a_real_shift_does)
{
    Random random(1);
    int failed = 0;
    int missed = 0;
    for (int i = 0; i < 500; ++i) {
        failed += *held_steady(noisy(20, 0.05, 0.0, random)) ? 0 : 1;
        missed += *held_steady(noisy(100, 0.02, 0.04, random)) ? 1 : 0;
    }
    EXPECT_LE(failed, 25);
    EXPECT_LE(missed, 25);
}

TEST(SteadyArm, a_fifth_of_the_runs_may_fail)
{
    EXPECT_TRUE(steady_arm(2, 10));
    EXPECT_FALSE(steady_arm(3, 10));
    EXPECT_TRUE(steady_arm(0, 0));
}

TEST(SteadyKindName, is_the_word_of_the_report)
{
    EXPECT_EQ(name(SteadyKind::none), "no steady state");
    EXPECT_EQ(name(SteadyKind::warm_up), "warm-up");
}

}  // namespace
}  // namespace lockstep::judge
