// Splits into a train and a test part; stratified: both have the classes in the proportions of the whole.
//
// The index sets, and their order, are those of scikit-learn's
// train_test_split(indices, test_size=.., train_size=.., stratify=labels or None, random_state=seed).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "harness/base/error.hpp"

namespace lockstep::data {

struct Split {
    std::vector<std::int64_t> train;
    std::vector<std::int64_t> test;
};

// The size of a part: a count of images (int64) or a share of all images (double).
using PartSize = std::variant<std::int64_t, double>;

// A part without a size gets what the other leaves; with neither, test is a quarter.
struct SplitSizes {
    std::optional<PartSize> test;
    std::optional<PartSize> train;
};

// Counts of images; both at least 1. A share of test rounds up, a share of train rounds down. Fails on
// a share outside (0, 1), a count outside 1..images-1, parts that do not fit together, and an empty
// training part.
struct SplitCounts {
    std::int64_t train = 0;
    std::int64_t test = 0;
};
Result<SplitCounts> split_counts(std::int64_t images, const SplitSizes& sizes);

// Fails where split_counts does, when a class has a single image, and when a part is smaller than the
// number of classes; and on a seed above 2^32 - 1. Requires: labels not negative.
Result<Split> stratified_split(std::span<const std::int32_t> labels, const SplitSizes& sizes,
                               std::uint64_t seed);

// Without regard to classes. Fails where split_counts does, and on a seed above 2^32 - 1.
Result<Split> shuffled_split(std::int64_t images, const SplitSizes& sizes, std::uint64_t seed);

// The indices, ascending, of a stratified part of `count` images: the train side of
// stratified_split(labels, {.train = count}, seed) wherever that accepts; also when too little is left
// for a test part. All of them when count is labels.size(). Fails on a count below the number of
// classes or above labels.size(), and on a seed above 2^32 - 1.
Result<std::vector<std::int64_t>> stratified_part(std::span<const std::int32_t> labels, std::int64_t count,
                                                  std::uint64_t seed);

}  // namespace lockstep::data
