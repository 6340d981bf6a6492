// Import: any source becomes a data set that every worker maps (harness/data/dataset.hpp).
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/error.hpp"
#include "harness/data/csv_options.hpp"
#include "harness/data/dataset.hpp"
#include "harness/data/image_size.hpp"

namespace lockstep::data {

struct ImportOptions {
    std::vector<std::string> test;  // files or folders whose images are the test part
    std::optional<double>
        train_fraction;               // a stratified split of the training images (harness/data/split.hpp)
    std::uint64_t split_seed = 42;    // for it; at most 2^32 - 1
    std::optional<ImageSize> size;    // resized (harness/data/resize.hpp); absent: as they are
    CsvOptions csv;                   // tables; shape and channels_first also speak of other sources
    std::optional<std::string> name;  // for people; absent: the first source's own name
    bool synthetic = false;           // the images were made, not taken
};

// Imports `sources` (see items_at in harness/data/source_layout.hpp; several: one after the other; "-":
// standard input) into the new folder `out`. Classes are found over all training images; labels map to
// 0..C-1 in numerical order, or by bytes when some are words.
//
// When `out` is already the result of the same bytes and options, nothing is read but these bytes, and it
// is returned. Otherwise `out` must not exist or be an empty folder. It appears whole or not at all.
//
// Fails where a source does, when parts differ in shape, when a column to ignore is in no table, when a
// training source has no labels, and when there is no image. Peak memory: the sources' own, one image, and
// four bytes an image for labels.
Result<Dataset> import_dataset(const std::vector<std::string>& sources, const ImportOptions& options,
                               const std::filesystem::path& out);

// The same into the folder of `cache` that the digest of bytes and options names; found there when it was
// imported before. A broken entry is made anew.
Result<Dataset> import_into_cache(const std::vector<std::string>& sources, const ImportOptions& options,
                                  const std::filesystem::path& cache);

}  // namespace lockstep::data
