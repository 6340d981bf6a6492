// The pixel loop in 64-byte blocks of AVX2, free of branches that depend on the pixels.
//
// For every byte position i of a block the value of a field that ends just before i is computed at once,
// from the bytes at i-1 (ones), i-2 (tens) and i-3 (hundreds); then the values at separators are packed
// together. Validity is arithmetic on 64-bit masks, one bit a byte: D digits, S separators.
//   an empty field   a separator right after a separator:      S & S<<1
//   four digits      four digit bits in a row:                 D & D<<1 & D<<2 & D<<3
//   above 255        the byte sum saturates, or three hundreds and more
#include "harness/data/csv_pixels.hpp"

#if defined(__x86_64__)

#include <immintrin.h>

#include <array>
#include <bit>
#include <cstring>

#define LOCKSTEP_AVX2 __attribute__((target("avx2,bmi,bmi2,popcnt")))
#define LOCKSTEP_AVX2_INLINE __attribute__((target("avx2,bmi,bmi2,popcnt"), always_inline)) inline

namespace lockstep::data {
namespace {

// Row m: the positions of the set bits of m, in order; then 0x80, which a byte shuffle turns into zero.
constexpr auto kPack = [] {
    std::array<std::array<std::uint8_t, 8>, 256> rows{};
    for (unsigned mask = 0; mask < 256; ++mask) {
        std::size_t used = 0;
        for (std::uint8_t bit = 0; bit < 8; ++bit) {
            if ((mask >> bit & 1u) != 0) {
                rows[mask][used++] = bit;
            }
        }
        while (used < 8) {
            rows[mask][used++] = 0x80;
        }
    }
    return rows;
}();

struct Constants {
    __m256i zero_character;
    __m256i nine;
    __m256i tens;
    __m256i hundreds;
    __m256i too_many_hundreds;
    __m256i delimiter;
};

// What 32 bytes hold: `values` and `too_large` count at separators only.
struct Half {
    __m256i values;
    __m256i too_large;
    std::uint32_t digits;
    std::uint32_t delimiters;
};

LOCKSTEP_AVX2_INLINE __m256i load(const char* at)
{
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
}

LOCKSTEP_AVX2_INLINE __m256i is_digit(__m256i difference, const Constants& k)
{
    return _mm256_cmpeq_epi8(_mm256_min_epu8(difference, k.nine), difference);
}

LOCKSTEP_AVX2_INLINE Half look_at(const char* at, const Constants& k)
{
    const __m256i here = load(at);
    const __m256i ones = _mm256_sub_epi8(load(at - 1), k.zero_character);
    const __m256i second = _mm256_sub_epi8(load(at - 2), k.zero_character);
    const __m256i third = _mm256_sub_epi8(load(at - 3), k.zero_character);
    // A shuffle looks up the low four bits and gives zero for bytes above 127: zero for all but digits.
    const __m256i below_hundred = _mm256_add_epi8(_mm256_shuffle_epi8(k.tens, second), ones);
    const __m256i hundreds = _mm256_and_si256(_mm256_shuffle_epi8(k.hundreds, third), is_digit(second, k));
    const __m256i sum = _mm256_add_epi8(below_hundred, hundreds);
    const __m256i saturated = _mm256_adds_epu8(below_hundred, hundreds);
    const __m256i delimiters = _mm256_cmpeq_epi8(here, k.delimiter);
    Half half;
    half.values = sum;
    half.too_large =
        _mm256_or_si256(_mm256_xor_si256(sum, saturated), _mm256_cmpeq_epi8(hundreds, k.too_many_hundreds));
    half.digits = static_cast<std::uint32_t>(
        _mm256_movemask_epi8(is_digit(_mm256_sub_epi8(here, k.zero_character), k)));
    half.delimiters = static_cast<std::uint32_t>(_mm256_movemask_epi8(delimiters));
    return half;
}

LOCKSTEP_AVX2_INLINE void pack_eight(__m128i values, std::uint32_t mask, std::uint8_t*& out)
{
    std::uint64_t positions;
    std::memcpy(&positions, kPack[mask].data(), sizeof positions);
    _mm_storel_epi64(reinterpret_cast<__m128i*>(out),
                     _mm_shuffle_epi8(values, _mm_cvtsi64_si128(static_cast<long long>(positions))));
    out += std::popcount(mask);
}

LOCKSTEP_AVX2_INLINE void pack(__m256i values, std::uint32_t mask, std::uint8_t*& out)
{
    const __m128i low = _mm256_castsi256_si128(values);
    const __m128i high = _mm256_extracti128_si256(values, 1);
    pack_eight(low, mask & 0xff, out);
    pack_eight(_mm_unpackhi_epi64(low, low), mask >> 8 & 0xff, out);
    pack_eight(high, mask >> 16 & 0xff, out);
    pack_eight(_mm_unpackhi_epi64(high, high), mask >> 24, out);
}

LOCKSTEP_AVX2_INLINE std::uint64_t line_ends(const char* at)
{
    std::uint64_t mask = 0;
    for (int half = 0; half < 2; ++half) {
        const __m256i here = load(at + 32 * half);
        const __m256i ends = _mm256_or_si256(_mm256_cmpeq_epi8(here, _mm256_set1_epi8('\n')),
                                             _mm256_cmpeq_epi8(here, _mm256_set1_epi8('\r')));
        mask |= static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm256_movemask_epi8(ends)))
                << 32 * half;
    }
    return mask;
}

