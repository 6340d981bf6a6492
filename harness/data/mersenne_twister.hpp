// NumPy's RandomState as far as splits need it: the MT19937 generator (Matsumoto & Nishimura, 1998) and
// the bounded draws, shuffles and choices whose order of draws RandomState has frozen.
#pragma once

#include <array>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace lockstep::data {

class MersenneTwister {
public:
    explicit MersenneTwister(std::uint32_t seed);

    std::uint32_t next();

    // Uniform on 0..most, by masking and drawing again.
    std::uint64_t up_to(std::uint64_t most);

    template <class T>
    void shuffle(std::vector<T>& items)
    {
        for (std::size_t i = items.size(); i-- > 1;) {
            std::swap(items[i], items[up_to(i)]);
        }
    }

    // 0..count-1 in random order.
    std::vector<std::int64_t> permutation(std::int64_t count)
    {
        std::vector<std::int64_t> items(static_cast<std::size_t>(count));
        std::iota(items.begin(), items.end(), 0);
        shuffle(items);
        return items;
    }

private:
    void refill();

    static constexpr std::size_t kWords = 624;
    std::array<std::uint32_t, kWords> state_;
    std::size_t used_ = kWords;
};

}  // namespace lockstep::data
