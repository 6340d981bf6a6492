// Independent uniform permutations from the printed seed.
#include "harness/pipeline/schedule.hpp"

#include <numeric>

#include "harness/base/random.hpp"

namespace lockstep::pipeline {
namespace {

// Purposes of random streams, so that no two uses of one seed share numbers.
constexpr std::uint64_t kOrder = 1;
constexpr std::uint64_t kBlockSeed = 2;

std::vector<std::size_t> permutation(std::size_t size, Random& random)
{
    std::vector<std::size_t> items(size);
    std::iota(items.begin(), items.end(), std::size_t{0});
    shuffle(items, random);
    return items;
}

}  // namespace

std::vector<Turn> turns_of_block(std::uint64_t seed, int block, std::size_t networks, std::size_t arms)
{
    const std::uint64_t number = static_cast<std::uint64_t>(block);
    Random order(seed, kOrder + 16 * number);
    // 32 bits, so that every framework's own generator can take it.
    const std::uint64_t block_seed = Random(seed, kBlockSeed + 16 * number).next() >> 32;
    std::vector<Turn> turns;
    for (const std::size_t network : permutation(networks, order)) {
        for (const std::size_t arm : permutation(arms, order)) {
            turns.push_back(
                {block, static_cast<int>(turns.size()) + 1, network, arm, block_seed, order.next()});
        }
    }
    return turns;
}

}  // namespace lockstep::pipeline
