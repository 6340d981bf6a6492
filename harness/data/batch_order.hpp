// The order in which every worker sees the training images.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "harness/base/error.hpp"

namespace lockstep::data {

// Steps of an epoch: whole batches only. Requires: batch > 0.
inline std::int64_t steps_of_epoch(std::int64_t images, std::int64_t batch)
{
    return images / batch;
}

// A permutation of `part` (indices into the training images) that depends on part, seed and epoch
// alone, cut to whole batches: steps x batch indices, batch after batch. Epochs count from 0.
// Fails when batch < 1, or when part is smaller than one batch.
Result<std::vector<std::int64_t>> batch_order(std::span<const std::int64_t> part, std::int64_t batch,
                                              std::uint64_t seed, std::int64_t epoch);

// The same over all training images 0..images-1.
Result<std::vector<std::int64_t>> batch_order(std::int64_t images, std::int64_t batch, std::uint64_t seed,
                                              std::int64_t epoch);

}  // namespace lockstep::data
