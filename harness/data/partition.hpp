// Partition: the training images of a data set become a training and a test part.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "harness/base/error.hpp"
#include "harness/data/dataset.hpp"
#include "harness/data/split.hpp"

namespace lockstep::data {

struct PartitionOptions {
    SplitSizes sizes;
    bool stratify = false;   // both parts get the classes in the proportions of the whole
    std::uint64_t seed = 0;  // at most 2^32 - 1
    bool drop_test = false;  // a test part that the data set has already is left out
};

// The split of the training images, in the order in which harness/data/split.hpp gives it. Fails where that
// does, and when the data set has a test part already and options.drop_test is false.
Result<Split> split_of(const Dataset& data, const PartitionOptions& options);

// Makes the new data set `out`, whole or not at all; both parts keep the order of `data`, and classes stay.
// When `out` holds the result of the same data and options, it is returned. Fails where split_of does, when
// `out` holds anything else, and on a full disk. Memory: that of the file mappings, and 8 bytes an image.
Result<Dataset> partition_dataset(const Dataset& data, const PartitionOptions& options,
                                  const std::filesystem::path& out);

// The split alone: train_indices.npy and test_indices.npy (int64, from 0, in the split's order) in the folder
// `out`, which is made when it is missing. Fails where split_of does, when one of the files exists already,
// and when it cannot be written.
Result<Split> write_indices(const Dataset& data, const PartitionOptions& options,
                            const std::filesystem::path& out);

}  // namespace lockstep::data
