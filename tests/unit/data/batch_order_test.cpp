// The batch order: same for everyone, whole batches, a fresh permutation each epoch.
#include "harness/data/batch_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

namespace lockstep::data {
namespace {

TEST(BatchOrder, an_epoch_visits_no_image_twice_and_drops_only_the_last_partial_batch)
{
    const auto order = batch_order(1003, 64, 42, 0);
    ASSERT_TRUE(order);
    EXPECT_EQ(order->size(), 15u * 64u);
    const std::set<std::int64_t> seen(order->begin(), order->end());
    EXPECT_EQ(seen.size(), order->size());
    EXPECT_GE(*seen.begin(), 0);
    EXPECT_LT(*seen.rbegin(), 1003);
}

TEST(BatchOrder, a_batch_that_divides_the_images_leaves_none_out)
{
    std::vector<std::int64_t> order = batch_order(12, 4, 1, 3).value();
    std::sort(order.begin(), order.end());
    std::vector<std::int64_t> all(12);
    std::iota(all.begin(), all.end(), 0);
    EXPECT_EQ(order, all);
}

TEST(BatchOrder, the_same_seed_and_epoch_give_the_same_order_and_others_give_another)
{
    const auto order = batch_order(500, 50, 42, 1).value();
    EXPECT_EQ(order, batch_order(500, 50, 42, 1).value());
    EXPECT_NE(order, batch_order(500, 50, 42, 2).value());
    EXPECT_NE(order, batch_order(500, 50, 43, 1).value());
}

TEST(BatchOrder, a_part_is_permuted_within_itself)
{
    const std::vector<std::int64_t> part{3, 5, 8, 13, 21, 34};
    std::vector<std::int64_t> order = batch_order(part, 3, 9, 0).value();
    EXPECT_TRUE(std::is_permutation(order.begin(), order.end(), part.begin(), part.end()));
    order = batch_order(part, 4, 9, 0).value();
    EXPECT_EQ(order.size(), 4u);
    for (const std::int64_t index : order) {
        EXPECT_TRUE(std::count(part.begin(), part.end(), index) == 1) << index;
    }
}

TEST(BatchOrder, the_first_place_is_taken_by_each_image_about_equally_often)
{
    std::vector<int> first(8);
    for (std::int64_t epoch = 0; epoch < 8000; ++epoch) {
        ++first[static_cast<std::size_t>(batch_order(8, 1, 7, epoch).value().front())];
    }
    // 1000 expected, standard deviation 29.6; five of them on either side.
    EXPECT_GT(*std::min_element(first.begin(), first.end()), 852);
    EXPECT_LT(*std::max_element(first.begin(), first.end()), 1148);
}

TEST(BatchOrder, too_few_images_for_one_batch_are_an_error_with_both_numbers)
{
    const auto order = batch_order(63, 64, 1, 0);
    ASSERT_FALSE(order);
    EXPECT_NE(order.error().what.find("63"), std::string::npos);
    EXPECT_NE(order.error().what.find("64"), std::string::npos);
    EXPECT_FALSE(batch_order(10, 0, 1, 0));
}

}  // namespace
}  // namespace lockstep::data
