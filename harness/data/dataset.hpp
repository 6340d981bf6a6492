// An imported data set: the folder that every worker reads, and what is known about it.
//
// The folder holds dataset.json (this description) and NumPy files: train_images.npy (uint8, images x
// height x width x channels), train_labels.npy (int32, 0..classes-1), and the same pair for test.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/error.hpp"

namespace lockstep::data {

struct Dataset {
    std::filesystem::path folder;
    std::string name;  // for people: the source's own name
    std::int64_t height = 0;
    std::int64_t width = 0;
    std::int64_t channels = 0;
    std::vector<std::string> classes;  // the user's own label of each class, in class order
    std::int64_t train_count = 0;      // images
    std::int64_t test_count = 0;       // images; 0: the data set has no test part
    bool test_has_labels = false;      // false: accuracy is absent, the predictions are the result
    bool synthetic = false;            // made by the tool, not photographed by anyone
    std::string digest;                // of the source's bytes and of every import option: equal
                                       // digests mean equal files

    std::filesystem::path train_images() const { return folder / "train_images.npy"; }
    std::filesystem::path train_labels() const { return folder / "train_labels.npy"; }
    std::optional<std::filesystem::path> test_images() const;  // absent without a test part
    std::optional<std::filesystem::path> test_labels() const;  // absent when test images have no labels
    std::int64_t pixels() const { return height * width * channels; }  // values in one image
};

// Fails when the folder is no imported data set, was written by a newer format, or holds files whose
// type or shape does not fit the description.
Result<Dataset> open_dataset(const std::filesystem::path& folder);

// True when the folder has a description, whole or not.
bool is_dataset(const std::filesystem::path& folder);

// Writes dataset.json into data.folder, which must exist and which nobody reads yet: the file is written in
// place, and not flushed to disk.
Result<void> write_description(const Dataset& data);

}  // namespace lockstep::data
