// Change points on series whose changes are known.
#include "harness/stats/change_points.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tests/unit/stats/noise_models.hpp"

namespace lockstep::stats {
namespace {

using Values = std::vector<double>;
using Changes = std::vector<std::size_t>;

// Segments of (length, level) with Gaussian noise of sigma 1 on top.
Values steps(const std::vector<std::pair<std::size_t, double>>& segments, double sigma, Random& random)
{
    Values series;
    for (const auto& [length, level] : segments) {
        for (std::size_t i = 0; i < length; ++i) {
            series.push_back(level + sigma * testing::gaussian(random));
        }
    }
    return series;
}

double cost(const Values& series, std::size_t from, std::size_t to)
{
    double sum = 0.0;
    for (std::size_t i = from; i < to; ++i) {
        sum += series[i];
    }
    const double mean = sum / static_cast<double>(to - from);
    double squares = 0.0;
    for (std::size_t i = from; i < to; ++i) {
        squares += (series[i] - mean) * (series[i] - mean);
    }
    return squares;
}

// The least total over all splits, by trying every one.
double least_cost(const Values& series, double penalty)
{
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t mask = 0; mask < (std::size_t{1} << (series.size() - 1)); ++mask) {
        double total = 0.0;
        std::size_t start = 0;
        for (std::size_t i = 1; i <= series.size(); ++i) {
            if (i == series.size() || (mask >> (i - 1) & 1U) != 0) {
                total += cost(series, start, i) + (i < series.size() ? penalty : 0.0);
                start = i;
            }
        }
        least = std::min(least, total);
    }
    return least;
}

TEST(ChangePoints, finds_each_jump_where_it_is)
{
    Random random(1);
    const Values series = steps({{50, 0.0}, {30, 8.0}, {40, -8.0}, {60, 0.0}}, 1.0, random);
    const double penalty = 15.0 * std::log(static_cast<double>(series.size()));
    EXPECT_EQ(change_points(series, 1.0, penalty), (Changes{50, 80, 120}));
}

TEST(ChangePoints, counts_distance_in_units_of_sigma_around_any_level)
{
    Random random(1);
    const Values series = steps({{50, 1e6}, {50, 1e6 + 0.008}}, 0.001, random);
    EXPECT_EQ(change_points(series, 0.001, 70.0), (Changes{50}));
    EXPECT_EQ(change_points(series, 0.1, 70.0), Changes{});
}

TEST(ChangePoints, noise_alone_is_not_split)
{
    Random random(2);
    int split = 0;
    for (int i = 0; i < 200; ++i) {
        const Values series = steps({{100, 3.0}}, 1.0, random);
        split += change_points(series, 1.0, 15.0 * std::log(100.0)).empty() ? 0 : 1;
    }
    EXPECT_EQ(split, 0);
}

TEST(ChangePoints, no_other_split_costs_less)
{
    Random random(3);
    for (int i = 0; i < 100; ++i) {
        const Values series = steps({{4, 0.0}, {3, 2.0}, {5, 1.0}}, 1.0, random);
        const double penalty = 0.5 + 3.0 * random.uniform();
        Changes bounds = change_points(series, 1.0, penalty);
        double total = penalty * static_cast<double>(bounds.size());
        bounds.push_back(series.size());
        std::size_t start = 0;
        for (const std::size_t end : bounds) {
            total += cost(series, start, end);
            start = end;
        }
        EXPECT_NEAR(total, least_cost(series, penalty), 1e-9);
    }
}

TEST(ChangePoints, of_unusable_input_are_none)
{
    const Values jump{0, 0, 0, 100, 100, 100};
    ASSERT_EQ(change_points(jump, 1.0, 10.0), (Changes{3}));
    EXPECT_TRUE(change_points({}, 1.0, 10.0).empty());
    EXPECT_TRUE(change_points(jump, 0.0, 10.0).empty());
    EXPECT_TRUE(change_points(jump, 1.0, -1.0).empty());
    EXPECT_TRUE(change_points(jump, std::nan(""), 10.0).empty());
    EXPECT_TRUE(change_points(Values{0, std::nan(""), 100}, 1.0, 10.0).empty());
}

}  // namespace
}  // namespace lockstep::stats
