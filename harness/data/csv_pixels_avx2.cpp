// The pixel loop in 64-byte blocks of AVX2, free of branches that depend on the pixels.
//
// For every byte position i of a block the value of a field that ends just before i is computed at once,
// from the bytes at i-1 (ones), i-2 (tens) and i-3 (hundreds), and set to zero where no separator stands;
// then the values at separators are packed together. Two separators are never neighbours, so that each pair
// of bytes holds one value at most: the pairs are added first, which halves the packing. Validity is
// arithmetic on 64-bit masks, one bit a byte: D digits, S separators.
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
    __m256i to_top;     // moves '0'..'9' to 0x76..0x7f, the ten largest signed bytes
    __m256i below_ten;  // 0x75
    __m256i tens;       // by the low four bits of a digit: ten times it, less '0' for the ones
    __m256i hundreds;   // by the low four bits of a digit: a hundred times it, 255 from 3 on
    __m256i delimiter;
};

// What 32 bytes hold. Zero but at separators: `values`, `overflow` (not zero above 255), `hundreds`.
struct Half {
    __m256i values;
    __m256i overflow;
    __m256i hundreds;
    __m256i digits;
};

LOCKSTEP_AVX2_INLINE __m256i load(const char* at)
{
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
}

LOCKSTEP_AVX2_INLINE __m256i is_digit(__m256i characters, const Constants& k)
{
    return _mm256_cmpgt_epi8(_mm256_add_epi8(characters, k.to_top), k.below_ten);
}

LOCKSTEP_AVX2_INLINE std::uint32_t mask_of(__m256i bytes)
{
    return static_cast<std::uint32_t>(_mm256_movemask_epi8(bytes));
}

LOCKSTEP_AVX2_INLINE std::uint64_t mask_of(__m256i low, __m256i high)
{
    return mask_of(low) | static_cast<std::uint64_t>(mask_of(high)) << 32;
}