LOCKSTEP_AVX2 const char* parse(const char* at, char delimiter, std::int64_t count, std::uint8_t* pixels)
{
    const Constants k{
        _mm256_set1_epi8('0'),
        _mm256_set1_epi8(9),
        _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 0, 0, 0, 0, 0, 0)),
        _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 100, char(200), char(255), char(255), char(255),
                                                  char(255), char(255), char(255), char(255), 0, 0, 0, 0, 0,
                                                  0)),
        _mm256_set1_epi8(char(255)),
        _mm256_set1_epi8(delimiter)};
    std::uint8_t* out = pixels;
    std::uint8_t* const end = pixels + count;
    std::uint64_t digits_before = 0;
    std::uint64_t separators_before = std::uint64_t{1} << 63;
    __m256i too_large = _mm256_setzero_si256();
    std::uint64_t wrong = 0;
    while (true) {
        const Half low = look_at(at, k);
        const Half high = look_at(at + 32, k);
        const std::uint64_t digits = low.digits | static_cast<std::uint64_t>(high.digits) << 32;
        const std::uint64_t delimiters = low.delimiters | static_cast<std::uint64_t>(high.delimiters) << 32;
        const std::uint64_t four = digits & (digits << 1 | digits_before >> 63) &
                                   (digits << 2 | digits_before >> 62) & (digits << 3 | digits_before >> 61);
        const int fields = std::popcount(delimiters);
        if ((digits | delimiters) == ~std::uint64_t{0} && fields < end - out) {
            wrong |= four | (delimiters & (delimiters << 1 | separators_before >> 63));
            too_large = _mm256_or_si256(
                too_large, _mm256_and_si256(low.too_large, _mm256_cmpeq_epi8(load(at), k.delimiter)));
            too_large = _mm256_or_si256(
                too_large, _mm256_and_si256(high.too_large, _mm256_cmpeq_epi8(load(at + 32), k.delimiter)));
            pack(low.values, low.delimiters, out);
            pack(high.values, high.delimiters, out);
            digits_before = digits;
            separators_before = delimiters;
            at += 64;
            continue;
        }
        // The block in which the last field ends, or in which something is wrong.
        const std::uint64_t ends = line_ends(at);
        const std::uint64_t separators = delimiters | ends;
        const std::int64_t missing = end - out;
        if (std::popcount(separators) < missing) {
            return nullptr;
        }
        const std::uint64_t last = _pdep_u64(std::uint64_t{1} << (missing - 1), separators);
        const std::uint64_t before = last - 1;
        const std::uint64_t kept = separators & (before | last);
        const std::uint64_t large =
            static_cast<std::uint32_t>(_mm256_movemask_epi8(low.too_large)) |
            static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm256_movemask_epi8(high.too_large)))
                << 32;
        wrong |= (four & before) | (~(digits | delimiters) & before) | (large & kept) |
                 (kept & (separators << 1 | separators_before >> 63));
        if (wrong != 0 || _mm256_testz_si256(too_large, too_large) == 0) {
            return nullptr;
        }
        pack(low.values, static_cast<std::uint32_t>(kept), out);
        pack(high.values, static_cast<std::uint32_t>(kept >> 32), out);
        return at + std::countr_zero(last);
    }
}

}  // namespace

PixelParser parse_pixels_avx2()
{
    static const bool runs = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("bmi") != 0 &&
                             __builtin_cpu_supports("bmi2") != 0 && __builtin_cpu_supports("popcnt") != 0;
    return runs ? parse : nullptr;
}

}  // namespace lockstep::data

#else

namespace lockstep::data {

PixelParser parse_pixels_avx2()
{
    return nullptr;
}

}  // namespace lockstep::data

#endif
