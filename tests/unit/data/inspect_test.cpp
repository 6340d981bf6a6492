// What inspection counts, on a data set small enough to count by hand.
#include "harness/data/inspect.hpp"

#include <gtest/gtest.h>

#include "harness/data/import.hpp"
#include "tests/unit/data/temporary_folder.hpp"

namespace lockstep::data {
namespace {

TEST(Inspect, balance_repetition_leakage_and_constant_pixels_are_counted)
{
    const TemporaryFolder folder;
    const std::string train =
        "label,pixel0,pixel1,pixel2,pixel3\n"
        "a,9,1,2,3\n"
        "a,9,1,2,3\n"
        "b,9,1,2,3\n"
        "b,9,5,2,6\n"
        "b,9,7,2,8\n";
    const std::string test =
        "label,pixel0,pixel1,pixel2,pixel3\n"
        "b,9,5,2,6\n"
        "a,1,1,1,1\n"
        "a,1,1,1,1\n";
    ImportOptions options;
    options.test = {folder.file("test.csv", test).string()};
    const auto data =
        import_dataset({folder.file("train.csv", train).string()}, options, folder / "set").value();
    const auto found = inspect(data);
    ASSERT_TRUE(found) << found.error().what;
    EXPECT_EQ(found->train_of_class, (std::vector<std::int64_t>{2, 3}));
    EXPECT_EQ(found->test_of_class, (std::vector<std::int64_t>{2, 1}));
    EXPECT_EQ(found->repeated_in_train, 2);
    EXPECT_EQ(found->repeated_in_test, 1);
    EXPECT_EQ(found->leaked, 1);
    EXPECT_EQ(found->contradicting, 1);
    EXPECT_EQ(found->constant_pixels, 2);
    EXPECT_EQ(found->pixels, 4);
    ASSERT_EQ(found->examples.size(), 3u);
    EXPECT_EQ(found->examples[0].train, (std::vector<std::int64_t>{3}));
    EXPECT_EQ(found->examples[0].test, (std::vector<std::int64_t>{0}));
    EXPECT_EQ(found->examples[1].train, (std::vector<std::int64_t>{0, 1, 2}));
    EXPECT_TRUE(found->examples[1].labels_differ);
    // Training values: 45 of nines, 10 of twos, 1+1+1+5+7, 3+3+3+6+8 = 93 over 20 values.
    EXPECT_DOUBLE_EQ(found->mean, 93.0 / 20.0);
}

TEST(Inspect, a_data_set_without_test_part_has_no_test_counts)
{
    const TemporaryFolder folder;
    const auto data =
        import_dataset({folder.file("train.csv", "1,2\n3,4\n").string()}, {}, folder / "set").value();
    const auto found = inspect(data).value();
    EXPECT_TRUE(found.test_of_class.empty());
    EXPECT_EQ(found.leaked, 0);
    EXPECT_EQ(found.constant_pixels, 0);
}

}  // namespace
}  // namespace lockstep::data
