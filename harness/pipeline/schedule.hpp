// In which order runs are made: every arm once in every block, in an order drawn anew for each block and
// network from the seed, so that drift of the machine favours no one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::pipeline {

// One run to be made: indices into the plan's networks and arms.
struct Turn {
    int block = 0;     // from 1
    int position = 0;  // within its block, from 1
    std::size_t network = 0;
    std::size_t arm = 0;
    std::uint64_t seed = 0;    // of the block: weights and batch order are the same for all its arms
    std::uint64_t jitter = 0;  // of this run alone: size of the environment
};

// All turns of block `block`. Networks in random order, and within each its arms in random order, back to
// back. The same arguments give the same turns. Requires: block >= 1.
std::vector<Turn> turns_of_block(std::uint64_t seed, int block, std::size_t networks, std::size_t arms);

}  // namespace lockstep::pipeline
