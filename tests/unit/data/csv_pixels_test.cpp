// The inner loops: each must accept and refuse the same rows, at every place of a block.
#include "harness/data/csv_pixels.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "harness/base/random.hpp"

namespace lockstep::data {
namespace {

std::vector<PixelParser> loops()
{
    std::vector<PixelParser> all{parse_pixels_plain};
    if (parse_pixels_avx2() != nullptr) {
        all.push_back(parse_pixels_avx2());
    }
    return all;
}

// What a loop makes of `text`: the values and the offset of the end, or nothing.
std::optional<std::pair<std::vector<std::uint8_t>, std::ptrdiff_t>> parsed(PixelParser loop,
                                                                           const std::string& text,
                                                                           std::int64_t count)
{
    const std::string padded = std::string(kPixelSlack, '\n') + text + std::string(kPixelSlack, '\n');
    std::vector<std::uint8_t> pixels(static_cast<std::size_t>(count) + kPixelSlack);
    const char* const start = padded.data() + kPixelSlack;
    const char* const end = loop(start, ',', count, pixels.data());
    if (end == nullptr) {
        return {};
    }
    pixels.resize(static_cast<std::size_t>(count));
    return std::pair(pixels, end - start);
}

TEST(CsvPixels, every_value_is_read_at_every_place_of_a_block)
{
    for (const PixelParser loop : loops()) {
        for (std::int64_t before = 0; before < 40; ++before) {
            for (int value = 0; value < 256; ++value) {
                std::string text;
                for (std::int64_t i = 0; i < before; ++i) {
                    text += "77,";
                }
                text += std::to_string(value) + "\n";
                const auto read = parsed(loop, text, before + 1);
                ASSERT_TRUE(read) << value << " after " << before;
                ASSERT_EQ(read->first.back(), value) << before;
                ASSERT_EQ(read->second, static_cast<std::ptrdiff_t>(text.size()) - 1);
            }
        }
    }
}

TEST(CsvPixels, every_unusual_field_is_refused_at_every_place_of_a_block)
{
    for (const PixelParser loop : loops()) {
        for (const char* field : {"256", "260", "300", "999", "0001", "1234", "", " 1", "1 ", "+1", "-1", "a",
                                  "1.0", "\"1\"", "\xff"}) {
            for (std::int64_t before = 0; before < 70; ++before) {
                std::string text;
                for (std::int64_t i = 0; i < before; ++i) {
                    text += i % 3 == 0 ? "7," : "255,";
                }
                text += field;
                EXPECT_FALSE(parsed(loop, text + ",9\n", before + 2)) << field << " after " << before;
                EXPECT_FALSE(parsed(loop, text + "\n", before + 1)) << field << " last after " << before;
            }
        }
    }
}

TEST(CsvPixels, a_short_row_never_borrows_from_the_next_line)
{
    for (const PixelParser loop : loops()) {
        for (const char* line_end : {"\n", "\r", "\r\n"}) {
            EXPECT_FALSE(parsed(loop, "1,2,3" + std::string(line_end) + "4,5,6\n", 4));
            EXPECT_FALSE(parsed(loop, std::string(line_end) + "4,5,6\n", 1));
        }
    }
}

TEST(CsvPixels, the_last_field_may_be_followed_by_more_columns)
{
    for (const PixelParser loop : loops()) {
        const auto read = parsed(loop, "1,2,cat\n", 2);
        ASSERT_TRUE(read);
        EXPECT_EQ(read->second, 3);
    }
}

TEST(CsvPixels, all_loops_agree_on_random_rows)
{
    Random random(11);
    const std::string alphabet = "0123456789,,,,\n\r x.-";
    for (int round = 0; round < 20000; ++round) {
        const auto count = static_cast<std::int64_t>(1 + random.below(60));
        std::string text;
        for (std::int64_t i = 0; i < count; ++i) {
            text += std::to_string(random.below(40) == 0 ? random.below(1300) : random.below(256));
            if (random.below(60) == 0) {
                text += alphabet[random.below(alphabet.size())];
            }
            text += i + 1 < count ? ',' : "\n\r,"[random.below(3)];
        }
        const auto plain = parsed(parse_pixels_plain, text, count);
        for (const PixelParser loop : loops()) {
            ASSERT_EQ(parsed(loop, text, count), plain) << text;
        }
    }
}

}  // namespace
}  // namespace lockstep::data
