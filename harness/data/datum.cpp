// Wire format: https://protobuf.dev/programming-guides/encoding.
#include "harness/data/datum.hpp"

namespace lockstep::data {
namespace {

std::optional<std::uint64_t> take_varint(std::string_view& rest)
{
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && !rest.empty(); shift += 7) {
        const auto byte = static_cast<unsigned char>(rest.front());
        rest.remove_prefix(1);
        value |= static_cast<std::uint64_t>(byte & 0x7fu) << shift;
        if (byte < 0x80) {
            return value;
        }
    }
    return {};
}

std::optional<std::string_view> take_bytes(std::string_view& rest, std::uint64_t size)
{
    if (size > rest.size()) {
        return {};
    }
    const std::string_view bytes = rest.substr(0, size);
    rest.remove_prefix(size);
    return bytes;
}

void put_varint(std::uint64_t value, std::string& out)
{
    while (value >= 0x80) {
        out.push_back(static_cast<char>(value | 0x80));
        value >>= 7;
    }
    out.push_back(static_cast<char>(value));
}

void put_field(unsigned number, std::int64_t value, std::string& out)
{
    put_varint(number << 3, out);
    put_varint(static_cast<std::uint64_t>(value), out);
}

}  // namespace

std::optional<Datum> read_datum(std::string_view rest)
{
    Datum datum;
    while (!rest.empty()) {
        const auto tag = take_varint(rest);
        if (!tag) {
            return {};
        }
        const std::uint64_t field = *tag >> 3;
        const std::uint64_t wire = *tag & 7u;
        if (wire == 0) {
            const auto value = take_varint(rest);
            if (!value) {
                return {};
            }
            const auto number = static_cast<std::int64_t>(*value);
            switch (field) {
                case 1:
                    datum.channels = number;
                    break;
                case 2:
                    datum.height = number;
                    break;
                case 3:
                    datum.width = number;
                    break;
                case 5:
                    datum.label = number;
                    break;
                case 7:
                    datum.encoded = number != 0;
                    break;
                default:
                    break;
            }
            continue;
        }
        const auto size = wire == 1   ? std::optional<std::uint64_t>(8)
                          : wire == 5 ? std::optional<std::uint64_t>(4)
                          : wire == 2 ? take_varint(rest)
                                      : std::nullopt;
        const auto bytes = size ? take_bytes(rest, *size) : std::nullopt;
        if (!bytes) {
            return {};
        }
        datum.has_floats = datum.has_floats || field == 6;
        if (field == 4 && wire == 2) {
            datum.data = *bytes;
        }
    }
    return datum;
}

void write_datum(const Datum& datum, std::string& out)
{
    put_field(1, datum.channels, out);
    put_field(2, datum.height, out);
    put_field(3, datum.width, out);
    put_varint(4 << 3 | 2, out);
    put_varint(datum.data.size(), out);
    out.append(datum.data);
    put_field(5, datum.label, out);
}

}  // namespace lockstep::data
