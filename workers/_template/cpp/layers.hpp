// One class a layer kind. Rows of `in` and `out` are images, one after the other.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "protocol/network.hpp"

namespace lockstep::plain {

std::int64_t elements_of(const std::vector<std::int64_t>& shape);

// A parameter with its gradient and what the optimizer keeps for it (moments, or the velocity in `first`).
struct Parameter {
    std::string name;
    std::vector<std::int64_t> shape;
    std::vector<float> value, gradient, first, second;
};

class Layer {
public:
    explicit Layer(const protocol::Layer& layer) : what(layer) {}
    virtual ~Layer() = default;

    virtual void forward(const float* in, float* out, std::int64_t count, bool dropout) = 0;
    // From the gradient of the output, which it may change, to that of the input, which it overwrites
    // (none when d_in is null), and to those of its parameters, which it overwrites.
    virtual void backward(const float* in, const float* out, float* d_out, float* d_in,
                          std::int64_t count) = 0;

    const protocol::Layer what;
    std::vector<Parameter> parameters;  // kernel and bias, or none
};

// `seed`: of the layer's own generator. Throws sdk::Unsupported for a kind that it does not know.
std::unique_ptr<Layer> make_layer(const protocol::Layer& what, std::uint64_t seed);

}  // namespace lockstep::plain
