// Random numbers that a printed seed must reproduce anywhere.
#include "harness/base/random.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <set>

namespace lockstep {
namespace {

// The generator's first numbers, computed from the published algorithm by a program in another language.
TEST(Random, the_first_numbers_of_seed_42_are_those_of_the_published_generator)
{
    Random random(42);
    const std::array<std::uint64_t, 3> first{random.next(), random.next(), random.next()};
    EXPECT_EQ(first, (std::array<std::uint64_t, 3>{1546998764402558742ULL, 6990951692964543102ULL,
                                                   12544586762248559009ULL}));
}

TEST(Random, bounded_numbers_are_uniform)
{
    Random random(7);
    std::array<int, 6> counts{};
    for (int i = 0; i < 60000; ++i) {
        ++counts[random.below(6)];
    }
    double chi_square = 0;
    for (const int count : counts) {
        chi_square += std::pow(count - 10000.0, 2) / 10000.0;
    }
    EXPECT_LT(chi_square, 20.5);  // 5 degrees of freedom, p = .001
}

TEST(Random, uniform_numbers_lie_below_one_and_reach_both_halves)
{
    Random random(3);
    double sum = 0;
    for (int i = 0; i < 10000; ++i) {
        const double number = random.uniform();
        ASSERT_GE(number, 0.0);
        ASSERT_LT(number, 1.0);
        sum += number;
    }
    EXPECT_NEAR(sum / 10000, 0.5, 0.02);
}

TEST(Random, a_purpose_has_a_stream_of_its_own)
{
    EXPECT_NE(Random(1, 1).next(), Random(1, 2).next());
    EXPECT_EQ(Random(1, 1).next(), Random(1, 1).next());
}

TEST(Random, shuffling_keeps_every_item)
{
    Random random(5);
    std::vector<int> items{1, 2, 3, 4, 5, 6, 7, 8};
    shuffle(items, random);
    EXPECT_EQ(std::set<int>(items.begin(), items.end()).size(), 8u);
}

}  // namespace
}  // namespace lockstep
