// Synthesis: images that nobody took, with classes that a network can learn, for trying things out.
//
// Each class has a pattern: a grid of 4x4 random grey levels a channel, enlarged to the image's size
// (harness/data/resize.hpp). An image is its class's pattern, moved by up to an eighth of each side, at 40 to
// 100 % of its contrast, with uniform noise of up to 48 grey levels on every value.
#pragma once

#include <cstdint>
#include <filesystem>

#include "harness/base/error.hpp"
#include "harness/data/dataset.hpp"
#include "harness/data/image_size.hpp"

namespace lockstep::data {

struct SynthesisOptions {
    std::int64_t train = 0;  // images
    std::int64_t test = 0;   // images; 0: no test part
    ImageShape shape;
    std::int64_t classes = 10;
    std::uint64_t seed = 42;
};

// Makes the new data set `out`, marked as synthetic in its description and its name; classes take turns, so
// that they are of equal size within one image. The same options give the same bytes, and image i does not
// depend on how many there are. When `out` holds that data set already, it is returned. Fails on fewer images
// than classes, classes outside 2..65536, sides outside 1..kLargestSide, channels outside 1..4, when `out`
// holds anything else, and on a full disk.
Result<Dataset> synthesise(const SynthesisOptions& options, const std::filesystem::path& out);

}  // namespace lockstep::data
