// Import as a whole: from every kind of source to the same files, whole or not at all, once.
#include "harness/data/import.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

#include "harness/base/atomic_file.hpp"
#include "harness/base/npy_file.hpp"
#include "harness/data/split.hpp"
#include "tests/unit/data/temporary_folder.hpp"

namespace lockstep::data {
namespace {

using namespace std::string_literals;

const std::string kTrain = "label,pixel0,pixel1,pixel2,pixel3\n5,0,12,255,4\n2,5,6,7,8\n5,1,1,1,1\n";
const std::string kTest = "label,pixel0,pixel1,pixel2,pixel3\n2,9,9,9,9\n";

std::vector<int> pixels_in(const std::filesystem::path& file)
{
    const auto npy = NpyFile::open(file).value();
    const auto values = npy.values<std::uint8_t>();
    return {values.begin(), values.end()};
}

std::vector<int> labels_in(const std::filesystem::path& file)
{
    const auto npy = NpyFile::open(file).value();
    const auto values = npy.values<std::int32_t>();
    return {values.begin(), values.end()};
}

// A table of `rows` rows of 2x2 images with labels 0 and 1 in turn.
std::string table(int rows)
{
    std::string text;
    for (int i = 0; i < rows; ++i) {
        text += fmt::format("{},{},{},3,4\n", i % 2, i % 256, i / 256 % 256);
    }
    return text;
}

TEST(Import, a_folder_with_two_tables_becomes_a_data_set)
{
    const TemporaryFolder folder;
    folder.file("in/train.csv", kTrain);
    folder.file("in/test.csv", kTest);
    const auto data = import_dataset({(folder / "in").string()}, {}, folder / "out");
    ASSERT_TRUE(data) << data.error().what;
    EXPECT_EQ(data->name, "in");
    EXPECT_EQ(data->classes, (std::vector<std::string>{"2", "5"}));
    EXPECT_EQ(data->train_count, 3);
    EXPECT_EQ(data->test_count, 1);
    EXPECT_EQ(pixels_in(data->train_images()), (std::vector<int>{0, 12, 255, 4, 5, 6, 7, 8, 1, 1, 1, 1}));
    EXPECT_EQ(labels_in(data->train_labels()), (std::vector<int>{1, 0, 1}));
    EXPECT_EQ(pixels_in(*data->test_images()), (std::vector<int>{9, 9, 9, 9}));
    EXPECT_EQ(labels_in(*data->test_labels()), (std::vector<int>{0}));
}

TEST(Import, a_test_part_without_labels_has_no_label_file)
{
    const TemporaryFolder folder;
    const std::string train = folder.file("a.csv", kTrain).string();
    ImportOptions options;
    options.test = {folder.file("b.csv", "pixel0,pixel1,pixel2,pixel3\n9,9,9,9\n").string()};
    const auto data = import_dataset({train}, options, folder / "out").value();
    EXPECT_FALSE(data.test_has_labels);
    EXPECT_FALSE(data.test_labels());
    EXPECT_FALSE(std::filesystem::exists(folder / "out" / "test_labels.npy"));
}

TEST(Import, several_files_follow_each_other)
{
    const TemporaryFolder folder;
    const std::string a = folder.file("a.csv", "1,0,0,0,1\n").string();
    const std::string b = folder.file("b.csv", "label;pixel3;pixel2;pixel1;pixel0\n2;5;0;0;0\n").string();
    const auto data = import_dataset({a, b}, {}, folder / "out").value();
    EXPECT_EQ(pixels_in(data.train_images()), (std::vector<int>{0, 0, 0, 1, 0, 0, 0, 5}));
    EXPECT_EQ(labels_in(data.train_labels()), (std::vector<int>{0, 1}));
}

TEST(Import, files_of_different_shapes_are_refused)
{
    const TemporaryFolder folder;
    const std::string a = folder.file("a.csv", "1,0,0,0,1\n").string();
    const std::string b = folder.file("b.csv", "label,pixel0\n1,2\n").string();
    EXPECT_FALSE(import_dataset({a, b}, {}, folder / "out"));
    EXPECT_FALSE(std::filesystem::exists(folder / "out"));
}

std::string idx(const std::vector<int>& sizes, const std::string& values)
{
    std::string text{'\0', '\0', '\x08', static_cast<char>(sizes.size())};
    for (const int size : sizes) {
        text += std::string{'\0', '\0', static_cast<char>(size >> 8), static_cast<char>(size & 255)};
    }
    return text + values;
}

TEST(Import, idx_files_under_their_usual_names_become_a_data_set)
{
    const TemporaryFolder folder;
    folder.file("in/train-images-idx3-ubyte", idx({2, 1, 3}, "\1\2\3\4\5\6"));
    folder.file("in/train-labels-idx1-ubyte", idx({2}, "\x9\x4"));
    folder.file("in/t10k-images.idx3-ubyte", idx({1, 1, 3}, "\7\x8\x9"));
    folder.file("in/t10k-labels.idx1-ubyte", idx({1}, "\x9"));
    const auto data = import_dataset({(folder / "in").string()}, {}, folder / "out").value();
    EXPECT_EQ(data.width, 3);
    EXPECT_EQ(data.classes, (std::vector<std::string>{"4", "9"}));
    EXPECT_EQ(pixels_in(data.train_images()), (std::vector<int>{1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(labels_in(data.train_labels()), (std::vector<int>{1, 0}));
    EXPECT_EQ(labels_in(*data.test_labels()), (std::vector<int>{1}));
}

TEST(Import, idx_images_with_channels_come_last_or_first)
{
    const TemporaryFolder folder;
    const std::string images = folder.file("a-images-idx4-ubyte", idx({1, 2, 1, 2}, "\1\2\3\4")).string();
    folder.file("a-labels-idx1-ubyte", idx({1}, "\0"s));
    EXPECT_EQ(import_dataset({images}, {}, folder / "last").value().channels, 2);
    ImportOptions options;
    options.csv.channels_first = true;
    const auto data = import_dataset({images}, options, folder / "first").value();
    EXPECT_EQ(pixels_in(data.train_images()), (std::vector<int>{1, 3, 2, 4}));
}

TEST(Import, broken_idx_files_are_refused_and_leave_nothing)
{
    struct Case {
        std::string images;
        std::string labels;
    };
    for (const Case& broken :
         {Case{idx({2, 1, 3}, "\1\2\3\4\5"), idx({2}, "\1\2")},
          Case{idx({2, 1, 3}, "\1\2\3\4\5\6\7"), idx({2}, "\1\2")},
          Case{idx({2, 1, 3}, "\1\2\3\4\5\6"), idx({3}, "\1\2\3")},
          Case{idx({2, 1, 3}, "\1\2\3\4\5\6"), idx({2}, "\1")}, Case{idx({0, 1, 3}, ""), idx({0}, "")},
          Case{idx({2, 3}, "\1\2\3\4\5\6"), idx({2}, "\1\2")},
          Case{idx({2, 1, 3}, "\1\2\3\4\5\6"), "not idx"}, Case{idx({2, 0, 3}, ""), idx({2}, "\1\2")}}) {
        const TemporaryFolder folder;
        folder.file("in/train-images-idx3-ubyte", broken.images);
        folder.file("in/train-labels-idx1-ubyte", broken.labels);
        EXPECT_FALSE(import_dataset({(folder / "in").string()}, {}, folder / "out"));
        EXPECT_EQ(folder.entries(), 1u);
    }
}

TEST(Import, images_are_resized_on_the_way)
{
    const TemporaryFolder folder;
    const std::string path = folder.file("a.csv", "1,0,100,0,100\n").string();
    ImportOptions options;
    options.size = ImageSize{1, 4};
    const auto data = import_dataset({path}, options, folder / "out").value();
    EXPECT_EQ(data.height, 1);
    EXPECT_EQ(data.width, 4);
    EXPECT_EQ(pixels_in(data.train_images()), (std::vector<int>{0, 25, 75, 100}));
}

TEST(Import, a_fraction_splits_the_training_images_by_class)
{
    const TemporaryFolder folder;
    const std::string path = folder.file("a.csv", table(500)).string();
    ImportOptions options;
    options.train_fraction = 0.8;
    const auto data = import_dataset({path}, options, folder / "out").value();
    EXPECT_EQ(data.train_count, 400);
    EXPECT_EQ(data.test_count, 100);
    std::vector<std::int32_t> labels;
    for (int i = 0; i < 500; ++i) {
        labels.push_back(i % 2);
    }
    auto test = stratified_split(labels, {{}, PartSize(0.8)}, 42).value().test;
    std::sort(test.begin(), test.end());
    const std::vector<int> pixels = pixels_in(*data.test_images());
    for (std::size_t k = 0; k < test.size(); ++k) {
        EXPECT_EQ(pixels[4 * k], test[k] % 256);
        EXPECT_EQ(pixels[4 * k + 1], test[k] / 256);
    }
    EXPECT_FALSE(std::filesystem::exists(folder / "out" / "all_images.npy"));
}

TEST(Import, a_bad_row_leaves_no_folder_behind)
{
    const TemporaryFolder folder;
    const std::string path = folder.file("a.csv", table(100000) + "1,2,3,4,256\n").string();
    const auto data = import_dataset({path}, {}, folder / "out");
    ASSERT_FALSE(data);
    EXPECT_NE(data.error().what.find("line 100001, column 5"), std::string::npos) << data.error().what;
    EXPECT_EQ(folder.entries(), 1u);
}

TEST(Import, importing_the_same_again_reads_the_bytes_only)
{
    const TemporaryFolder folder;
    const std::string path = folder.file("a.csv", table(10)).string();
    const auto first = import_dataset({path}, {}, folder / "out").value();
    const auto written = std::filesystem::last_write_time(first.folder / "dataset.json");
    const auto again = import_dataset({path}, {}, folder / "out");
    ASSERT_TRUE(again) << again.error().what;
    EXPECT_EQ(again->digest, first.digest);
    EXPECT_EQ(std::filesystem::last_write_time(first.folder / "dataset.json"), written);
    ImportOptions other;
    other.size = ImageSize{4, 4};
    const auto refused = import_dataset({path}, other, folder / "out");
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().what.find("already holds another"), std::string::npos);
}

TEST(Import, a_folder_with_other_files_is_never_touched)
{
    const TemporaryFolder folder;
    const std::string path = folder.file("a.csv", table(10)).string();
    folder.file("out/mine.txt", "mine");
    EXPECT_FALSE(import_dataset({path}, {}, folder / "out"));
    EXPECT_EQ(read_file(folder / "out" / "mine.txt").value(), "mine");
    std::filesystem::create_directory(folder / "empty");
    EXPECT_TRUE(import_dataset({path}, {}, folder / "empty"));
}

TEST(Import, the_digest_depends_on_bytes_and_options)
{
    const TemporaryFolder folder;
    const std::string a = folder.file("a.csv", table(10)).string();
    const std::string b = folder.file("b.csv", table(11)).string();
    const std::string c = folder.file("c.csv", table(10)).string();
    ImportOptions sized;
    sized.size = ImageSize{3, 3};
    const auto cache = folder / "cache";
    const std::string digest = import_into_cache({a}, {}, cache).value().digest;
    EXPECT_EQ(import_into_cache({c}, {}, cache).value().digest, digest);
    EXPECT_NE(import_into_cache({b}, {}, cache).value().digest, digest);
    EXPECT_NE(import_into_cache({a}, sized, cache).value().digest, digest);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(cache), {}), 3);
}

TEST(Import, a_broken_cache_entry_is_made_anew)
{
    const TemporaryFolder folder;
    const std::string path = folder.file("a.csv", table(10)).string();
    const auto first = import_into_cache({path}, {}, folder / "cache").value();
    std::filesystem::resize_file(first.train_images(), 130);
    const auto again = import_into_cache({path}, {}, folder / "cache");
    ASSERT_TRUE(again) << again.error().what;
    EXPECT_EQ(pixels_in(again->train_images()).size(), 40u);
}

TEST(Import, two_processes_at_once_both_succeed)
{
    const TemporaryFolder folder;
    const std::string path = folder.file("a.csv", table(20000)).string();
    std::vector<pid_t> children;
    for (int i = 0; i < 4; ++i) {
        const pid_t child = ::fork();
        if (child == 0) {
            const auto data = import_into_cache({path}, {}, folder / "cache");
            ::_exit(data && data->train_count == 20000 ? 0 : 1);
        }
        children.push_back(child);
    }
    for (const pid_t child : children) {
        int status = 0;
        ::waitpid(child, &status, 0);
        EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder / "cache"), {}), 1);
}

