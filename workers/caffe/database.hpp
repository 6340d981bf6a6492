// A training set as the LMDB of uint8 Datums that Caffe's `Data` layer reads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "workers/sdk/cpp/trainer.hpp"

namespace lockstep::caffe_worker {

// In a folder of its own below the folder for temporary files; gone with this object.
class Database {
public:
    // The first `count` images, in an order drawn from `shuffle`, or in their own without it, as Caffe's
    // convert_imageset does. Throws sdk::OutOfResources when the folder has no room.
    Database(const sdk::TrainingSet& set, std::int64_t count, std::optional<std::uint64_t> shuffle);
    ~Database();
    Database(const Database&) = delete;
    Database& operator=(const Database&) = delete;

    const std::string& folder() const { return folder_; }

private:
    std::string folder_;
};

}  // namespace lockstep::caffe_worker
