// Pairing of blocks and the numbers of one contrast.
#include "harness/judge/contrast.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>
#include <vector>

namespace lockstep::judge {
namespace {

using Values = std::vector<double>;
using Medians = std::vector<std::optional<double>>;

TEST(LogRatios, pair_the_blocks_in_which_both_arms_have_a_time)
{
    const Medians baseline{1.0, std::nullopt, 2.0, 1.0, 0.0, 5.0};
    const Medians arm{2.0, 1.0, 1.0, std::nullopt, 1.0, std::nan("")};
    const Values ratios = log_ratios(baseline, arm);
    ASSERT_EQ(ratios.size(), 2U);
    EXPECT_DOUBLE_EQ(ratios[0], std::log(2.0));
    EXPECT_DOUBLE_EQ(ratios[1], -std::log(2.0));
}

TEST(LogRatios, blocks_past_the_shorter_list_are_void)
{
    EXPECT_EQ(log_ratios(Medians{1.0, 1.0}, Medians{1.0}).size(), 1U);
    EXPECT_TRUE(log_ratios({}, Medians{1.0}).empty());
}

TEST(Contrast, carries_three_centres_and_an_interval_of_the_median)
{
    const Contrast contrast = *contrast_of(Values{0.01, 0.02, 0.03, 0.04, 0.05, 0.06}, 0.95);
    EXPECT_EQ(contrast.blocks, 6U);
    EXPECT_DOUBLE_EQ(contrast.estimate, 0.035);
    EXPECT_DOUBLE_EQ(contrast.hodges_lehmann, 0.035);
    EXPECT_DOUBLE_EQ(contrast.trimmed_mean, 0.035);
    EXPECT_EQ(*contrast.interval, (stats::Interval{0.01, 0.06}));
    EXPECT_DOUBLE_EQ(*contrast.half_width(), 0.025);
    EXPECT_DOUBLE_EQ(contrast.p, 2.0 / 64.0);
    EXPECT_NEAR(contrast.sigma, 1.4826 * 0.015, 1e-5);
    EXPECT_FALSE(contrast.shape);
    EXPECT_DOUBLE_EQ(contrast.ratio(), std::exp(0.035));
    EXPECT_DOUBLE_EQ(contrast.ratio_interval()->high, std::exp(0.06));
}

TEST(Contrast, swapping_the_arms_only_changes_signs)
{
    const Values forth{0.01, -0.02, 0.03, 0.04, 0.05, 0.06, 0.00};
    Values back;
    for (const double value : forth) {
        back.push_back(-value);
    }
    const Contrast one = *contrast_of(forth, 0.95);
    const Contrast other = *contrast_of(back, 0.95);
    EXPECT_EQ(one.estimate, -other.estimate);
    EXPECT_EQ(one.interval->low, -other.interval->high);
    EXPECT_EQ(one.p, other.p);
}

TEST(Contrast, too_few_blocks_leave_the_interval_absent_and_the_estimate_there)
{
    const Contrast contrast = *contrast_of(Values{0.1, 0.2, 0.3, 0.4, 9.0}, 0.95);
    EXPECT_DOUBLE_EQ(contrast.estimate, 0.3);
    EXPECT_FALSE(contrast.interval);
    EXPECT_FALSE(contrast.half_width());
    EXPECT_FALSE(contrast.ratio_interval());
    EXPECT_FALSE(contrast.shape);
}

TEST(Contrast, centres_that_disagree_by_more_than_the_half_width_are_flagged)
{
    // Two thirds of the blocks sit at 0 and pin the median; a second mode pulls the mean away.
    Values ratios(40, 0.0);
    for (std::size_t i = 0; i < 40; ++i) {
        ratios[i] = (i < 28 ? 0.0 : 0.3) + 0.0001 * static_cast<double>(i % 7);
    }
    EXPECT_TRUE(contrast_of(ratios, 0.95)->shape);
}

TEST(Contrast, of_nothing_or_of_numbers_that_are_none_is_absent)
{
    EXPECT_FALSE(contrast_of({}, 0.95));
    EXPECT_FALSE(contrast_of(Values{1.0, std::nan("")}, 0.95));
    EXPECT_FALSE(contrast_of(Values{1.0}, 1.0));
}

}  // namespace
}  // namespace lockstep::judge
