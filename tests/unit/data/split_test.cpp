// Stratified splits: the same indices as scikit-learn, its refusals, and the parts used for training.
#include "harness/data/split.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include "harness/data/mersenne_twister.hpp"

namespace lockstep::data {
namespace {

// The same sequence as labels() in split_vectors.py.
std::vector<std::int32_t> labels_of(std::size_t count, unsigned classes, bool skew)
{
    std::vector<std::int32_t> labels;
    std::uint32_t state = 12345;
    for (std::size_t i = 0; i < count; ++i) {
        state = state * 1664525u + 1013904223u;
        const unsigned high = state >> 16;
        labels.push_back(static_cast<std::int32_t>(skew ? std::min(high % classes, high / classes % classes)
                                                        : high % classes));
    }
    return labels;
}

// The same as digest() in split_vectors.py.
std::uint64_t digest_of(const Split& split)
{
    std::uint64_t value = 1469598103934665603u;
    const auto add = [&value](std::int64_t index) {
        value = (value ^ static_cast<std::uint64_t>(index)) * 1099511628211u;
    };
    std::for_each(split.train.begin(), split.train.end(), add);
    add(-1);
    std::for_each(split.test.begin(), split.test.end(), add);
    return value;
}

struct Vector {
    std::size_t count;
    unsigned classes;
    bool skew;
    std::optional<PartSize> test;
    std::optional<PartSize> train;
    std::uint64_t seed;
    std::size_t train_count;
    std::size_t test_count;
    std::uint64_t digest;
};

// Printed by split_vectors.py with scikit-learn 1.9.1 and numpy 2.4.6.
const std::vector<Vector> kVectors{
    {50, 2, false, PartSize(0.2), {}, 42u, 40, 10, 2912686783507345761u},
    {50, 2, false, {}, {}, 0u, 37, 13, 3519215536517292287u},
    {60, 3, true, PartSize(0.25), {}, 1u, 45, 15, 14202933373838170282u},
    {97, 5, false, PartSize(0.33), {}, 4294967295u, 64, 33, 327407655010528144u},
    {150, 10, false, PartSize(0.2), {}, 42u, 120, 30, 13484351650758508129u},
    {150, 10, false, {}, PartSize(0.5), 2147483648u, 75, 75, 9364305527818889455u},
    {300, 7, true, PartSize(0.1), PartSize(0.3), 7u, 90, 30, 11569205122865728456u},
    {300, 7, true, PartSize(std::int64_t{40}), {}, 8u, 260, 40, 11081531469102687556u},
    {300, 7, true, {}, PartSize(std::int64_t{120}), 9u, 120, 180, 9132197276846140590u},
    {300, 7, true, PartSize(std::int64_t{31}), PartSize(std::int64_t{57}), 10u, 57, 31, 3199869129060496746u},
    {999, 10, false, PartSize(0.2), {}, 42u, 799, 200, 10716520615290693739u},
    {1000, 10, true, PartSize(0.3333333333333333), {}, 42u, 666, 334, 14945825817407218346u},
    {1000, 100, false, PartSize(0.5), {}, 123456789u, 500, 500, 9299432506896870130u},
    {5000, 47, false, PartSize(0.15), {}, 3000000000u, 4250, 750, 9612329664836480976u},
    {5000, 47, true, {}, PartSize(0.9), 42u, 4500, 500, 1444090434614263944u},
    {20000, 100, false, PartSize(0.2), {}, 42u, 16000, 4000, 16799740592723694154u},
    {65537, 10, false, PartSize(0.2), {}, 42u, 52429, 13108, 4145202018388560090u},
    {70000, 2, true, PartSize(0.001), {}, 4294967295u, 69930, 70, 6040338365030036784u},
    {100000, 10, true, PartSize(0.2), {}, 42u, 80000, 20000, 13002664011954666192u},
};

TEST(Split, the_indices_and_their_order_are_those_of_scikit_learn)
{
    for (const Vector& vector : kVectors) {
        const auto labels = labels_of(vector.count, vector.classes, vector.skew);
        const auto split = stratified_split(labels, {vector.test, vector.train}, vector.seed);
        ASSERT_TRUE(split) << split.error().what;
        EXPECT_EQ(split->train.size(), vector.train_count);
        EXPECT_EQ(split->test.size(), vector.test_count);
        EXPECT_EQ(digest_of(*split), vector.digest) << vector.count << " images, seed " << vector.seed;
    }
}

TEST(Split, a_small_split_is_scikit_learns_by_eye)
{
    const std::vector<std::int32_t> labels{0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1};
    const auto split = stratified_split(labels, {.test = PartSize(0.25), .train = {}}, 42).value();
    EXPECT_EQ(split.train, (std::vector<std::int64_t>{1, 5, 8, 4, 6, 2, 0, 10, 7}));
    EXPECT_EQ(split.test, (std::vector<std::int64_t>{3, 9, 11}));
    EXPECT_EQ(stratified_part(labels, 5, 42).value(), (std::vector<std::int64_t>{1, 4, 5, 8, 10}));
}

TEST(Split, what_scikit_learn_refuses_is_refused)
{
    const std::vector<std::int32_t> ten = labels_of(10, 2, false);
    const auto refuses = [](const std::vector<std::int32_t>& labels, std::optional<PartSize> test,
                            std::optional<PartSize> train, const std::string& said) {
        const auto split = stratified_split(labels, {test, train}, 42);
        ASSERT_FALSE(split) << said;
        EXPECT_NE(split.error().what.find(said), std::string::npos) << split.error().what;
    };
    refuses(ten, PartSize(0.0), {}, "cannot be 0 of 10");
    refuses(ten, PartSize(1.0), {}, "cannot be 1 of 10");
    refuses(ten, PartSize(std::nan("")), {}, "cannot be nan of 10");
    refuses(ten, PartSize(std::int64_t{10}), {}, "cannot be 10 of 10");
    refuses(ten, {}, PartSize(std::int64_t{-1}), "cannot be -1 of 10");
    refuses(ten, PartSize(0.6), PartSize(0.6), "do not fit into 10");
    refuses(ten, PartSize(std::int64_t{6}), PartSize(std::int64_t{5}), "do not fit into 10");
    refuses(ten, {}, PartSize(0.05), "none is left");
    refuses(ten, PartSize(std::int64_t{1}), {}, "smaller than the number of classes, 2");
    refuses(ten, {}, PartSize(std::int64_t{1}), "smaller than the number of classes, 2");
    refuses({0, 0, 0, 1}, PartSize(0.5), {}, "Class 1 has a single image (number 4)");
    EXPECT_FALSE(stratified_split(ten, {PartSize(0.5), {}}, std::uint64_t{1} << 32));
    EXPECT_FALSE(stratified_split({}, {}, 42));
}

TEST(Split, parts_share_no_image_and_keep_the_proportions)
{
    const auto labels = labels_of(10000, 10, true);
    const auto split = stratified_split(labels, {.test = PartSize(0.2), .train = {}}, 42).value();
    std::set<std::int64_t> all(split.train.begin(), split.train.end());
    all.insert(split.test.begin(), split.test.end());
    EXPECT_EQ(all.size(), labels.size());
    for (std::int32_t label = 0; label < 10; ++label) {
        const auto of = [&](const std::vector<std::int64_t>& part) {
            return std::count_if(part.begin(), part.end(), [&](std::int64_t i) {
                return labels[static_cast<std::size_t>(i)] == label;
            });
        };
        const double whole = static_cast<double>(of(split.train) + of(split.test));
        EXPECT_NEAR(static_cast<double>(of(split.test)), whole * 0.2, 1.0);
    }
}

TEST(StratifiedPart, it_is_the_train_side_of_the_split_in_ascending_order)
{
    const auto labels = labels_of(1000, 10, false);
    std::vector<std::int64_t> train =
        stratified_split(labels, {{}, PartSize(std::int64_t{300})}, 42).value().train;
    std::sort(train.begin(), train.end());
    EXPECT_EQ(stratified_part(labels, 300, 42).value(), train);
}

TEST(StratifiedPart, nearly_all_and_all_images_are_parts_too)
{
    const auto labels = labels_of(100, 10, false);
    EXPECT_EQ(stratified_part(labels, 99, 42).value().size(), 99u);
    EXPECT_EQ(stratified_part(labels, 100, 42).value().size(), 100u);
    EXPECT_FALSE(stratified_part(labels, 101, 42));
    EXPECT_FALSE(stratified_part(labels, 9, 42));
    EXPECT_FALSE(stratified_part(labels, 0, 42));
}

TEST(MersenneTwister, its_words_are_those_of_the_standard_generator)
{
    for (const std::uint32_t seed : {0u, 42u, 0xffffffffu}) {
        MersenneTwister ours(seed);
        std::mt19937 standard(seed);
        for (int i = 0; i < 2000; ++i) {
            ASSERT_EQ(ours.next(), standard());
        }
    }
}

TEST(MersenneTwister, its_permutation_is_that_of_numpy)
{
    // numpy.random.RandomState(42).permutation(10)
    EXPECT_EQ(MersenneTwister(42).permutation(10), (std::vector<std::int64_t>{8, 1, 5, 0, 7, 2, 9, 4, 3, 6}));
}

}  // namespace
}  // namespace lockstep::data