TEST(Import, a_disk_that_is_full_is_an_error_and_leaves_nothing)
{
    const TemporaryFolder folder;
    const std::string path = folder.file("a.csv", table(200000)).string();
    const pid_t child = ::fork();
    if (child == 0) {
        // A file may grow to 300 kB: less than the 800 kB of images.
        ::signal(SIGXFSZ, SIG_IGN);
        const rlimit limit{300000, 300000};
        ::setrlimit(RLIMIT_FSIZE, &limit);
        const auto data = import_dataset({path}, {}, folder / "out");
        ::_exit(!data && data.error().remedy.find("disk space") != std::string::npos ? 0 : 1);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    EXPECT_EQ(folder.entries(), 1u);
}

TEST(Import, an_unused_ignore_is_an_error)
{
    const TemporaryFolder folder;
    const std::string path = folder.file("a.csv", kTrain).string();
    ImportOptions options;
    options.csv.ignore = {"idd"};
    const auto data = import_dataset({path}, options, folder / "out");
    ASSERT_FALSE(data);
    EXPECT_NE(data.error().what.find("\"idd\""), std::string::npos);
}

TEST(Import, sources_that_make_no_data_set_are_errors)
{
    const TemporaryFolder folder;
    folder.file("only_test/test.csv", kTest);
    folder.file("nothing/readme.txt", "x");
    const std::string train = folder.file("a.csv", kTrain).string();
    const std::string unlabelled = folder.file("x-images-idx3-ubyte", idx({1, 1, 1}, "\1")).string();
    EXPECT_FALSE(import_dataset({(folder / "only_test").string()}, {}, folder / "out"));
    EXPECT_FALSE(import_dataset({(folder / "nothing").string()}, {}, folder / "out"));
    EXPECT_FALSE(import_dataset({(folder / "missing").string()}, {}, folder / "out"));
    EXPECT_FALSE(import_dataset({unlabelled}, {}, folder / "out"));
    EXPECT_FALSE(import_dataset({}, {}, folder / "out"));
    ImportOptions both;
    both.test = {train};
    both.train_fraction = 0.5;
    EXPECT_FALSE(import_dataset({train}, both, folder / "out"));
    EXPECT_FALSE(std::filesystem::exists(folder / "out"));
}

}  // namespace
}  // namespace lockstep::data
