// What is exported imports to the same pixels, labels and classes.
#include "harness/data/export.hpp"

#include <gtest/gtest.h>

#include "harness/base/atomic_file.hpp"
#include "harness/base/npy_file.hpp"
#include "harness/data/import.hpp"
#include "harness/data/lmdb_file.hpp"
#include "tests/unit/data/temporary_folder.hpp"

namespace lockstep::data {
namespace {

// 300 training images of 2x3x`channels` in three classes, 20 test images.
Dataset small_set(const TemporaryFolder& folder, std::int64_t channels)
{
    std::string train;
    std::string test;
    for (int i = 0; i < 320; ++i) {
        std::string& text = i < 300 ? train : test;
        text += i < 300 || i % 2 == 0 ? (i % 3 == 0 ? "2" : i % 3 == 1 ? "10" : "7") : "7";
        for (std::int64_t p = 0; p < 6 * channels; ++p) {
            text += ',' + std::to_string((i * 31 + p * 17) % 256);
        }
        text += '\n';
    }
    ImportOptions options;
    options.csv.shape = ImageShape{2, 3, channels};
    options.csv.label = {"first"};
    options.csv.header = false;
    options.test = {folder.file("test_rows.csv", test).string()};
    return import_dataset({folder.file("rows.csv", train).string()}, options, folder / "set").value();
}

void expect_same(const std::filesystem::path& a, const std::filesystem::path& b)
{
    EXPECT_EQ(read_file(a).value(), read_file(b).value()) << b;
}

void expect_same_files(const Dataset& a, const Dataset& b)
{
    expect_same(a.train_images(), b.train_images());
    expect_same(a.train_labels(), b.train_labels());
    ASSERT_TRUE(b.test_images() && b.test_labels());
    expect_same(*a.test_images(), *b.test_images());
    expect_same(*a.test_labels(), *b.test_labels());
}

TEST(Export, a_table_comes_back_with_the_users_own_labels)
{
    for (const std::int64_t channels : {1, 3}) {
        const TemporaryFolder folder;
        const Dataset data = small_set(folder, channels);
        ASSERT_TRUE(export_dataset(data, ExportFormat::csv, folder / "out"));
        ImportOptions options;
        options.csv.shape = ImageShape{2, 3, channels};
        const auto again = import_dataset({(folder / "out").string()}, options, folder / "again");
        ASSERT_TRUE(again) << again.error().what;
        expect_same_files(data, *again);
        EXPECT_EQ(again->classes, (std::vector<std::string>{"2", "7", "10"}));
        EXPECT_EQ(read_file(folder / "out" / "classes.txt").value(), "2\n7\n10\n");
    }
}

TEST(Export, idx_files_come_back)
{
    for (const std::int64_t channels : {1, 3}) {
        const TemporaryFolder folder;
        const Dataset data = small_set(folder, channels);
        ASSERT_TRUE(export_dataset(data, ExportFormat::idx, folder / "out"));
        const auto again = import_dataset({(folder / "out").string()}, {}, folder / "again");
        ASSERT_TRUE(again) << again.error().what;
        expect_same_files(data, *again);
    }
}

TEST(Export, arrays_are_the_data_sets_own)
{
    const TemporaryFolder folder;
    const Dataset data = small_set(folder, 3);
    ASSERT_TRUE(export_dataset(data, ExportFormat::npy, folder / "out"));
    for (const char* name : {"train_images.npy", "train_labels.npy", "test_images.npy", "test_labels.npy"}) {
        expect_same(data.folder / name, folder / "out" / name);
    }
}

TEST(Export, a_database_of_records_comes_back)
{
    for (const std::int64_t channels : {1, 3}) {
        const TemporaryFolder folder;
        const Dataset data = small_set(folder, channels);
        const auto exported = export_dataset(data, ExportFormat::lmdb, folder / "out");
        ASSERT_TRUE(exported) << exported.error().what;
        const auto again = import_dataset({(folder / "out").string()}, {}, folder / "again");
        ASSERT_TRUE(again) << again.error().what;
        expect_same_files(data, *again);
    }
}

TEST(Export, labels_with_commas_and_quotes_are_quoted)
{
    const TemporaryFolder folder;
    const std::string text = "\"a, \"\"b\"\"\",1,2,3,9\nc,5,6,7,8\n";
    const auto data = import_dataset({folder.file("a.csv", text).string()}, {}, folder / "set").value();
    ASSERT_TRUE(export_dataset(data, ExportFormat::csv, folder / "out"));
    const auto again = import_dataset({(folder / "out").string()}, {}, folder / "again").value();
    EXPECT_EQ(again.classes, (std::vector<std::string>{"a, \"b\"", "c"}));
}

TEST(Export, a_folder_with_files_is_never_touched)
{
    const TemporaryFolder folder;
    const Dataset data = small_set(folder, 1);
    folder.file("out/mine.txt", "mine");
    EXPECT_FALSE(export_dataset(data, ExportFormat::csv, folder / "out"));
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder / "out"), {}), 1);
}

}  // namespace
}  // namespace lockstep::data
