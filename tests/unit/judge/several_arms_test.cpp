// Families of claims, and who may be called fastest.
#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <vector>

#include "harness/judge/family.hpp"
#include "harness/judge/leaders.hpp"
#include "harness/stats/sign_interval.hpp"
#include "harness/stats/simultaneous.hpp"
#include "tests/unit/stats/noise_models.hpp"

namespace lockstep::judge {
namespace {

using Values = std::vector<double>;
using Arm = std::vector<std::optional<double>>;

Values around(double middle, std::size_t count)
{
    Values values;
    for (std::size_t i = 0; i < count; ++i) {
        values.push_back(middle + 0.001 * (static_cast<double>(i) - static_cast<double>(count - 1) / 2.0));
    }
    return values;
}

Arm arm_of(const Values& times)
{
    return Arm(times.begin(), times.end());
}

std::vector<Arm> arms_of(const std::vector<Values>& times)
{
    std::vector<Arm> arms;
    for (const Values& arm : times) {
        arms.push_back(arm_of(arm));
    }
    return arms;
}

TEST(Family, adjusts_p_and_widens_the_intervals)
{
    const std::vector<Values> ratios{around(0.1, 12), around(0.0, 12), {}};
    const auto family = compare(ratios, 0.95);
    ASSERT_EQ(family.size(), 3U);
    EXPECT_DOUBLE_EQ(family[0]->contrast.p, 2.0 / 4096.0);
    EXPECT_DOUBLE_EQ(family[0]->adjusted_p, 6.0 / 4096.0);
    EXPECT_DOUBLE_EQ(family[1]->adjusted_p, 1.0);
    EXPECT_EQ(family[0]->contrast.interval, stats::sign_interval(ratios[0], 0.95));
    EXPECT_EQ(family[0]->simultaneous, stats::sign_interval(ratios[0], 1.0 - 0.05 / 3.0));
    EXPECT_GT(family[0]->simultaneous->half_width(), *family[0]->contrast.half_width());
    EXPECT_FALSE(family[2]);
}

TEST(Leaders, an_arm_clearly_ahead_of_all_is_fastest)
{
    Random random(1);
    const auto found =
        leaders(arms_of(testing::experiment(testing::Noise::bursts, {0.3, 0.0, 0.2}, 40, random)), 0.95);
    EXPECT_EQ(found->best, 1U);
    EXPECT_EQ(found->not_separated, (std::vector<std::size_t>{1}));
    EXPECT_TRUE(found->fastest);
}

TEST(Leaders, arms_not_separated_from_the_best_stand_together)
{
    Random random(2);
    const auto found =
        leaders(arms_of(testing::experiment(testing::Noise::gaussian, {0.3, 0.0, 0.001}, 40, random)), 0.95);
    EXPECT_EQ(found->not_separated, (std::vector<std::size_t>{1, 2}));
    EXPECT_FALSE(found->fastest);
}

TEST(Leaders, an_arm_without_a_shared_block_is_left_out)
{
    const Arm fast(12, 1.0);
    const Arm slow(12, 2.0);
    const Arm dead(12, std::nullopt);
    const auto found = leaders(std::vector<Arm>{dead, slow, fast}, 0.95);
    EXPECT_EQ(found->best, 2U);
    EXPECT_EQ(found->not_separated, (std::vector<std::size_t>{2}));
    EXPECT_FALSE(leaders(std::vector<Arm>{dead, dead}, 0.95));
    EXPECT_FALSE(leaders({}, 0.95));
}

TEST(Leaders, too_few_blocks_separate_nobody)
{
    const auto found = leaders(std::vector<Arm>{Arm(5, 1.0), Arm(5, 9.0)}, 0.95);
    EXPECT_EQ(found->best, 0U);
    EXPECT_EQ(found->not_separated.size(), 2U);
    EXPECT_FALSE(found->fastest);
    EXPECT_EQ(found->blocks_needed, 6U);
    // Six are enough for one pair, and not for each of three: 2 / 2^6 > 0.05 / 3.
    const std::vector<Arm> three{Arm(6, 1.0), Arm(6, 9.0), Arm(6, 8.0)};
    EXPECT_FALSE(leaders(std::span(three).first(2), 0.95)->blocks_needed);
    EXPECT_EQ(leaders(three, 0.95)->blocks_needed, 7U);
}

TEST(Leaders, more_arms_ask_for_more_evidence)
{
    // Ten blocks of twelve speak for arm 0: enough for one pair at 95 %, not for each of fifteen.
    Arm second(12, 1.1);
    second[3] = second[8] = 0.9;
    std::vector<Arm> arms{Arm(12, 1.0), second};
    EXPECT_TRUE(leaders(arms, 0.95)->fastest);
    arms.insert(arms.end(), 4, Arm(12, 3.0));
    EXPECT_EQ(leaders(arms, 0.95)->not_separated, (std::vector<std::size_t>{0, 1}));
}

TEST(Leaders, a_lone_arm_beats_nobody)
{
    const auto found = leaders(std::vector<Arm>{Arm(12, 1.0)}, 0.95);
    EXPECT_EQ(found->best, 0U);
    EXPECT_FALSE(found->fastest);
}

// Six arms, the two best equal: calling either fastest is wrong.
TEST(Leaders, a_false_fastest_is_called_in_at_most_5_of_100_experiments)
{
    constexpr int kExperiments = 300;
    for (const testing::Noise noise : testing::kAllNoise) {
        Random random(3, static_cast<std::uint64_t>(noise));
        int wrong = 0;
        for (int i = 0; i < kExperiments; ++i) {
            const auto times = testing::experiment(noise, {0.0, 0.0, 0.03, 0.05, 0.1, 0.3}, 30, random);
            wrong += leaders(arms_of(times), 0.95)->fastest ? 1 : 0;
        }
        EXPECT_LE(wrong, 0.05 * kExperiments) << testing::name(noise);
    }
}

TEST(Leaders, all_intervals_between_six_arms_hold_together_in_94_of_100_experiments)
{
    const std::vector<double> effects{0.0, 0.0, 0.03, 0.05, 0.1, 0.3};
    constexpr int kExperiments = 300;
    for (const testing::Noise noise : testing::kAllNoise) {
        Random random(4, static_cast<std::uint64_t>(noise));
        int together = 0;
        for (int i = 0; i < kExperiments; ++i) {
            const auto times = testing::experiment(noise, effects, 30, random);
            bool all = true;
            for (std::size_t a = 0; a < effects.size(); ++a) {
                for (std::size_t b = a + 1; b < effects.size(); ++b) {
                    const auto interval = stats::sign_interval(log_ratios(arm_of(times[a]), arm_of(times[b])),
                                                               stats::simultaneous_level(0.95, 15));
                    all = all && interval->contains(effects[b] - effects[a]);
                }
            }
            together += all ? 1 : 0;
        }
        EXPECT_GE(together, 0.94 * kExperiments) << testing::name(noise);
    }
}

}  // namespace
}  // namespace lockstep::judge
