// The mapped data set and the one batch that stands in memory as float32.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "protocol/messages.hpp"
#include "workers/sdk/cpp/npy.hpp"
#include "workers/sdk/cpp/trainer.hpp"

namespace lockstep::sdk {

// Images as they are on disk, N x height x width x channels.
class Pictures {
public:
    // Throws BadRequest unless the file holds uint8 images of four dimensions.
    explicit Pictures(const std::string& path);

    std::int64_t count() const { return file_.shape()[0]; }
    Shape size() const
    {
        return {file_.shape().begin() + 1, file_.shape().end()};
    }                                               // {height, width, channels}
    std::size_t pixels() const { return pixels_; }  // of one image
    std::span<const std::uint8_t> bytes() const { return file_.values(); }
    // float32(byte) * scale of image `index`, into pixels() values. Requires: index < count().
    void copy(std::int64_t index, float scale, float* to) const;

private:
    NpyView<std::uint8_t> file_;
    std::size_t pixels_;
};

struct Data {
    // Throws BadRequest when files are unreadable, or images and labels differ in number.
    explicit Data(const protocol::DataRequest& request);

    TrainingSet training_set() const;  // valid as long as this

    Pictures train;
    NpyView<std::int32_t> labels;
    Pictures test;
    float scale;
};

// Gathers batches into buffers that are made once. A batch is valid until the next one is asked for.
class Feeder {
public:
    // Throws BadRequest when images are not of the network's size, or a label is not below its classes.
    // With `images` false the batches hold labels only.
    Feeder(const Data& data, const protocol::Job& job, bool images);

    std::int64_t test_count() const { return data_.test.count(); }
    // An order file, checked: whole batches, at least one, every index within the training images.
    NpyView<std::int64_t> open_order(const std::string& path) const;
    // Requires: as many checked indices as a batch has.
    Batch train_batch(std::span<const std::int64_t> indices);
    // Images first .. first + count of the test set, without labels. Requires: count <= batch size.
    Batch test_batch(std::int64_t first, std::int64_t count);

private:
    const Data& data_;
    std::size_t batch_;
    bool images_wanted_;
    std::vector<float> images_;
    std::vector<std::int32_t> labels_;
};

}  // namespace lockstep::sdk
