// Hand-written, since the library's readers also take exponents, hexadecimal digits or partial text.
#include "harness/data/csv_value.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace lockstep::data {
namespace {

constexpr std::size_t kLongestQuote = 40;

bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

std::size_t digits_at(std::string_view text, std::size_t at)
{
    std::size_t end = at;
    while (end < text.size() && is_digit(text[end])) {
        ++end;
    }
    return end - at;
}

}  // namespace

std::string_view trimmed(std::string_view text)
{
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) {
        text.remove_prefix(1);
    }
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) {
        text.remove_suffix(1);
    }
    return text;
}

std::optional<std::int64_t> whole_number(std::string_view text)
{
    text = trimmed(text);
    const bool negative = text.starts_with('-');
    if (negative || text.starts_with('+')) {
        text.remove_prefix(1);
    }
    const std::size_t digits = digits_at(text, 0);
    if (digits == 0) {
        return {};
    }
    if (digits < text.size()) {
        const std::string_view fraction = text.substr(digits + 1);
        if (text[digits] != '.' || fraction.empty() ||
            fraction.find_first_not_of('0') != std::string_view::npos) {
            return {};
        }
    }
    std::int64_t value = 0;
    for (const char c : text.substr(0, digits)) {
        if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, c - '0', &value)) {
            return {};
        }
    }
    return negative ? -value : value;
}

std::optional<std::uint8_t> pixel_value(std::string_view text)
{
    const std::optional<std::int64_t> value = whole_number(text);
    if (!value || *value < 0 || *value > 255 || text.find('-') != std::string_view::npos) {
        return {};
    }
    return static_cast<std::uint8_t>(*value);
}

bool is_number_like(std::string_view text)
{
    text = trimmed(text);
    if (text.starts_with('-') || text.starts_with('+')) {
        text.remove_prefix(1);
    }
    const std::size_t whole = digits_at(text, 0);
    std::size_t at = whole;
    std::size_t fraction = 0;
    if (at < text.size() && text[at] == '.') {
        fraction = digits_at(text, at + 1);
        at += 1 + fraction;
    }
    if (whole + fraction == 0) {
        return false;
    }
    if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
        const std::size_t sign = at + 1 < text.size() && (text[at + 1] == '-' || text[at + 1] == '+') ? 1 : 0;
        const std::size_t exponent = digits_at(text, at + 1 + sign);
        return exponent > 0 && at + 1 + sign + exponent == text.size();
    }
    return at == text.size();
}

std::string quoted(std::string_view text)
{
    std::string shown = "\"";
    for (const char c : text.substr(0, kLongestQuote)) {
        const auto byte = static_cast<unsigned char>(c);
        shown += byte < 0x20 || byte == 0x7f ? fmt::format("\\x{:02x}", byte) : std::string(1, c);
    }
    return shown + (text.size() > kLongestQuote ? "...\"" : "\"");
}

}  // namespace lockstep::data
