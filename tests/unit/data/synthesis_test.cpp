// Synthetic data: the same for the same seed, learnable, and never taken for the real thing.
#include "harness/data/synthesis.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>

#include "harness/base/npy_file.hpp"
#include "tests/unit/data/temporary_folder.hpp"

namespace lockstep::data {
namespace {

std::span<const std::uint8_t> values_of(const NpyFile& file)
{
    return file.values<std::uint8_t>();
}

// The share of test images whose nearest class mean of the training images, by the sum of absolute
// differences, is their own class.
double nearest_mean_accuracy(const Dataset& data)
{
    const NpyFile train = NpyFile::open(data.train_images()).value();
    const NpyFile test = NpyFile::open(*data.test_images()).value();
    const auto classes = static_cast<std::int64_t>(data.classes.size());
    const auto pixels = static_cast<std::size_t>(data.pixels());
    std::vector<double> means(static_cast<std::size_t>(classes) * pixels);
    for (std::int64_t i = 0; i < data.train_count; ++i) {
        for (std::size_t p = 0; p < pixels; ++p) {
            means[static_cast<std::size_t>(i % classes) * pixels + p] +=
                values_of(train)[static_cast<std::size_t>(i) * pixels + p];
        }
    }
    const double count = static_cast<double>(data.train_count) / static_cast<double>(classes);
    std::int64_t right = 0;
    for (std::int64_t i = 0; i < data.test_count; ++i) {
        std::int64_t best = 0;
        double least = std::numeric_limits<double>::infinity();
        for (std::int64_t c = 0; c < classes; ++c) {
            double distance = 0;
            for (std::size_t p = 0; p < pixels; ++p) {
                distance += std::abs(values_of(test)[static_cast<std::size_t>(i) * pixels + p] -
                                     means[static_cast<std::size_t>(c) * pixels + p] / count);
            }
            best = distance < least ? c : best;
            least = std::min(least, distance);
        }
        right += best == (data.train_count + i) % classes ? 1 : 0;
    }
    return static_cast<double>(right) / static_cast<double>(data.test_count);
}

TEST(Synthesis, classes_can_be_learned)
{
    const TemporaryFolder folder;
    const auto data = synthesise({500, 100, {14, 14, 1}, 10, 42}, folder / "set");
    ASSERT_TRUE(data) << data.error().what;
    EXPECT_GT(nearest_mean_accuracy(*data), 0.6);  // chance: 0.1
}

TEST(Synthesis, the_seed_decides_every_byte_and_the_number_of_rows_does_not)
{
    const TemporaryFolder folder;
    const Dataset few = synthesise({20, 0, {5, 3, 3}, 4, 1}, folder / "few").value();
    const Dataset more = synthesise({30, 5, {5, 3, 3}, 4, 1}, folder / "more").value();
    const Dataset other = synthesise({20, 0, {5, 3, 3}, 4, 2}, folder / "other").value();
    const NpyFile a = NpyFile::open(few.train_images()).value();
    const NpyFile b = NpyFile::open(more.train_images()).value();
    const NpyFile c = NpyFile::open(other.train_images()).value();
    EXPECT_TRUE(std::ranges::equal(values_of(a), values_of(b).first(values_of(a).size())));
    EXPECT_FALSE(std::ranges::equal(values_of(a), values_of(c)));
    EXPECT_NE(few.digest, other.digest);
    EXPECT_NE(few.digest, more.digest);
}

TEST(Synthesis, it_is_marked_in_the_description_and_in_the_name)
{
    const TemporaryFolder folder;
    const Dataset data = synthesise({4, 0, {2, 2, 1}, 2, 1}, folder / "set").value();
    EXPECT_TRUE(data.synthetic);
    EXPECT_TRUE(data.name.starts_with("synthetic"));
    EXPECT_EQ(data.test_count, 0);
    EXPECT_TRUE(open_dataset(folder / "set")->synthetic);
}

TEST(Synthesis, what_cannot_be_made_is_refused_and_leaves_nothing)
{
    const TemporaryFolder folder;
    const std::vector<SynthesisOptions> wrong{
        {3, 0, {2, 2, 1}, 4, 1},     {4, -1, {2, 2, 1}, 4, 1}, {4, 0, {2, 2, 1}, 1, 1},
        {4, 0, {2, 0, 1}, 4, 1},     {4, 0, {2, 2, 5}, 4, 1},  {70000, 0, {1, 1, 1}, 65537, 1},
        {4, 0, {2, 20000, 1}, 4, 1},
    };
    for (const SynthesisOptions& options : wrong) {
        EXPECT_FALSE(synthesise(options, folder / "set"));
    }
    EXPECT_EQ(folder.entries(), 0u);
}

}  // namespace
}  // namespace lockstep::data
