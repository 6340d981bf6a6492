// Forward through all layers, the loss, and backward through all layers.
#include "network.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace lockstep::plain {

Network::Network(const protocol::Network& what, std::int64_t batch, bool dropout, std::uint64_t seed)
    : classes_(what.classes), dropout_(dropout)
{
    for (const protocol::Layer& layer : what.layers) {
        layers_.push_back(make_layer(layer, seed++));
        outputs_.emplace_back(static_cast<std::size_t>(batch * elements_of(layer.output)));
        gradients_.emplace_back(outputs_.back().size());
    }
}

std::span<const float> Network::forward(std::span<const float> images, std::int64_t count, bool training)
{
    images_ = images;
    count_ = count;
    const float* in = images.data();
    for (std::size_t i = 0; i < layers_.size(); ++i) {
        layers_[i]->forward(in, outputs_[i].data(), count, training && dropout_);
        in = outputs_[i].data();
    }
    return {in, static_cast<std::size_t>(count * classes_)};
}

double Network::backward(std::span<const std::int32_t> labels)
{
    const auto classes = static_cast<std::size_t>(classes_);
    double loss = 0.0;
    for (std::size_t n = 0; n < static_cast<std::size_t>(count_); ++n) {
        const float* logits = outputs_.back().data() + n * classes;
        float* gradient = gradients_.back().data() + n * classes;
        const float highest = *std::max_element(logits, logits + classes);
        double sum = 0.0;
        for (std::size_t k = 0; k < classes; ++k) {
            sum += std::exp(static_cast<double>(logits[k] - highest));
        }
        for (std::size_t k = 0; k < classes; ++k) {
            const double share = std::exp(static_cast<double>(logits[k] - highest)) / sum;
            const bool right = k == static_cast<std::size_t>(labels[n]);
            gradient[k] = static_cast<float>((share - (right ? 1.0 : 0.0)) / static_cast<double>(count_));
        }
        loss += std::log(sum) - static_cast<double>(logits[static_cast<std::size_t>(labels[n])] - highest);
    }
    for (std::size_t i = layers_.size(); i-- > 0;) {
        const float* in = i == 0 ? images_.data() : outputs_[i - 1].data();
        float* d_in = i == 0 ? nullptr : gradients_[i - 1].data();
        layers_[i]->backward(in, outputs_[i].data(), gradients_[i].data(), d_in, count_);
    }
    return loss / static_cast<double>(count_);
}

std::vector<Parameter*> Network::parameters()
{
    std::vector<Parameter*> all;
    for (const auto& layer : layers_) {
        for (Parameter& parameter : layer->parameters) {
            all.push_back(&parameter);
        }
    }
    return all;
}

}  // namespace lockstep::plain
