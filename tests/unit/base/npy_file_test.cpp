// Files that cross the border: what is written can be read, what is broken is refused with a sentence.
#include "harness/base/npy_file.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "harness/base/atomic_file.hpp"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

class NpyFileTest : public ::testing::Test {
protected:
    void SetUp() override
    {
        folder_ = fs::temp_directory_path() / ("lockstep_npy_" + std::to_string(::getpid()));
        fs::create_directories(folder_);
    }
    void TearDown() override { fs::remove_all(folder_); }
    fs::path put(const std::string& bytes) const
    {
        std::ofstream(folder_ / "x.npy", std::ios::binary) << bytes;
        return folder_ / "x.npy";
    }
    fs::path folder_;
};

std::string with_header(std::string dictionary, const std::string& data)
{
    dictionary += "\n";
    std::string bytes("\x93NUMPY\x01\x00", 8);
    bytes.push_back(static_cast<char>(dictionary.size()));
    bytes.push_back('\0');
    return bytes + dictionary + data;
}

TEST_F(NpyFileTest, what_is_written_is_read_back)
{
    const std::vector<float> values{1.5F, -2.0F, 3.0F, 0.25F, 5.0F, 6.0F};
    ASSERT_TRUE(write_npy<float>(folder_ / "a.npy", {2, 3}, values));
    const Result<NpyFile> file = NpyFile::open(folder_ / "a.npy");
    ASSERT_TRUE(file) << file.error().what;
    EXPECT_EQ(file->shape(), (Shape{2, 3}));
    const auto read = file->values<float>();
    EXPECT_EQ(std::vector<float>(read.begin(), read.end()), values);
}

TEST_F(NpyFileTest, one_dimension_and_none_and_empty_shapes_survive)
{
    ASSERT_TRUE(write_npy<std::int64_t>(folder_ / "a.npy", {3}, std::vector<std::int64_t>{7, 8, 9}));
    EXPECT_EQ(NpyFile::open(folder_ / "a.npy")->shape(), (Shape{3}));
    ASSERT_TRUE(write_npy<double>(folder_ / "b.npy", {}, std::vector<double>{2.5}));
    EXPECT_EQ(NpyFile::open(folder_ / "b.npy")->elements(), 1);
    ASSERT_TRUE(write_npy<std::uint8_t>(folder_ / "c.npy", {0, 28}, std::vector<std::uint8_t>{}));
    EXPECT_EQ(NpyFile::open(folder_ / "c.npy")->elements(), 0);
}

TEST_F(NpyFileTest, data_starts_at_a_multiple_of_64)
{
    EXPECT_EQ(npy_header(NpyType::u8, {60000, 28, 28, 1}).size() % 64, 0u);
    EXPECT_EQ(npy_header(NpyType::f32, {}).size() % 64, 0u);
}

TEST_F(NpyFileTest, broken_files_are_refused)
{
    const std::string four(4, '\0');
    EXPECT_FALSE(NpyFile::open(folder_ / "missing.npy"));
    EXPECT_FALSE(NpyFile::open(folder_));
    EXPECT_FALSE(NpyFile::open(put("")));
    EXPECT_FALSE(NpyFile::open(put("label,pixel0\n1,2\n3,4\n")));
    EXPECT_FALSE(NpyFile::open(
        put(with_header("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", four))));  // short
    EXPECT_FALSE(NpyFile::open(
        put(with_header("{'descr': '<f4', 'fortran_order': False, 'shape': (), }", four + four))));  // long
    EXPECT_FALSE(
        NpyFile::open(put(with_header("{'descr': '<f4', 'fortran_order': True, 'shape': (1,), }", four))));
    EXPECT_FALSE(
        NpyFile::open(put(with_header("{'descr': '>f4', 'fortran_order': False, 'shape': (1,), }", four))));
    EXPECT_FALSE(
        NpyFile::open(put(with_header("{'descr': '<f2', 'fortran_order': False, 'shape': (2,), }", four))));
    EXPECT_FALSE(
        NpyFile::open(put(with_header("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }", four))));
    EXPECT_FALSE(NpyFile::open(put(
        with_header("{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775807, 4), }", four))));
    EXPECT_TRUE(
        NpyFile::open(put(with_header("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }", four))));
}

TEST_F(NpyFileTest, an_unwritable_folder_is_one_sentence_and_a_remedy)
{
    const auto written = write_npy<float>(folder_ / "none" / "a.npy", {1}, std::vector<float>{1});
    ASSERT_FALSE(written);
    EXPECT_NE(written.error().what.find("a.npy cannot be written"), std::string::npos);
    EXPECT_FALSE(written.error().remedy.empty());
}

TEST_F(NpyFileTest, an_uncommitted_file_leaves_nothing_behind)
{
    {
        auto file = AtomicFile::create(folder_ / "half.txt");
        ASSERT_TRUE(file);
        ASSERT_TRUE(file->write("half of it"));
    }
    EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(NpyFileTest, a_committed_file_replaces_the_earlier_one)
{
    ASSERT_TRUE(write_file(folder_ / "a.txt", "old"));
    ASSERT_TRUE(write_file(folder_ / "a.txt", "new"));
    EXPECT_EQ(read_file(folder_ / "a.txt").value(), "new");
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
}

}  // namespace
}  // namespace lockstep
