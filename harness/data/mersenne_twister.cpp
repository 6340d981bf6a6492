// MT19937 with the reference constants; std::mt19937 gives the same words, but its place in a shuffle
// (masked redraws, 64-bit draws from two words) is what has to match, so both stand here together.
#include "harness/data/mersenne_twister.hpp"

#include <bit>

namespace lockstep::data {

MersenneTwister::MersenneTwister(std::uint32_t seed)
{
    for (std::size_t i = 0; i < kWords; ++i) {
        state_[i] = seed;
        seed = 1812433253u * (seed ^ (seed >> 30)) + static_cast<std::uint32_t>(i + 1);
    }
}

void MersenneTwister::refill()
{
    constexpr std::size_t kMiddle = 397;
    constexpr std::uint32_t kUpper = 0x80000000u;
    constexpr std::uint32_t kMatrix = 0x9908b0dfu;
    for (std::size_t i = 0; i < kWords; ++i) {
        const std::uint32_t joined = (state_[i] & kUpper) | (state_[(i + 1) % kWords] & ~kUpper);
        state_[i] = state_[(i + kMiddle) % kWords] ^ (joined >> 1) ^ ((joined & 1u) != 0 ? kMatrix : 0u);
    }
    used_ = 0;
}

std::uint32_t MersenneTwister::next()
{
    if (used_ == kWords) {
        refill();
    }
    std::uint32_t word = state_[used_++];
    word ^= word >> 11;
    word ^= (word << 7) & 0x9d2c5680u;
    word ^= (word << 15) & 0xefc60000u;
    return word ^ (word >> 18);
}

std::uint64_t MersenneTwister::up_to(std::uint64_t most)
{
    if (most == 0) {
        return 0;
    }
    const std::uint64_t mask = ~std::uint64_t{0} >> std::countl_zero(most);
    const bool wide = most > 0xffffffffu;
    while (true) {
        std::uint64_t value = next();
        if (wide) {
            value = value << 32 | next();
        }
        if ((value & mask) <= most) {
            return value & mask;
        }
    }
}

}  // namespace lockstep::data
