// Adjustments for asking several questions of one experiment, and the interval of a counted rate.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "harness/stats/clopper_pearson.hpp"
#include "harness/stats/holm.hpp"
#include "harness/stats/sign_interval.hpp"
#include "harness/stats/simultaneous.hpp"

namespace lockstep::stats {
namespace {

using Values = std::vector<double>;

void expect_near(const Values& found, const Values& wanted)
{
    ASSERT_EQ(found.size(), wanted.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
        EXPECT_NEAR(found[i], wanted[i], 1e-12) << i;
    }
}

TEST(Holm, gives_the_values_worked_out_by_hand)
{
    expect_near(holm(Values{0.01, 0.04, 0.03, 0.005}), {0.03, 0.06, 0.06, 0.02});
    expect_near(holm(Values{0.02, 0.02, 0.02}), {0.06, 0.06, 0.06});
    expect_near(holm(Values{0.9, 0.6}), {1.0, 1.0});
    expect_near(holm(Values{0.2}), {0.2});
    expect_near(holm({}), {});
}

TEST(Holm, takes_a_missing_p_for_no_evidence)
{
    expect_near(holm(Values{std::nan(""), 0.01}), {1.0, 0.02});
}

TEST(Simultaneous, shares_the_error_among_the_intervals)
{
    EXPECT_DOUBLE_EQ(simultaneous_level(0.95, 5), 0.99);
    EXPECT_DOUBLE_EQ(simultaneous_level(0.95, 1), 0.95);
    EXPECT_DOUBLE_EQ(simultaneous_level(0.95, 0), 0.95);
}

TEST(Simultaneous, intervals_are_wider_than_single_ones_and_absent_where_data_is_short)
{
    const std::vector<Values> lists{{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, {1, 2, 3, 4, 5, 6}};
    const auto intervals = simultaneous_intervals(lists, 0.95);
    ASSERT_EQ(intervals.size(), 2U);
    EXPECT_EQ(*sign_interval(lists[0], 0.95), (Interval{3.0, 10.0}));
    EXPECT_EQ(*intervals[0], (Interval{2.0, 11.0}));  // rank 3 covers 96.1 %, short of 97.5 %
    EXPECT_FALSE(intervals[1]);
}

TEST(ClopperPearson, gives_the_textbook_bounds)
{
    const Interval half = *clopper_pearson(5, 10, 0.95);
    EXPECT_NEAR(half.low, 0.187086, 1e-6);
    EXPECT_NEAR(half.high, 0.812914, 1e-6);
    const Interval none = *clopper_pearson(0, 20, 0.95);
    EXPECT_EQ(none.low, 0.0);
    EXPECT_NEAR(none.high, 1.0 - std::pow(0.025, 1.0 / 20.0), 1e-12);
    const Interval all = *clopper_pearson(20, 20, 0.95);
    EXPECT_NEAR(all.low, std::pow(0.025, 1.0 / 20.0), 1e-12);
    EXPECT_EQ(all.high, 1.0);
}

TEST(ClopperPearson, of_impossible_counts_is_absent)
{
    EXPECT_FALSE(clopper_pearson(0, 0, 0.95));
    EXPECT_FALSE(clopper_pearson(3, 2, 0.95));
    EXPECT_FALSE(clopper_pearson(1, 2, 1.0));
}

}  // namespace
}  // namespace lockstep::stats
