// What a data set looks like before anyone trains on it: balance, repeated images, leakage, dead pixels.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "harness/base/error.hpp"
#include "harness/data/dataset.hpp"

namespace lockstep::data {

// Images with equal pixels.
struct Repetition {
    std::vector<std::int64_t> train;  // indices, ascending
    std::vector<std::int64_t> test;
    bool labels_differ = false;  // among those that have labels
};

struct Inspection {
    std::vector<std::int64_t> train_of_class;  // images of each class, in class order
    std::vector<std::int64_t> test_of_class;   // empty when test has no labels
    // How many images could go without any content being lost: all but the first of equal ones.
    std::int64_t repeated_in_train = 0;
    std::int64_t repeated_in_test = 0;
    std::int64_t leaked = 0;           // test images that also are training images
    std::int64_t contradicting = 0;    // groups of equal images with different labels
    std::vector<Repetition> examples;  // up to kRepetitionsShown, leaks first, then by index
    std::int64_t constant_pixels = 0;  // values of an image that are equal in all training images
    std::int64_t pixels = 0;           // values of an image
    double mean = 0.0;                 // of all training values, 0..255
    double deviation = 0.0;            // their standard deviation
};

inline constexpr std::size_t kRepetitionsShown = 20;

// Reads every image once; memory is 32 bytes an image. Equality is decided by 128-bit digests (XXH3), so
// that two different images pass for equal with a chance below 10^-20 for 10^9 images. Fails when a file
// cannot be read, and on a label outside the classes.
Result<Inspection> inspect(const Dataset& data);

}  // namespace lockstep::data
