// A folder of images for each class, as many collections come: CLASS/anything.png, CLASS/anything.jpg.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "harness/data/image_source.hpp"

namespace lockstep::data {

// True when a folder has at least one folder with a .png, .jpg or .jpeg file in it.
bool has_class_folders(const std::filesystem::path& folder);

// Of all images, with their classes and names.
Result<std::string> digest_of_image_folder(const std::filesystem::path& folder);

// Images in order of class folder and file name, both by bytes. Images are grey (one channel) when all
// are, colour (RGB) otherwise; a transparent part is dropped, not blended. Sixteen bits a channel become
// eight by dropping the lower ones.
class ImageFolder : public ImageSource {
public:
    // `size`: every image is resized to it; absent: all must have the same size. `known`: the shape of
    // images already read; its channels are taken over. Fails when there is no image, on a file that
    // cannot be decoded, and on images of different sizes without `size`.
    static Result<std::unique_ptr<ImageFolder>> open(const std::string& path,
                                                     const std::optional<ImageSize>& size,
                                                     const std::optional<ImageShape>& known);
    ~ImageFolder() override;

    ImageShape shape() const override;
    bool has_labels() const override { return true; }
    std::vector<std::string> declared_classes() const override;
    Result<bool> next(std::span<std::uint8_t> pixels, SourceLabel& label) override;
    std::string digest() const override;

private:
    struct State;
    explicit ImageFolder(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace lockstep::data
