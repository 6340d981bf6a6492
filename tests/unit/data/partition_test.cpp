// Partitions: two parts out of one, whole or not at all, with the split's own images.
#include "harness/data/partition.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "harness/base/npy_file.hpp"
#include "harness/data/import.hpp"
#include "harness/data/synthesis.hpp"
#include "tests/unit/data/temporary_folder.hpp"

namespace lockstep::data {
namespace {

Dataset synthetic(const TemporaryFolder& folder, std::int64_t test = 0)
{
    return synthesise({40, test, {4, 4, 1}, 4, 7}, folder / "source").value();
}

std::vector<std::int32_t> labels_of(const std::filesystem::path& path)
{
    const NpyFile file = NpyFile::open(path).value();
    const auto values = file.values<std::int32_t>();
    return {values.begin(), values.end()};
}

PartitionOptions a_quarter(bool stratify = true)
{
    return {{.test = PartSize(0.25), .train = {}}, stratify, 42, false};
}

TEST(Partition, both_parts_hold_the_images_of_the_split_in_the_order_of_the_source)
{
    const TemporaryFolder folder;
    const Dataset source = synthetic(folder);
    const auto made = partition_dataset(source, a_quarter(), folder / "parts");
    ASSERT_TRUE(made) << made.error().what;
    EXPECT_EQ(made->train_count, 30);
    EXPECT_EQ(made->test_count, 10);
    EXPECT_TRUE(made->test_has_labels);
    EXPECT_EQ(made->classes, source.classes);
    Split split = split_of(source, a_quarter()).value();
    const NpyFile all = NpyFile::open(source.train_images()).value();
    const std::vector<std::int32_t> all_labels = labels_of(source.train_labels());
    for (const bool test : {false, true}) {
        std::vector<std::int64_t> indices = test ? split.test : split.train;
        std::sort(indices.begin(), indices.end());
        const NpyFile images = NpyFile::open(test ? *made->test_images() : made->train_images()).value();
        const std::vector<std::int32_t> labels =
            labels_of(test ? *made->test_labels() : made->train_labels());
        for (std::size_t i = 0; i < indices.size(); ++i) {
            const auto from = static_cast<std::size_t>(indices[i]);
            EXPECT_EQ(labels[i], all_labels[from]);
            EXPECT_TRUE(std::ranges::equal(images.values<std::uint8_t>().subspan(i * 16, 16),
                                           all.values<std::uint8_t>().subspan(from * 16, 16)));
        }
    }
}

TEST(Partition, a_data_set_that_was_made_stays_marked_as_synthetic)
{
    const TemporaryFolder folder;
    const Dataset made = partition_dataset(synthetic(folder), a_quarter(), folder / "parts").value();
    EXPECT_TRUE(made.synthetic);
    EXPECT_NE(made.name.find("synthetic"), std::string::npos);
}

TEST(Partition, the_same_split_again_is_a_look_up_and_another_one_is_refused)
{
    const TemporaryFolder folder;
    const Dataset source = synthetic(folder);
    const Dataset first = partition_dataset(source, a_quarter(), folder / "parts").value();
    const auto again = partition_dataset(source, a_quarter(), folder / "parts");
    ASSERT_TRUE(again) << again.error().what;
    EXPECT_EQ(again->digest, first.digest);
    EXPECT_FALSE(partition_dataset(source, a_quarter(false), folder / "parts"));
    EXPECT_EQ(folder.entries(), 2u);
}

TEST(Partition, a_test_part_that_is_there_is_only_dropped_when_told)
{
    const TemporaryFolder folder;
    const Dataset source = synthetic(folder, 8);
    PartitionOptions options = a_quarter();
    const auto refused = partition_dataset(source, options, folder / "parts");
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().remedy.find("--drop-test"), std::string::npos);
    options.drop_test = true;
    EXPECT_EQ(partition_dataset(source, options, folder / "parts")->test_count, 10);
}

TEST(Partition, index_files_hold_the_split_in_its_own_order)
{
    const TemporaryFolder folder;
    const Dataset source = synthetic(folder);
    const Split split = write_indices(source, a_quarter(false), folder / "out").value();
    const NpyFile train = NpyFile::open(folder / "out/train_indices.npy").value();
    const NpyFile test = NpyFile::open(folder / "out/test_indices.npy").value();
    EXPECT_TRUE(std::ranges::equal(train.values<std::int64_t>(), split.train));
    EXPECT_TRUE(std::ranges::equal(test.values<std::int64_t>(), split.test));
    std::set<std::int64_t> all(split.train.begin(), split.train.end());
    all.insert(split.test.begin(), split.test.end());
    EXPECT_EQ(all.size(), 40u);
    const auto again = write_indices(source, a_quarter(false), folder / "out");
    ASSERT_FALSE(again);
    EXPECT_NE(again.error().what.find("exists already"), std::string::npos);
}

TEST(Partition, a_split_that_cannot_be_leaves_nothing_behind)
{
    const TemporaryFolder folder;
    const Dataset source = synthetic(folder);
    PartitionOptions options = a_quarter();
    options.sizes.test = PartSize(std::int64_t{2});  // four classes
    EXPECT_FALSE(partition_dataset(source, options, folder / "parts"));
    EXPECT_FALSE(write_indices(source, options, folder / "parts"));
    EXPECT_EQ(folder.entries(), 1u);
}

}  // namespace
}  // namespace lockstep::data
