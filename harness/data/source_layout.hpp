// What lies at the places that a user names as data, file by file.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/base/error.hpp"
#include "harness/data/label_table.hpp"

namespace lockstep::data {

enum class SourceKind { csv, idx, image_folder, lmdb };

struct SourceItem {
    SourceKind kind = SourceKind::csv;
    Part part = Part::train;
    std::string path;    // of a table, of IDX images, or of a folder
    std::string labels;  // IDX: the label file; empty: none
};

// Finds the items at `path`, for `part` (what a folder says of its own parts comes first):
// a file: a table, or IDX images (known by their first bytes) with the labels beside them;
// a folder: train.csv and test.csv (also .csv.gz, .csv.zst); or IDX files under their usual names
//   (train-images-idx3-ubyte and so on, with '-' or '.' before idx, also .gz); or data.mdb, or folders
//   named train and test with one each; or a folder of images for each class, perhaps under folders named
//   train and test.
// Fails when there is nothing of the kind, with what was looked for.
Result<std::vector<SourceItem>> items_at(const std::string& path, Part part);

// Identifies the bytes of all items and their kinds; reads each to its end.
Result<std::string> digest_of_items(const std::vector<SourceItem>& items);

// The same for one item: the digest of a table or folder, of images and labels for IDX.
Result<std::string> digest_of_item(const SourceItem& item);

// From the items' own digests, in their order.
std::string digest_of_digests(const std::vector<SourceItem>& items, const std::vector<std::string>& digests);

// True when every item can be read twice, as files can and pipes cannot.
bool can_be_read_twice(const std::vector<SourceItem>& items);

}  // namespace lockstep::data
