// Does every framework see the same pixels? Each worker is asked for images as its own input path gives them
// to the network, and they are held against the canonical values: the data set's bytes, divided by 255.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/error.hpp"
#include "harness/data/dataset.hpp"
#include "harness/pipeline/workshop.hpp"
#include "harness/record/outcome.hpp"

namespace lockstep::pipeline {

// The largest difference that passes. A byte times float32(1/255) and a byte divided by 255 differ by less
// than 1.2e-7 (one unit in the last place just below 1); the next grey level is 3.9e-3 away.
inline constexpr double kPixelLimit = 1e-6;

struct PixelDeparture {
    std::int64_t image = 0;  // of the training images, from 0
    std::int64_t row = 0;
    std::int64_t column = 0;
    std::int64_t channel = 0;
    double found = 0;  // may be not finite
    double expected = 0;
};

struct PixelResult {
    std::string framework;
    std::string input;                    // locked, native
    record::Outcome outcome;              // anything but completed: there are no pixels to compare
    std::int64_t images = 0;              // compared
    std::optional<double> largest;        // difference; absent without pixels, and when one is not finite
    std::int64_t departing = 0;           // values beyond the limit, or not finite
    std::optional<PixelDeparture> first;  // of them

    bool agrees() const { return outcome.ok() && departing == 0; }
};

// Compares `count` images; fails on a file of another type or shape. Fills all but framework and input.
Result<PixelResult> compare_pixels(const std::filesystem::path& found, const std::filesystem::path& images,
                                   std::int64_t count);

struct PixelOrder {
    const data::Dataset& data;
    std::vector<std::string> frameworks;
    std::int64_t images = 100;     // the first of the training set; fewer when it has fewer
    std::filesystem::path folder;  // made when missing; takes the workers' output and their pixels
    std::function<void(const PixelResult&)> tell;  // after each; may be empty
};

// One result a framework and input mode: locked always, native for workers that have it. Only the images
// that are compared are handed over. Stops early, with what it has, when interrupted. Fails when the data
// cannot be read or the folder not be written.
Result<std::vector<PixelResult>> check_pixels(const PixelOrder& order, const Workshop& shop);

}  // namespace lockstep::pipeline
