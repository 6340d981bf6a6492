// Where images come from, whatever the file format: one image and its label at a time.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/error.hpp"
#include "harness/data/image_size.hpp"
#include "harness/data/label_table.hpp"

namespace lockstep::data {

// A label as the source has it; valid until the next image is read.
struct SourceLabel {
    std::string_view text;
    Place place;
};

class ImageSource {
public:
    virtual ~ImageSource() = default;

    virtual ImageShape shape() const = 0;  // of every image
    virtual bool has_labels() const = 0;
    // Class names in their order where the source fixes them; empty: the labels themselves decide.
    virtual std::vector<std::string> declared_classes() const { return {}; }

    // Fills `pixels` (height, width, channel order) and `label`; false at the end, true otherwise.
    // Requires: pixels.size() == shape().pixels(). Fails on the first thing that is not as it must be.
    virtual Result<bool> next(std::span<std::uint8_t> pixels, SourceLabel& label) = 0;

    // Identifies the source's bytes. Requires: next() has returned false.
    virtual std::string digest() const = 0;
};

}  // namespace lockstep::data
