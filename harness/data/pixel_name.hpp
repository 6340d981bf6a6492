// Column names that say which pixel they hold: "pixel12", "px_3", "12", "3x5", "p3x5x1".
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace lockstep::data {

struct PixelName {
    std::string_view prefix;                // points into the name
    std::size_t kind = 0;                   // how many numbers follow it
    std::array<std::int64_t, 3> numbers{};  // one: an index; two: row, column; three: row, column, channel
};

// Absent for a name that does not end in such numbers. Surrounding spaces do not count.
std::optional<PixelName> pixel_name(std::string_view name);

}  // namespace lockstep::data