// `separators`: all ones where one stands. Text that is no digit counts as none: it looks up index 0.
LOCKSTEP_AVX2_INLINE Half look_at(const char* at, __m256i separators, const Constants& k)
{
    const __m256i second = load(at - 2);
    const __m256i has_tens = is_digit(second, k);
    const __m256i tens = _mm256_shuffle_epi8(k.tens, _mm256_and_si256(second, has_tens));
    // What is not a digit here, a delimiter or a line end, gets an index without hundreds.
    const __m256i third = _mm256_sub_epi8(load(at - 3), k.zero_character);
    const __m256i hundreds = _mm256_and_si256(_mm256_shuffle_epi8(k.hundreds, third), has_tens);
    const __m256i below_hundred = _mm256_and_si256(_mm256_add_epi8(tens, load(at - 1)), separators);
    Half half;
    half.hundreds = _mm256_and_si256(hundreds, separators);
    half.values = _mm256_add_epi8(below_hundred, half.hundreds);
    half.overflow = _mm256_xor_si256(half.values, _mm256_adds_epu8(below_hundred, half.hundreds));
    half.digits = is_digit(load(at), k);
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

// Any separators.
LOCKSTEP_AVX2_INLINE void pack(__m256i values, std::uint32_t mask, std::uint8_t*& out)
{
    const __m128i low = _mm256_castsi256_si128(values);
    const __m128i high = _mm256_extracti128_si256(values, 1);
    pack_eight(low, mask & 0xff, out);
    pack_eight(_mm_unpackhi_epi64(low, low), mask >> 8 & 0xff, out);
    pack_eight(high, mask >> 16 & 0xff, out);
    pack_eight(_mm_unpackhi_epi64(high, high), mask >> 24, out);
}

// Separators of which no two are neighbours.
LOCKSTEP_AVX2_INLINE void pack_pairs(const Half& low, const Half& high, std::uint64_t mask,
                                     std::uint8_t*& out)
{
    const __m256i ones = _mm256_set1_epi8(1);
    // Eight pairs each: low's first, high's first, low's last, high's last.
    const __m256i pairs =
        _mm256_packus_epi16(_mm256_maddubs_epi16(low.values, ones), _mm256_maddubs_epi16(high.values, ones));
    const auto taken = static_cast<std::uint32_t>(_pext_u64(mask | mask >> 1, 0x5555555555555555u));
    const __m128i first = _mm256_castsi256_si128(pairs);
    const __m128i last = _mm256_extracti128_si256(pairs, 1);
    pack_eight(first, taken & 0xff, out);
    pack_eight(last, taken >> 8 & 0xff, out);
    pack_eight(_mm_unpackhi_epi64(first, first), taken >> 16 & 0xff, out);
    pack_eight(_mm_unpackhi_epi64(last, last), taken >> 24, out);
}

LOCKSTEP_AVX2_INLINE __m256i delimiters_or_ends(const char* at, const Constants& k)
{
    const __m256i here = load(at);
    const __m256i ends = _mm256_or_si256(_mm256_cmpeq_epi8(here, _mm256_set1_epi8('\n')),
                                         _mm256_cmpeq_epi8(here, _mm256_set1_epi8('\r')));
    return _mm256_or_si256(ends, _mm256_cmpeq_epi8(here, k.delimiter));
}

// What is carried from block to block.
struct Course {
    std::uint64_t two_digits = 0;                       // D & D<<1 of the block before
    std::uint64_t digits = 0;                           // D of the block before
    std::uint64_t separators = std::uint64_t{1} << 63;  // S of the block before
    std::uint64_t wrong = 0;
    __m256i overflow;
    __m256i hundreds;  // the largest
};

// The block in which the last field ends, or in which something is wrong.
LOCKSTEP_AVX2_INLINE const char* parse_last(const char* at, const Constants& k, std::int64_t missing,
                                            const Course& before_it, std::uint8_t* out)
{
    const __m256i low_separators = delimiters_or_ends(at, k);
    const __m256i high_separators = delimiters_or_ends(at + 32, k);
    const std::uint64_t separators = mask_of(low_separators, high_separators);
    if (std::popcount(separators) < missing) {
        return nullptr;
    }
    const Half low = look_at(at, low_separators, k);
    const Half high = look_at(at + 32, high_separators, k);
    const std::uint64_t delimiters =
        mask_of(_mm256_cmpeq_epi8(load(at), k.delimiter), _mm256_cmpeq_epi8(load(at + 32), k.delimiter));
    const std::uint64_t digits = mask_of(low.digits, high.digits);
    const std::uint64_t two = digits & (digits << 1 | before_it.digits >> 63);
    const std::uint64_t four = two & (two << 2 | before_it.two_digits >> 62);
    const std::uint64_t last = _pdep_u64(std::uint64_t{1} << (missing - 1), separators);
    const std::uint64_t before = last - 1;
    const std::uint64_t kept = separators & (before | last);
    const __m256i zero = _mm256_setzero_si256();
    const __m256i largest = _mm256_set1_epi8(char(255));
    const std::uint64_t fits =
        mask_of(_mm256_cmpeq_epi8(low.overflow, zero), _mm256_cmpeq_epi8(high.overflow, zero)) &
        ~mask_of(_mm256_cmpeq_epi8(low.hundreds, largest), _mm256_cmpeq_epi8(high.hundreds, largest));
    const std::uint64_t wrong = before_it.wrong | (four & before) | (~(digits | delimiters) & before) |
                                (kept & ~fits) | (kept & (separators << 1 | before_it.separators >> 63));
    const __m256i too_large =
        _mm256_or_si256(before_it.overflow, _mm256_cmpeq_epi8(before_it.hundreds, largest));
    if (wrong != 0 || _mm256_testz_si256(too_large, too_large) == 0) {
        return nullptr;
    }
    pack(low.values, static_cast<std::uint32_t>(kept), out);
    pack(high.values, static_cast<std::uint32_t>(kept >> 32), out);
    return at + std::countr_zero(last);
}

LOCKSTEP_AVX2 const char* parse(const char* at, char delimiter, std::int64_t count, std::uint8_t* pixels)
{
    constexpr auto tens_of = [](int digit) { return static_cast<char>(10 * digit - '0'); };
    const Constants k{_mm256_set1_epi8('0'),
                      _mm256_set1_epi8(0x76 - '0'),
                      _mm256_set1_epi8(0x75),
                      _mm256_broadcastsi128_si256(_mm_setr_epi8(
                          tens_of(0), tens_of(1), tens_of(2), tens_of(3), tens_of(4), tens_of(5), tens_of(6),
                          tens_of(7), tens_of(8), tens_of(9), 0, 0, 0, 0, 0, 0)),
                      _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 100, char(200), char(255), char(255),
                                                                char(255), char(255), char(255), char(255),
                                                                char(255), 0, 0, 0, 0, 0, 0)),
                      _mm256_set1_epi8(delimiter)};
    std::uint8_t* out = pixels;
    std::uint8_t* const end = pixels + count;
    Course course;
    course.overflow = course.hundreds = _mm256_setzero_si256();
    while (true) {
        const __m256i low_delimiters = _mm256_cmpeq_epi8(load(at), k.delimiter);
        const __m256i high_delimiters = _mm256_cmpeq_epi8(load(at + 32), k.delimiter);
        const Half low = look_at(at, low_delimiters, k);
        const Half high = look_at(at + 32, high_delimiters, k);
        const std::uint64_t delimiters = mask_of(low_delimiters, high_delimiters);
        const __m256i valid = _mm256_and_si256(_mm256_or_si256(low.digits, low_delimiters),
                                               _mm256_or_si256(high.digits, high_delimiters));
        if (mask_of(valid) != ~std::uint32_t{0} || std::popcount(delimiters) >= end - out) {
            return parse_last(at, k, end - out, course, out);
        }
        const std::uint64_t digits = ~delimiters;
        const std::uint64_t two = digits & (digits << 1 | course.digits >> 63);
        course.wrong |= two & (two << 2 | course.two_digits >> 62);
        course.wrong |= delimiters & (delimiters << 1 | course.separators >> 63);
        course.two_digits = two;
        course.digits = digits;
        course.separators = delimiters;
        course.overflow = _mm256_or_si256(course.overflow, _mm256_or_si256(low.overflow, high.overflow));
        course.hundreds = _mm256_max_epu8(course.hundreds, _mm256_max_epu8(low.hundreds, high.hundreds));
        pack_pairs(low, high, delimiters, out);
        at += 64;
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
