// Resizing against values worked out by hand from the formula in the header.
#include "harness/data/resize.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "harness/base/random.hpp"

namespace lockstep::data {
namespace {

std::vector<int> resized(const std::vector<std::uint8_t>& from, const ImageShape& shape,
                         const ImageSize& size)
{
    std::vector<std::uint8_t> to(static_cast<std::size_t>(size.height * size.width * shape.channels));
    Resizer(shape, size).resize(from, to);
    return {to.begin(), to.end()};
}

TEST(Resize, the_same_size_changes_nothing)
{
    EXPECT_EQ(resized({1, 2, 3, 4, 5, 6}, {2, 3, 1}, {2, 3}), (std::vector<int>{1, 2, 3, 4, 5, 6}));
}

TEST(Resize, enlarging_interpolates_between_pixel_centres_and_repeats_the_border)
{
    // Centres at 1/4, 3/4, 5/4, 7/4: 0; 3/4 of 0 + 1/4 of 100; 1/4 of 0 + 3/4 of 100; 100.
    EXPECT_EQ(resized({0, 100}, {1, 2, 1}, {1, 4}), (std::vector<int>{0, 25, 75, 100}));
    EXPECT_EQ(resized({0, 100}, {2, 1, 1}, {4, 1}), (std::vector<int>{0, 25, 75, 100}));
}

TEST(Resize, halves_round_to_the_even_number)
{
    // Centres at 1/6 (cut to the border), 1/2 ... : three outputs of two inputs; the middle is the mean.
    EXPECT_EQ(resized({0, 1}, {1, 2, 1}, {1, 3})[1], 0);  // 0.5
    EXPECT_EQ(resized({1, 2}, {1, 2, 1}, {1, 3})[1], 2);  // 1.5
    EXPECT_EQ(resized({2, 3}, {1, 2, 1}, {1, 3})[1], 2);  // 2.5
}

TEST(Resize, shrinking_averages_over_all_pixels_that_fall_into_one)
{
    // Scale 2, reach 2, centre 1: weights of 0, 1, 2 are 3/4, 3/4, 1/4, so over their sum 3/7, 3/7, 1/7.
    // (70 * 3 + 140 * 3 + 7 * 1) / 7 = 91; mirrored: (70 * 0 ...): centre 3: 1, 2, 3 weigh 1/7, 3/7, 3/7.
    EXPECT_EQ(resized({70, 140, 7, 210}, {1, 4, 1}, {1, 2}), (std::vector<int>{91, 113}));
}

TEST(Resize, channels_stay_apart)
{
    EXPECT_EQ(resized({0, 200, 100, 0}, {1, 2, 2}, {1, 4}),
              (std::vector<int>{0, 200, 25, 150, 75, 50, 100, 0}));
}

TEST(Resize, an_even_image_stays_even_at_every_size)
{
    for (const int value : {0, 1, 127, 254, 255}) {
        const std::vector<std::uint8_t> from(7 * 5, static_cast<std::uint8_t>(value));
        for (std::int64_t side = 1; side < 30; ++side) {
            for (const int out : resized(from, {7, 5, 1}, {side, 31 - side})) {
                ASSERT_EQ(out, value) << side;
            }
        }
    }
}

TEST(Resize, eightfold_enlarging_is_exact)
{
    // Weights are sixteenths, so the result can be computed in whole numbers: sum of w * v, 256 to the unit.
    Random random(3);
    std::vector<std::uint8_t> from(6 * 6);
    std::generate(from.begin(), from.end(), [&] { return static_cast<std::uint8_t>(random.below(256)); });
    const std::vector<int> out = resized(from, {6, 6, 1}, {48, 48});
    const auto taps = [](std::int64_t i) {
        const std::int64_t sixteenths = 2 * i + 1 - 8;  // of the centre's distance to input 0's centre
        const std::int64_t first = sixteenths < 0 ? -1 : sixteenths / 16;
        return std::pair(first, sixteenths - 16 * first);
    };
    const auto at = [&](std::int64_t y, std::int64_t x) {
        return static_cast<std::int64_t>(from[static_cast<std::size_t>(std::clamp<std::int64_t>(y, 0, 5) * 6 +
                                                                       std::clamp<std::int64_t>(x, 0, 5))]);
    };
    for (std::int64_t y = 0; y < 48; ++y) {
        for (std::int64_t x = 0; x < 48; ++x) {
            const auto [y0, wy] = taps(y);
            const auto [x0, wx] = taps(x);
            const std::int64_t sum = (16 - wy) * ((16 - wx) * at(y0, x0) + wx * at(y0, x0 + 1)) +
                                     wy * ((16 - wx) * at(y0 + 1, x0) + wx * at(y0 + 1, x0 + 1));
            const std::int64_t down = sum / 256;
            const std::int64_t rest = sum % 256;
            const std::int64_t rounded = down + (rest > 128 || (rest == 128 && down % 2 == 1) ? 1 : 0);
            ASSERT_EQ(out[static_cast<std::size_t>(y * 48 + x)], rounded) << y << ' ' << x;
        }
    }
}

}  // namespace
}  // namespace lockstep::data
