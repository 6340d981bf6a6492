// The four classes, on traces whose class is known.
#include "harness/stats/steady_state.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/unit/stats/noise_models.hpp"

namespace lockstep::stats {
namespace {

using Values = std::vector<double>;

// A trace of a class with its own random shape: sizes of jumps 8-40 %, step noise 1-4 %, one step in
// fifty up to twice as long, 100-400 steps.
Values trace(SteadyKind kind, Random& random)
{
    const std::size_t count = 100 + random.below(301);
    const double sigma = 0.01 + 0.03 * random.uniform();
    const double jump = 0.08 + 2.0 * sigma + 0.2 * random.uniform();
    const double at = 0.15 + 0.2 * random.uniform();
    const bool gradual = random.uniform() < 0.5;
    Values durations;
    for (std::size_t i = 0; i < count; ++i) {
        const double x = static_cast<double>(i) / static_cast<double>(count);
        double level = 0.0;
        switch (kind) {
            case SteadyKind::flat:
                break;
            case SteadyKind::warm_up:
                level = gradual ? 3.0 * jump * std::exp(-x * 20.0) : (x < at ? jump : 0.0);
                break;
            case SteadyKind::slowdown:
                level = x < at ? -jump : 0.0;
                break;
            case SteadyKind::none:
                level = gradual ? 3.0 * jump * x : (x > 0.6 + at / 2.0 ? jump : 0.0);
                break;
        }
        const double outlier = random.uniform() < 0.02 ? 0.7 * random.uniform() : 0.0;
        durations.push_back(0.05 * std::exp(level + sigma * testing::gaussian(random) + outlier));
    }
    return durations;
}

TEST(SteadyState, is_right_for_95_of_100_traces_of_four_classes)
{
    Random random(5);
    int right = 0;
    for (const SteadyKind kind :
         {SteadyKind::flat, SteadyKind::warm_up, SteadyKind::slowdown, SteadyKind::none}) {
        int right_here = 0;
        for (int i = 0; i < 100; ++i) {
            right_here += steady_state(trace(kind, random))->kind == kind ? 1 : 0;
        }
        EXPECT_GE(right_here, 90) << static_cast<int>(kind);
        right += right_here;
    }
    EXPECT_GE(right, 380);
}

TEST(SteadyState, a_constant_series_is_flat_from_the_start)
{
    const SteadyState state = *steady_state(Values(100, 0.02));
    EXPECT_EQ(state.kind, SteadyKind::flat);
    EXPECT_EQ(state.settled, 0U);
}

TEST(SteadyState, a_warm_up_ends_one_window_after_the_window_in_which_it_settles)
{
    Values durations(200, 1.0);
    std::fill_n(durations.begin(), 40, 2.0);  // windows of 10: the last level begins with the fifth
    const SteadyState state = *steady_state(durations);
    EXPECT_EQ(state.kind, SteadyKind::warm_up);
    EXPECT_EQ(state.settled, 50U);
}

TEST(SteadyState, a_last_level_above_an_earlier_one_is_a_slowdown)
{
    Values durations(200, 1.0);
    std::fill_n(durations.begin(), 40, 2.0);
    std::fill_n(durations.begin() + 40, 30, 0.8);
    EXPECT_EQ(steady_state(durations)->kind, SteadyKind::slowdown);
}

TEST(SteadyState, a_jump_in_the_second_half_is_no_steady_state)
{
    Values durations(200, 1.0);
    std::fill(durations.begin() + 120, durations.end(), 1.2);
    EXPECT_EQ(steady_state(durations)->kind, SteadyKind::none);
}

TEST(SteadyState, one_burst_does_not_unsettle_a_run)
{
    Values durations(200, 1.0);
    std::fill_n(durations.begin() + 130, 10, 3.0);
    EXPECT_EQ(steady_state(durations)->kind, SteadyKind::flat);
}

TEST(SteadyState, a_change_below_2_percent_is_no_change)
{
    Values durations(200, 1.0);
    std::fill(durations.begin() + 150, durations.end(), 1.015);
    EXPECT_EQ(steady_state(durations)->kind, SteadyKind::flat);
    std::fill(durations.begin() + 150, durations.end(), 1.03);
    EXPECT_EQ(steady_state(durations)->kind, SteadyKind::none);
}

TEST(SteadyState, of_short_or_impossible_series_is_absent)
{
    EXPECT_FALSE(steady_state(Values(19, 1.0)));
    EXPECT_TRUE(steady_state(Values(20, 1.0)));
    Values zero(100, 1.0);
    zero[7] = 0.0;
    EXPECT_FALSE(steady_state(zero));
    zero[7] = std::nan("");
    EXPECT_FALSE(steady_state(zero));
    EXPECT_FALSE(half_shift(Values(3, 1.0)));
}

TEST(HalfShift, is_the_log_ratio_of_the_halves)
{
    Values durations(21, 1.0);
    std::fill(durations.begin() + 11, durations.end(), 1.1);
    const HalfShift halves = *half_shift(durations);
    EXPECT_NEAR(halves.shift, std::log(1.1), 1e-12);
    EXPECT_EQ(halves.error, 0.0);
}

TEST(HalfShift, its_error_matches_the_spread_of_shifts_of_steady_runs)
{
    Random random(6);
    double squares = 0.0;
    double errors = 0.0;
    constexpr int kRuns = 2000;
    for (int i = 0; i < kRuns; ++i) {
        Values durations(40);
        for (double& duration : durations) {
            duration = std::exp(0.05 * testing::gaussian(random));
        }
        const HalfShift halves = *half_shift(durations);
        squares += halves.shift * halves.shift;
        errors += halves.error;
    }
    EXPECT_NEAR(errors / kRuns / std::sqrt(squares / kRuns), 1.0, 0.1);
}

}  // namespace
}  // namespace lockstep::stats
