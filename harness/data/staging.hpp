// Staging: from what a user names as the data of a run to an imported data set on disk.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/error.hpp"
#include "harness/data/dataset.hpp"
#include "harness/data/image_size.hpp"

namespace lockstep::data {

struct StagingOptions {
    std::filesystem::path cache;    // folder for imports; made when missing
    std::optional<ImageSize> size;  // images are resized on import (harness/data/resize.hpp)
    // Where the distribution's packages put built-in sets.
    std::filesystem::path packaged = "/usr/share/datasets";
};

// `input` is, in this order: the name of a built-in set (builtin_names); an imported folder; a folder
// with train.csv and, if there is one, test.csv, or with IDX files under their usual names. The last
// two and built-in sets are imported into the cache under the digest of their bytes and options, and
// found there the next time. Fails on anything else, with the nearest valid name for a near miss, and
// where import does (harness/data/import.hpp). An imported folder cannot be resized again: fails when
// options.size is another size than the folder's.
Result<Dataset> stage(const std::string& input, const StagingOptions& options);

std::vector<std::string> builtin_names();  // "fashion-mnist"

// Where a built-in set lies, and how to get it.
struct BuiltinPlace {
    std::string package;                          // the distribution's
    std::optional<std::filesystem::path> folder;  // of its files; absent: not on this machine
    std::filesystem::path packaged;               // where the package puts them
    std::filesystem::path own;                    // in the cache, for files unpacked without root
};
// Fails on a name that builtin_names() does not have, with the nearest.
Result<BuiltinPlace> find_builtin(const std::string& name, const StagingOptions& options);

}  // namespace lockstep::data
