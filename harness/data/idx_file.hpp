// IDX files, the format of MNIST and its kin: images in one file, labels in another, plain or packed with
// gzip. Format: http://yann.lecun.com/exdb/mnist, "the IDX file format".
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "harness/data/image_source.hpp"

namespace lockstep::data {

// True when the file begins like an IDX file of bytes, packed or not. False for anything unreadable.
bool is_idx_file(const std::string& path);

// The label file that belongs to an image file by custom: "images" becomes "labels" and "idx3" or "idx4"
// becomes "idx1", with or without ".gz". Absent when there is none.
std::optional<std::string> idx_labels_beside(const std::string& images);

class IdxFile : public ImageSource {
public:
    // Images: three dimensions (images, height, width) or four (images, height, width, channels; with
    // channels_first: images, channels, height, width). Without `labels` the images are unlabelled. Fails
    // when a file is missing, is no IDX file of unsigned bytes, has other dimensions, no image or too
    // large ones, or when images and labels differ in number.
    static Result<std::unique_ptr<IdxFile>> open(const std::string& images,
                                                 const std::optional<std::string>& labels,
                                                 bool channels_first);
    ~IdxFile() override;

    ImageShape shape() const override;
    bool has_labels() const override;
    // Fails when a file ends early or goes on after its last image.
    Result<bool> next(std::span<std::uint8_t> pixels, SourceLabel& label) override;
    std::string digest() const override;

private:
    struct State;
    explicit IdxFile(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace lockstep::data
