// Random numbers that are the same on every machine and standard library, unlike std distributions.
// Generator: xoshiro256** seeded by splitmix64 (Blackman & Vigna, 2018); bounded integers by Lemire's
// method (2019), so no value is more likely than another.
#pragma once

#include <array>
#include <cstdint>
#include <numeric>
#include <vector>

namespace lockstep {

class Random {
public:
    explicit Random(std::uint64_t seed);
    // An independent stream for one purpose: the same seed and purpose always give the same numbers.
    Random(std::uint64_t seed, std::uint64_t purpose);

    std::uint64_t next();
    std::uint64_t below(std::uint64_t bound);  // uniform on 0..bound-1; requires bound > 0
    double uniform();                          // uniform on [0, 1), 53 bits

private:
    std::array<std::uint64_t, 4> state_;
};

// Fisher-Yates.
template <class T>
void shuffle(std::vector<T>& items, Random& random)
{
    for (std::size_t i = items.size(); i > 1; --i) {
        std::swap(items[i - 1], items[random.below(i)]);
    }
}

}  // namespace lockstep
