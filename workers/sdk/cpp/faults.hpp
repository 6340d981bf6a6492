// What can go wrong inside the SDK, as exceptions that serve() turns into the error kinds of the
// protocol. A trainer throws Unsupported (trainer.hpp) or whatever its framework throws.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include "workers/sdk/cpp/trainer.hpp"

namespace lockstep::sdk {

// The request cannot be obeyed as it stands: kind `protocol`.
struct BadRequest : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Memory, disk or device ran out: kind `resources`.
struct OutOfResources : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// A layer that this worker does not offer: kind `unsupported`, with the layer's name.
struct UnsupportedLayer : Unsupported {
    UnsupportedLayer(const std::string& what, std::string layer_name)
        : Unsupported(what), layer(std::move(layer_name))
    {
    }
    std::string layer;
};

// lockstep has closed its ends of the pipes: the worker stops without a word.
struct HarnessGone {};

}  // namespace lockstep::sdk
