// Writing a data set so that its folder appears whole or not at all.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/base/error.hpp"
#include "harness/data/dataset.hpp"
#include "harness/data/image_size.hpp"
#include "harness/data/label_table.hpp"
#include "harness/data/npy_stream.hpp"

namespace lockstep::data {

// Writes into a hidden folder beside the target and renames it at the end. Destroyed before that, it
// leaves nothing behind. (A killed process leaves the hidden folder, ".NAME.part-...", which nobody
// reads.)
class DatasetWriter {
public:
    // `beside` is any path in the folder that will hold the result; missing parents are made. Fails when
    // that folder cannot be written.
    static Result<DatasetWriter> create(const std::filesystem::path& beside, const ImageShape& shape);
    DatasetWriter(DatasetWriter&& other) noexcept;
    DatasetWriter& operator=(DatasetWriter&&) = delete;
    ~DatasetWriter();

    // One image in HWC order. `label` is any number that class_of in finish() knows; ignored for
    // unlabelled images. Fails on a full disk.
    Result<void> add(Part part, std::span<const std::uint8_t> pixels, std::optional<std::int32_t> label);

    std::int64_t count(Part part) const;

    // Splits the training images as train_test_split(train_size=train_fraction, stratify=labels,
    // random_state=seed) does; both parts keep the order of the source. Requires: no test image added.
    Result<void> split(double train_fraction, std::uint64_t seed, const std::vector<std::int32_t>& class_of);

    // Writes what is left, then renames to `target`. `about` gives name, classes, synthetic and digest;
    // shape and counts are filled in. When target exists already and holds a data set with the same
    // digest, that one is returned and this one is dropped; fails when it holds anything else.
    Result<Dataset> finish(Dataset about, const std::vector<std::int32_t>& class_of,
                           const std::filesystem::path& target);

private:
    DatasetWriter(std::filesystem::path folder, const ImageShape& shape);
    Result<NpyStream> images_stream(const char* name) const;
    Result<void> write_part(const char* part, std::optional<NpyStream>& images,
                            const std::vector<std::int32_t>& labels, bool labelled,
                            const std::vector<std::int32_t>& class_of);

    std::filesystem::path folder_;  // empty: renamed or moved from
    ImageShape shape_;
    std::optional<NpyStream> train_;
    std::optional<NpyStream> test_;
    std::vector<std::int32_t> train_labels_;
    std::vector<std::int32_t> test_labels_;
};

// What stands at `target`, where a data set of that digest is to be made: that data set already, or nothing
// (no such path, or an empty folder). Fails when it is anything else.
Result<std::optional<Dataset>> made_already(const std::filesystem::path& target, const std::string& digest);

// A hidden name beside `target` that no other process or call uses.
std::filesystem::path aside_of(const std::filesystem::path& target);

}  // namespace lockstep::data
