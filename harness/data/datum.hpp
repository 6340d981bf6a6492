// The Datum message of image databases, in protocol-buffer wire format: channels = 1, height = 2,
// width = 3 (varints), data = 4 (bytes, channel by channel), label = 5 (varint), float_data = 6, encoded = 7.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace lockstep::data {

struct Datum {
    std::int64_t channels = 0;
    std::int64_t height = 0;
    std::int64_t width = 0;
    std::int64_t label = 0;
    std::string_view data;    // points into the message
    bool encoded = false;     // data is a PNG or JPEG file
    bool has_floats = false;  // values are in float_data, which is not read
};

// Absent when the bytes are no such message. Unknown fields are skipped.
std::optional<Datum> read_datum(std::string_view message);

// Appends the message to `out`.
void write_datum(const Datum& datum, std::string& out);

}  // namespace lockstep::data
