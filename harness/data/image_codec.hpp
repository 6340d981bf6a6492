// Decoding PNG and JPEG.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "harness/base/error.hpp"
#include "harness/data/image_size.hpp"

namespace lockstep::data {

struct DecodedImage {
    ImageShape shape;                  // one channel for grey images, three (red, green, blue) for others
    std::vector<std::uint8_t> pixels;  // height, width, channels
};

// Shape without the pixels. `name` is for messages. Fails when the bytes are neither format, are damaged,
// or the image is larger than kLargestSide.
Result<ImageShape> decode_shape(std::span<const std::uint8_t> bytes, const std::string& name);

// Palettes and fewer than eight bits a value are expanded, sixteen bits cut to the upper eight, a
// transparent part is dropped. Fails as decode_shape does, and on a file that ends early.
Result<DecodedImage> decode_image(std::span<const std::uint8_t> bytes, const std::string& name);

}  // namespace lockstep::data
