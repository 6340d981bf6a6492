// xoshiro256** and its seeding.
#include "harness/base/random.hpp"

#include <bit>

namespace lockstep {
namespace {

std::uint64_t splitmix(std::uint64_t& state)
{
    std::uint64_t z = (state += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
}

}  // namespace

Random::Random(std::uint64_t seed)
{
    for (std::uint64_t& word : state_) {
        word = splitmix(seed);
    }
}

Random::Random(std::uint64_t seed, std::uint64_t purpose) : Random(splitmix(seed) ^ splitmix(purpose)) {}

std::uint64_t Random::next()
{
    const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
    const std::uint64_t t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = std::rotl(state_[3], 45);
    return result;
}

std::uint64_t Random::below(std::uint64_t bound)
{
    __extension__ using Wide = unsigned __int128;
    Wide product = static_cast<Wide>(next()) * bound;
    if (static_cast<std::uint64_t>(product) < bound) {
        const std::uint64_t threshold = (0 - bound) % bound;
        while (static_cast<std::uint64_t>(product) < threshold) {
            product = static_cast<Wide>(next()) * bound;
        }
    }
    return static_cast<std::uint64_t>(product >> 64);
}

double Random::uniform()
{
    return static_cast<double>(next() >> 11) * 0x1.0p-53;
}

}  // namespace lockstep
