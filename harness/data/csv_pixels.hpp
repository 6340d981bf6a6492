// The inner loop of reading a table: a run of plain pixel fields, at the speed of memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace lockstep::data {

// Reads `count` fields that start at `at`, each of one to three digits with a value of at most 255, each
// ended by `delimiter`, the last one by the delimiter or by a line end ('\n' or '\r'). Returns where the
// last field's end stands, or nullptr when the text is anything else (also a valid but unusual spelling);
// `pixels` is undefined then.
// Requires: count > 0; a line end at or after `at`, then kPixelSlack readable bytes; kPixelSlack readable
// bytes before `at`, the last of them a delimiter or a line end; room for count + kPixelSlack values in
// `pixels`; a delimiter that is_fast_delimiter accepts.
using PixelParser = const char* (*)(const char* at, char delimiter, std::int64_t count, std::uint8_t* pixels);

inline constexpr std::size_t kPixelSlack = 128;

// Delimiters that cannot be mistaken for a digit by the loops' arithmetic.
inline bool is_fast_delimiter(char c)
{
    return std::string_view(",;\t| :").find(c) != std::string_view::npos;
}

// The fastest parser that this processor runs.
PixelParser pixel_parser();

// Each of them, for tests and comparisons.
const char* parse_pixels_plain(const char* at, char delimiter, std::int64_t count, std::uint8_t* pixels);
PixelParser parse_pixels_avx2();  // nullptr on a processor without AVX2 and BMI2

}  // namespace lockstep::data
