// Which output a layer gives for its input, and whether a whole network fits together.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "protocol/network.hpp"

namespace lockstep::protocol {

struct Flaw {
    std::string where;  // "layers[2].output", "classes"
    std::string why;    // "does not follow from the layer before"
};

// The output that `layer` has for its `input`; `output` itself gives the filters of a convolution and
// the units of a dense layer. Absent when the layer cannot take such an input.
std::optional<std::vector<std::int64_t>> output_of(const Layer& layer);

// The first thing wrong with a network that came from outside; absent when every shape follows from the
// one before, names are unique and fit for file names, the last layer gives the logits, and no count of
// elements or parameters comes near to overflow.
std::optional<Flaw> flaw_in(const Network& network);

}  // namespace lockstep::protocol
