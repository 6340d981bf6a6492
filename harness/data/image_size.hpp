// Sizes of images as users write them: "224x224" and "28x28x1".
#pragma once

#include <cstdint>
#include <string_view>

#include "harness/base/error.hpp"

namespace lockstep::data {

struct ImageSize {
    std::int64_t height = 0;
    std::int64_t width = 0;
    bool operator==(const ImageSize&) const = default;
};

struct ImageShape {
    std::int64_t height = 0;
    std::int64_t width = 0;
    std::int64_t channels = 1;
    std::int64_t pixels() const { return height * width * channels; }
    ImageSize size() const { return {height, width}; }
    bool operator==(const ImageShape&) const = default;
};

// Largest height, width: 2^14. An image of 2^14 x 2^14 is 256 MiB a channel, far above anything that a
// network here takes; the limit keeps products inside 64 bits and catches slips.
inline constexpr std::int64_t kLargestSide = 1 << 14;

Result<ImageSize> parse_image_size(std::string_view text);    // HxW
Result<ImageShape> parse_image_shape(std::string_view text);  // HxW or HxWxC, C of 1 to 4

}  // namespace lockstep::data
