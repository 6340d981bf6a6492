// The order of runs is a fair coin's, and the seed's.
#include "harness/pipeline/schedule.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "harness/pipeline/forecast.hpp"

namespace lockstep::pipeline {
namespace {

TEST(Schedule, a_block_holds_every_arm_on_every_network_once)
{
    const auto turns = turns_of_block(42, 1, 2, 3);
    std::set<std::pair<std::size_t, std::size_t>> seen;
    for (const Turn& turn : turns) {
        seen.insert({turn.network, turn.arm});
    }
    EXPECT_EQ(seen.size(), 6u);
    EXPECT_EQ(turns.size(), 6u);
    EXPECT_EQ(turns[5].position, 6);
}

TEST(Schedule, arms_of_one_network_run_back_to_back)
{
    const auto turns = turns_of_block(42, 1, 2, 3);
    EXPECT_EQ(turns[0].network, turns[2].network);
    EXPECT_EQ(turns[3].network, turns[5].network);
}

TEST(Schedule, a_seed_gives_the_same_order_again_and_another_seed_another)
{
    const auto arms = [](std::uint64_t seed) {
        std::vector<std::size_t> order;
        for (int block = 1; block <= 10; ++block) {
            for (const Turn& turn : turns_of_block(seed, block, 1, 4)) {
                order.push_back(turn.arm);
            }
        }
        return order;
    };
    EXPECT_EQ(arms(1), arms(1));
    EXPECT_NE(arms(1), arms(2));
}

TEST(Schedule, weights_and_batches_are_the_blocks_own)
{
    const auto first = turns_of_block(42, 1, 1, 3);
    const auto second = turns_of_block(42, 2, 1, 3);
    EXPECT_EQ(first[0].seed, first[2].seed);
    EXPECT_NE(first[0].seed, second[0].seed);
    EXPECT_NE(first[0].jitter, first[1].jitter);
    EXPECT_LT(first[0].seed, std::uint64_t{1} << 32);
}

// G11: uniform over all orders; 6 orders of 3 arms, 10,000 blocks, chi-square at p = .001 with 5 degrees.
TEST(Schedule, every_order_is_as_likely_as_another)
{
    std::map<std::vector<std::size_t>, int> counts;
    for (int block = 1; block <= 10000; ++block) {
        std::vector<std::size_t> order;
        for (const Turn& turn : turns_of_block(20261130, block, 1, 3)) {
            order.push_back(turn.arm);
        }
        ++counts[order];
    }
    ASSERT_EQ(counts.size(), 6u);
    double chi_square = 0;
    for (const auto& [order, count] : counts) {
        chi_square += std::pow(count - 10000.0 / 6, 2) / (10000.0 / 6);
    }
    EXPECT_LT(chi_square, 20.5);
}

TEST(Forecast, says_nothing_before_the_first_run_and_then_sums_like_runs)
{
    Forecast forecast;
    const std::vector<Turn> turns{{1, 1, 0, 0, 0, 0}, {1, 2, 0, 1, 0, 0}, {2, 3, 0, 0, 0, 0}};
    EXPECT_FALSE(forecast.seconds_left(turns, 0));
    forecast.note(turns[0], 10);
    EXPECT_DOUBLE_EQ(forecast.seconds_left(turns, 1).value(), 20);
    forecast.note(turns[1], 2);
    EXPECT_DOUBLE_EQ(forecast.seconds_left(turns, 2).value(), 10);
}

}  // namespace
}  // namespace lockstep::pipeline
