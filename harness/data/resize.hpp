// Bilinear resizing of images, with antialiasing when they shrink.
//
// With scale = input size / output size along an axis, output position i stands at c = (i + 1/2) * scale
// (half-pixel centres) and is the weighted mean of the inputs j = floor(c - s + 1/2) .. floor(c + s + 1/2) -
// 1, cut to the image, where s = max(scale, 1) and the weight of j is max(0, 1 - |j + 1/2 - c| / s), divided
// by the sum of the weights. Enlarging is thus plain bilinear interpolation, and shrinking averages over
// all pixels that fall into an output pixel. Columns first, then rows, in float32 without rounding between;
// the result is rounded to the nearest whole number, halves to the even one.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "harness/data/image_size.hpp"

namespace lockstep::data {

class Resizer {
public:
    Resizer(const ImageShape& from, const ImageSize& to);

    // Requires: from and to have the pixels of the two shapes, in HWC order, and do not overlap.
    void resize(std::span<const std::uint8_t> from, std::span<std::uint8_t> to);

private:
    // The inputs of one output position: weights[first_weight + k] belongs to input first + k.
    struct Window {
        std::int64_t first = 0;
        std::int64_t count = 0;
        std::int64_t first_weight = 0;
    };
    struct Axis {
        std::vector<Window> windows;
        std::vector<float> weights;
    };
    static Axis axis_of(std::int64_t from, std::int64_t to);

    ImageShape from_;
    ImageSize to_;
    Axis columns_;
    Axis rows_;
    std::vector<float> wide_;  // all input rows at the output's width
    std::vector<float> sum_;   // one output row
};

}  // namespace lockstep::data
