// What a user may name as the data of a run.
#include "harness/data/staging.hpp"

#include <gtest/gtest.h>

#include "harness/data/import.hpp"
#include "tests/unit/data/temporary_folder.hpp"

namespace lockstep::data {
namespace {

const std::string kTable = "label,pixel0,pixel1,pixel2,pixel3\n5,0,12,255,4\n2,5,6,7,8\n";

TEST(Staging, a_folder_with_tables_is_imported_once)
{
    const TemporaryFolder folder;
    folder.file("in/train.csv", kTable);
    folder.file("in/test.csv", kTable);
    const StagingOptions options{folder / "cache", {}};
    const auto first = stage((folder / "in").string(), options);
    ASSERT_TRUE(first) << first.error().what;
    EXPECT_EQ(first->train_count, 2);
    EXPECT_EQ(stage((folder / "in").string(), options)->folder, first->folder);
    const auto sized = stage((folder / "in").string(), {folder / "cache", ImageSize{8, 8}});
    EXPECT_EQ(sized->height, 8);
    EXPECT_NE(sized->folder, first->folder);
}

TEST(Staging, an_imported_folder_is_used_as_it_is_and_never_resized)
{
    const TemporaryFolder folder;
    const auto data = import_dataset({folder.file("a.csv", kTable).string()}, {}, folder / "set").value();
    EXPECT_EQ(stage(data.folder.string(), {folder / "cache", {}})->digest, data.digest);
    EXPECT_TRUE(stage(data.folder.string(), {folder / "cache", ImageSize{2, 2}}));
    const auto other = stage(data.folder.string(), {folder / "cache", ImageSize{4, 4}});
    ASSERT_FALSE(other);
    EXPECT_NE(other.error().what.find("2x2, not of 4x4"), std::string::npos) << other.error().what;
}

TEST(Staging, a_table_where_a_folder_is_meant_is_told_so)
{
    const TemporaryFolder folder;
    const auto data = stage(folder.file("train.csv", kTable).string(), {folder / "cache", {}});
    ASSERT_FALSE(data);
    EXPECT_NE(data.error().what.find("is a file where a folder is expected"), std::string::npos);
    EXPECT_NE(data.error().remedy.find("lockstep data import"), std::string::npos);
}

TEST(Staging, a_missing_package_is_named)
{
    const TemporaryFolder folder;
    const auto data = stage("fashion-mnist", {folder / "cache", {}, folder / "nowhere"});
    ASSERT_FALSE(data);
    EXPECT_NE(data.error().remedy.find("dataset-fashion-mnist"), std::string::npos);
}

TEST(Staging, a_near_miss_is_answered_with_the_name)
{
    const TemporaryFolder folder;
    const auto near = stage("fashon-mnist", {folder / "cache", {}});
    ASSERT_FALSE(near);
    EXPECT_NE(near.error().remedy.find("fashion-mnist"), std::string::npos);
    EXPECT_FALSE(stage("", {folder / "cache", {}}));
}

TEST(Staging, the_built_in_set_has_its_sixty_and_ten_thousand_images)
{
    const TemporaryFolder folder;
    if (!std::filesystem::exists("/usr/share/datasets/fashion-mnist")) {
        GTEST_SKIP() << "Debian's package dataset-fashion-mnist is not installed";
    }
    const auto data = stage("fashion-mnist", {folder / "cache", {}});
    ASSERT_TRUE(data) << data.error().what;
    EXPECT_EQ(data->name, "fashion-mnist");
    EXPECT_EQ(data->train_count, 60000);
    EXPECT_EQ(data->test_count, 10000);
    EXPECT_EQ(data->height * data->width * data->channels, 784);
    EXPECT_EQ(data->classes.size(), 10u);
    EXPECT_TRUE(data->test_has_labels);
}

TEST(Dataset, a_folder_that_is_none_or_is_damaged_is_refused)
{
    const TemporaryFolder folder;
    EXPECT_FALSE(open_dataset(folder.path()));
    const auto data = import_dataset({folder.file("a.csv", kTable).string()}, {}, folder / "set").value();
    EXPECT_TRUE(open_dataset(data.folder));
    std::filesystem::resize_file(data.train_images(), 129);
    EXPECT_FALSE(open_dataset(data.folder));
    for (const char* text : {"", "[]", "{}", "{\"format\": 1}", "{\"format\": 99}", "{\"format\": \"1\"}"}) {
        folder.file("set/dataset.json", text);
        EXPECT_FALSE(open_dataset(data.folder)) << text;
    }
}

}  // namespace
}  // namespace lockstep::data
