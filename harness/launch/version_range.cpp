// See the header.
#include "harness/launch/version_range.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <optional>

namespace lockstep::launch {
namespace {

using Numbers = std::array<int, 4>;

std::optional<Numbers> numbers_of(std::string_view text)
{
    Numbers numbers{};
    const char* at = text.data();
    const char* end = text.data() + text.size();
    for (int& number : numbers) {
        const auto [rest, code] = std::from_chars(at, end, number);
        if (code != std::errc() || number < 0) {
            return std::nullopt;
        }
        if (rest == end) {
            return numbers;
        }
        if (*rest != '.') {
            return std::nullopt;
        }
        at = rest + 1;
    }
    return std::nullopt;
}

std::string_view trimmed(std::string_view text)
{
    const std::size_t begin = text.find_first_not_of(' ');
    return begin == std::string_view::npos ? std::string_view()
                                           : text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

std::optional<bool> holds(const Numbers& version, std::string_view term)
{
    const std::size_t digits = term.find_first_not_of("<>=!");
    const std::string_view sign = term.substr(0, digits);
    const std::optional<Numbers> bound =
        digits == std::string_view::npos ? std::nullopt : numbers_of(trimmed(term.substr(digits)));
    if (!bound) {
        return std::nullopt;
    }
    return sign == ">="   ? version >= *bound
           : sign == ">"  ? version > *bound
           : sign == "<=" ? version <= *bound
           : sign == "<"  ? version < *bound
           : sign == "==" ? version == *bound
           : sign == "!=" ? version != *bound
                          : std::optional<bool>();
}

}  // namespace

Result<bool> in_range(std::string_view version, std::string_view range)
{
    const std::optional<Numbers> numbers = numbers_of(version);
    bool inside = numbers.has_value();
    for (std::string_view rest = range; !trimmed(rest).empty();) {
        const std::size_t comma = rest.find(',');
        const std::optional<bool> term = holds(numbers.value_or(Numbers{}), trimmed(rest.substr(0, comma)));
        if (!term) {
            return fail(fmt::format("\"{}\" is not a range of versions.", range),
                        "Write it like \">=3.8,<3.12\".");
        }
        inside = inside && *term;
        rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
    }
    return inside;
}

}  // namespace lockstep::launch
