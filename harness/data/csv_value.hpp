// Numbers in text, by exact rules: what is a pixel, what is a whole number, how to quote what is neither.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lockstep::data {

// Without spaces and tabs at both ends.
std::string_view trimmed(std::string_view text);

// A whole number as tables spell it: spaces around, a sign, leading zeros and a fraction of zeros
// ("128.0") are allowed; exponents, thousands separators and everything else are not. Absent for other
// text and beyond 64 bits.
std::optional<std::int64_t> whole_number(std::string_view text);

// The same for a pixel: 0 to 255, without a minus sign. Absent otherwise.
std::optional<std::uint8_t> pixel_value(std::string_view text);

// True for anything that a reader of decimal numbers would take: fractions, exponents, huge numbers too.
bool is_number_like(std::string_view text);

// For messages: in double quotes, control characters as \xNN, cut after 40 bytes.
std::string quoted(std::string_view text);

}  // namespace lockstep::data
