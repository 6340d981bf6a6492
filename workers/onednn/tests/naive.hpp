// The oracle of these tests: a network in float64 by plain loops, and the small networks that are tried on
// it.
#pragma once

#include <cstdint>
#include <vector>

#include "protocol/job.hpp"

namespace lockstep::onednn::naive {

using Values = std::vector<double>;

// Builds a network layer by layer; every shape is filled in.
class Builder {
public:
    Builder(std::int64_t height, std::int64_t width, std::int64_t channels, std::int64_t classes);
    Builder& convolution(std::int64_t channels, std::int64_t kernel = 3,
                         protocol::Padding padding = protocol::Padding::same,
                         protocol::Activation activation = protocol::Activation::relu);
    Builder& pool(std::int64_t window = 2);
    Builder& flatten();
    Builder& dense(std::int64_t units, protocol::Activation activation = protocol::Activation::relu);
    Builder& dropout(double rate);
    // The last dense layer, without activation.
    protocol::Network logits();

private:
    protocol::Layer& add(protocol::LayerKind kind, const char* name);
    protocol::Network network_;
    std::vector<std::int64_t> shape_;
    int number_ = 0;
};

struct Result {
    Values logits;
    double loss = 0.0;
    std::vector<Values> gradients;  // as protocol::parameters_of()
};

// Forward and backward of a batch, dropout off.
Result run(const protocol::Network& network, const std::vector<Values>& parameters, const Values& images,
           const std::vector<std::int32_t>& labels);

// The optimizer of protocol::Optimizer, in float64.
class Update {
public:
    explicit Update(const protocol::Optimizer& rule) : rule_(rule) {}
    void apply(std::vector<Values>& parameters, const std::vector<Values>& gradients);

private:
    protocol::Optimizer rule_;
    std::vector<Values> first_, second_;
    int step_ = 0;
};

}  // namespace lockstep::onednn::naive
