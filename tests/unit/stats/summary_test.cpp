// Quantiles, spreads and centres against numbers worked out by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "harness/stats/hodges_lehmann.hpp"
#include "harness/stats/interval.hpp"
#include "harness/stats/quantile.hpp"
#include "harness/stats/spread.hpp"
#include "harness/stats/trimmed_mean.hpp"

namespace lockstep::stats {
namespace {

using Values = std::vector<double>;
const double kNaN = std::numeric_limits<double>::quiet_NaN();

TEST(Interval, contains_its_ends_and_fits_inside_itself)
{
    const Interval interval{-1.0, 3.0};
    EXPECT_EQ(interval.half_width(), 2.0);
    EXPECT_TRUE(interval.contains(-1.0) && interval.contains(3.0));
    EXPECT_FALSE(interval.contains(3.1));
    EXPECT_TRUE(interval.inside(interval));
    EXPECT_FALSE(interval.inside({-0.9, 3.0}));
}

TEST(Quantile, interpolates_between_order_statistics)
{
    const Values values{40, 10, 30, 20};
    EXPECT_DOUBLE_EQ(*quantile(values, 0.0), 10.0);
    EXPECT_DOUBLE_EQ(*quantile(values, 0.25), 17.5);
    EXPECT_DOUBLE_EQ(*quantile(values, 1.0), 40.0);
    EXPECT_DOUBLE_EQ(*median(values), 25.0);
    EXPECT_DOUBLE_EQ(*median(Values{3, 1, 2}), 2.0);
}

TEST(Quantile, of_nothing_or_of_numbers_that_are_none_is_absent)
{
    EXPECT_FALSE(median({}));
    EXPECT_FALSE(median(Values{1.0, kNaN}));
    EXPECT_FALSE(median(Values{1.0, std::numeric_limits<double>::infinity()}));
    EXPECT_FALSE(quantile(Values{1.0}, 1.5));
    EXPECT_FALSE(quantile(Values{1.0}, kNaN));
}

TEST(Spread, the_mad_is_the_middle_distance_from_the_middle)
{
    EXPECT_DOUBLE_EQ(*mad(Values{1, 1, 2, 2, 4, 6, 9}), 1.0);
    EXPECT_DOUBLE_EQ(*robust_sigma(Values{1, 1, 2, 2, 4, 6, 9}), kMadToSigma);
    EXPECT_FALSE(mad({}));
}

TEST(Spread, a_jump_of_level_is_not_noise)
{
    Values series;
    for (int i = 0; i < 40; ++i) {
        series.push_back((i < 20 ? 0.0 : 100.0) + (i % 2 == 0 ? 1.0 : 0.0));
    }
    EXPECT_LT(*noise_sigma(series), 2.0);
    EXPECT_GT(*robust_sigma(series), 50.0);
    EXPECT_FALSE(noise_sigma(Values{1.0}));
}

TEST(HodgesLehmann, is_the_middle_of_all_pair_averages)
{
    // Averages of 1, 4, 13: 1, 2.5, 4, 7, 8.5, 13.
    EXPECT_DOUBLE_EQ(*hodges_lehmann(Values{1, 13, 4}), 5.5);
    EXPECT_DOUBLE_EQ(*hodges_lehmann(Values{7}), 7.0);
    EXPECT_FALSE(hodges_lehmann({}));
    EXPECT_FALSE(hodges_lehmann(Values{1, kNaN}));
}

TEST(TrimmedMean, cuts_a_fifth_from_each_end)
{
    EXPECT_DOUBLE_EQ(*trimmed_mean(Values{1000, 2, 3, 4, -500}), 3.0);
    EXPECT_DOUBLE_EQ(*trimmed_mean(Values{1, 2, 3, 6}), 3.0);  // a fifth of 4 is less than one
    EXPECT_FALSE(trimmed_mean({}));
    EXPECT_FALSE(trimmed_mean(Values{1, 2}, 0.5));
}

TEST(TrimmedMean, its_interval_uses_the_winsorised_spread)
{
    // Winsorised 1..10 at 20 %: 3 3 3 4 5 6 7 8 8 8, sum of squares about 5.5: 42.5, variance 42.5/9.
    // Error sqrt(42.5/9)/(0.6 sqrt(10)) = 1.145307; t(5) at 97.5 % = 2.570582.
    const Values values{1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    const Interval interval = *trimmed_mean_interval(values, 0.95);
    EXPECT_NEAR(interval.low, 5.5 - 2.944106, 1e-5);
    EXPECT_NEAR(interval.high, 5.5 + 2.944106, 1e-5);
}

TEST(TrimmedMean, with_nothing_cut_gives_the_interval_of_student)
{
    // 1..5: mean 3, deviation sqrt(2.5), t(4) at 97.5 % = 2.776445.
    const Interval interval = *trimmed_mean_interval(Values{1, 2, 3, 4, 5}, 0.95, 0.0);
    EXPECT_NEAR(interval.half_width(), 2.776445 * std::sqrt(2.5 / 5.0), 1e-5);
    EXPECT_FALSE(trimmed_mean_interval(Values{1}, 0.95, 0.0));
    EXPECT_FALSE(trimmed_mean_interval(Values{1, 2, 3}, 1.0));
}

}  // namespace
}  // namespace lockstep::stats
