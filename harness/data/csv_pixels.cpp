// The portable loop, and the choice between loops.
#include "harness/data/csv_pixels.hpp"

namespace lockstep::data {

const char* parse_pixels_plain(const char* at, char delimiter, std::int64_t count, std::uint8_t* pixels)
{
    // The difference to '0' of a character that is no digit is above 9 as an unsigned number.
    const auto digit = [](char c) { return static_cast<unsigned>(static_cast<unsigned char>(c)) - '0'; };
    for (std::int64_t i = 0; i < count; ++i) {
        unsigned value = digit(*at++);
        if (value > 9) {
            return nullptr;
        }
        for (int more = 0; more < 2; ++more) {
            const unsigned next = digit(*at);
            if (next > 9) {
                break;
            }
            value = value * 10 + next;
            ++at;
        }
        const bool last = i + 1 == count;
        if (value > 255 || (*at != delimiter && !(last && (*at == '\n' || *at == '\r')))) {
            return nullptr;
        }
        pixels[i] = static_cast<std::uint8_t>(value);
        at += last ? 0 : 1;
    }
    return at;
}

PixelParser pixel_parser()
{
    static const PixelParser best = parse_pixels_avx2() != nullptr ? parse_pixels_avx2() : parse_pixels_plain;
    return best;
}

}  // namespace lockstep::data
