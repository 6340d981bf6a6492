// Reads a name from its end: digits, and up to two crosses between digits.
#include "harness/data/pixel_name.hpp"

#include <algorithm>
#include <charconv>

#include "harness/data/csv_value.hpp"

namespace lockstep::data {

std::optional<PixelName> pixel_name(std::string_view name)
{
    name = trimmed(name);
    PixelName result;
    std::size_t end = name.size();
    while (true) {
        std::size_t start = end;
        while (start > 0 && name[start - 1] >= '0' && name[start - 1] <= '9') {
            --start;
        }
        std::int64_t number = 0;
        const char* const last = name.data() + end;
        if (start == end || std::from_chars(name.data() + start, last, number).ec != std::errc()) {
            return {};
        }
        std::shift_right(result.numbers.begin(), result.numbers.end(), 1);
        result.numbers[0] = number;
        ++result.kind;
        const bool crossed = start >= 2 && (name[start - 1] == 'x' || name[start - 1] == 'X') &&
                             name[start - 2] >= '0' && name[start - 2] <= '9' &&
                             result.kind < result.numbers.size();
        if (!crossed) {
            result.prefix = name.substr(0, start);
            return result;
        }
        end = start - 1;
    }
}

}  // namespace lockstep::data
