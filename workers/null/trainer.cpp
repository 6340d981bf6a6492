// Parameters are counted and kept, so that everything around the steps works as with a real framework.
#include "workers/null/trainer.hpp"

#include <algorithm>
#include <cstddef>

#include "workers/sdk/cpp/npy.hpp"

namespace lockstep::null {

sdk::Identity NullTrainer::identity()
{
    sdk::Identity identity;
    identity.name = "null";
    identity.versions = {{"null", LOCKSTEP_VERSION}};
    identity.layers = {"convolution", "max_pool", "flatten", "dense", "dropout"};
    return identity;
}

sdk::Built NullTrainer::build(const protocol::Job& job)
{
    classes_ = job.network.classes;
    sdk::Built built;
    for (const protocol::Parameter& parameter : protocol::parameters_of(job.network)) {
        built.parameters.push_back({parameter.name, parameter.shape, {}});
    }
    weights_ = built.parameters;
    built.facts = {{"threads", "1"}, {"work", "none"}};
    return built;
}

void NullTrainer::load(std::span<const sdk::Tensor> weights)
{
    weights_.assign(weights.begin(), weights.end());
}

sdk::Gradients NullTrainer::gradients(const sdk::Batch& batch)
{
    sdk::Gradients zeros;
    zeros.logits.assign(static_cast<std::size_t>(batch.count * classes_), 0.0F);
    zeros.tensors = weights_;
    for (sdk::Tensor& tensor : zeros.tensors) {
        tensor.values.assign(static_cast<std::size_t>(sdk::elements_of(tensor.shape)), 0.0F);
    }
    return zeros;
}

void NullTrainer::predict(const sdk::Batch&, std::span<float> logits)
{
    std::fill(logits.begin(), logits.end(), 0.0F);
}

}  // namespace lockstep::null
