// The members of the SDK's Trainer on top of a network of plain loops.
#include "trainer.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>

namespace lockstep::plain {

sdk::Identity PlainTrainer::identity()
{
    sdk::Identity identity;
    identity.name = WORKER_NAME;
    identity.versions = {{WORKER_NAME, "1"}};
    identity.layers = {"convolution", "max_pool", "flatten", "dense", "dropout"};
    return identity;
}

sdk::Built PlainTrainer::build(const protocol::Job& job)
{
    if (job.world != 1 || job.replicas != 1) {
        throw sdk::Unsupported("this worker trains on one device only");
    }
    optimizer_ = job.optimizer;
    network_ = std::make_unique<Network>(job.network, job.batch, job.dropout, job.seed);
    sdk::Built built;
    for (const Parameter* parameter : network_->parameters()) {
        built.parameters.push_back({parameter->name, parameter->shape, {}});
    }
    built.facts["threads"] = "1";
    if (job.threads > 1) {
        built.warnings.push_back("this worker knows one thread only; it was given more");
    }
    return built;
}

void PlainTrainer::load(std::span<const sdk::Tensor> weights)
{
    steps_ = 0;
    for (Parameter* parameter : network_->parameters()) {
        const auto given = std::find_if(weights.begin(), weights.end(), [&](const sdk::Tensor& tensor) {
            return tensor.name == parameter->name;
        });
        if (given == weights.end()) {
            throw std::runtime_error("no values were given for " + parameter->name);
        }
        parameter->value = given->values;
        std::fill(parameter->first.begin(), parameter->first.end(), 0.0F);
        std::fill(parameter->second.begin(), parameter->second.end(), 0.0F);
    }
}

std::vector<sdk::Tensor> PlainTrainer::weights()
{
    std::vector<sdk::Tensor> tensors;
    for (const Parameter* parameter : network_->parameters()) {
        tensors.push_back({parameter->name, parameter->shape, parameter->value});
    }
    return tensors;
}

sdk::Gradients PlainTrainer::gradients(const sdk::Batch& batch)
{
    sdk::Gradients result;
    const std::span<const float> logits = network_->forward(batch.images, batch.count, true);
    result.logits.assign(logits.begin(), logits.end());
    result.loss = network_->backward(batch.labels);
    for (const Parameter* parameter : network_->parameters()) {
        result.tensors.push_back({parameter->name, parameter->shape, parameter->gradient});
    }
    return result;
}

float PlainTrainer::step(const sdk::Batch& batch)
{
    network_->forward(batch.images, batch.count, true);
    const double loss = network_->backward(batch.labels);
    update();
    return static_cast<float>(loss);
}

void PlainTrainer::predict(const sdk::Batch& batch, std::span<float> logits)
{
    const std::span<const float> result = network_->forward(batch.images, batch.count, false);
    std::copy(result.begin(), result.end(), logits.begin());
}

// Both rules as CONTRACT words them; Adam in the epsilon-hat form.
void PlainTrainer::update()
{
    ++steps_;
    const bool adam = optimizer_.kind == "adam";
    const auto t = static_cast<double>(steps_);
    const auto beta1 = static_cast<float>(optimizer_.beta1);
    const auto beta2 = static_cast<float>(optimizer_.beta2);
    const auto epsilon = static_cast<float>(optimizer_.epsilon);
    const auto momentum = static_cast<float>(optimizer_.momentum);
    const double correction =
        adam ? std::sqrt(1.0 - std::pow(optimizer_.beta2, t)) / (1.0 - std::pow(optimizer_.beta1, t)) : 1.0;
    const auto rate = static_cast<float>(optimizer_.learning_rate * correction);
    for (Parameter* p : network_->parameters()) {
        for (std::size_t i = 0; i < p->value.size(); ++i) {
            const float gradient = p->gradient[i];
            if (adam) {
                p->first[i] += (1.0F - beta1) * (gradient - p->first[i]);
                p->second[i] += (1.0F - beta2) * (gradient * gradient - p->second[i]);
                p->value[i] -= rate * p->first[i] / (std::sqrt(p->second[i]) + epsilon);
            } else {
                p->first[i] = momentum * p->first[i] + gradient;
                p->value[i] -= rate * p->first[i];
            }
        }
    }
}

}  // namespace lockstep::plain
