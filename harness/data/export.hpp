// Export: a data set in the forms that other tools read.
#pragma once

#include <filesystem>

#include "harness/base/error.hpp"
#include "harness/data/dataset.hpp"

namespace lockstep::data {

enum class ExportFormat {
    csv,   // train.csv and test.csv: label,pixel0,pixel1,... with the users' own labels; HWC order
    idx,   // train-images-idx3-ubyte, train-labels-idx1-ubyte, t10k-...; labels 0..C-1; at most 256 classes;
           // idx4 with channels last when there are several
    npy,   // the data set's own files: train_images.npy, train_labels.npy, ...
    lmdb,  // train and test folders of uncompressed Datum records, keys 00000000, 00000001, ...; channel by
           // channel, three channels blue first; labels 0..C-1 (test images without labels: 0)
};

// Makes the new folder `out`, whole or not at all; parts and labels that the data set lacks are left out.
// Classes go to classes.txt, one label a line, in class order; SYNTHETIC.txt says so where nobody took the
// images. What is written imports to the same pixels
// and classes. Fails when `out` exists and is not an empty folder, on a full disk, and when the
// format cannot hold the data.
Result<void> export_dataset(const Dataset& data, ExportFormat format, const std::filesystem::path& out);

}  // namespace lockstep::data
