// Hands values between the SDK and the engine.
#include "workers/onednn/trainer.hpp"

#include <stdexcept>

#include "hwy/highway.h"

namespace lockstep::onednn {

namespace {

std::string library_version()
{
    const dnnl_version_t* version = dnnl_version();
    return std::to_string(version->major) + "." + std::to_string(version->minor) + "." +
           std::to_string(version->patch);
}

Preference preference_of(const protocol::Job& job)
{
    const auto found = job.options.find("convolution");
    const std::string value = found == job.options.end() ? "auto" : found->second;
    if (value == "auto") {
        return Preference::automatic;
    }
    if (value == "winograd") {
        return Preference::winograd;
    }
    if (value == "library") {
        return Preference::library;
    }
    if (value == "direct") {
        return Preference::direct;
    }
    throw std::invalid_argument("option convolution is \"" + value +
                                "\"; it is one of auto, winograd, library, direct");
}

void refuse_what_is_not_there(const protocol::Job& job)
{
    if (job.precision != "float32") {
        throw sdk::Unsupported("precision " + job.precision + ": this engine computes in float32 only");
    }
    if (job.device.kind != "cpu") {
        throw sdk::Unsupported("device " + job.device.kind + ": this engine runs on the CPU only");
    }
    if (job.input != "locked") {
        throw sdk::Unsupported("input " + job.input + ": this engine takes the given order only");
    }
    if (job.world > 1 || job.replicas > 1) {
        throw sdk::Unsupported("several replicas: this engine trains on one");
    }
}

}  // namespace

sdk::Identity EngineTrainer::identity()
{
    sdk::Identity identity;
    identity.name = "onednn";
    identity.versions = {{"onednn", library_version()},
                         {"highway", std::to_string(HWY_MAJOR) + "." + std::to_string(HWY_MINOR) + "." +
                                         std::to_string(HWY_PATCH)}};
    identity.layers = {"convolution", "max_pool", "flatten", "dense", "dropout"};
    identity.options = {"convolution"};
    return identity;
}

sdk::Built EngineTrainer::build(const protocol::Job& job)
{
    refuse_what_is_not_there(job);
    const Preference preference = preference_of(job);
    try {
        engine_ = std::make_unique<Engine>(job, preference);
    } catch (const std::invalid_argument& reason) {
        throw sdk::Unsupported(reason.what());
    }
    batch_ = job.batch;
    classes_ = job.network.classes;
    sdk::Built built;
    for (std::size_t i = 0; i < engine_->parameter_count(); ++i) {
        built.parameters.push_back({engine_->parameter(i).name, engine_->parameter(i).shape, {}});
    }
    built.facts = engine_->facts();
    if (built.facts["threads"] != std::to_string(job.threads)) {
        built.warnings.push_back("OpenMP gave " + built.facts["threads"] + " threads instead of " +
                                 std::to_string(job.threads));
    }
    return built;
}

void EngineTrainer::load(std::span<const sdk::Tensor> weights)
{
    for (std::size_t i = 0; i < engine_->parameter_count(); ++i) {
        const std::string& name = engine_->parameter(i).name;
        bool found = false;
        for (const sdk::Tensor& tensor : weights) {
            if (tensor.name == name) {
                engine_->set_parameter(i, tensor.values);
                found = true;
            }
        }
        if (!found) {
            throw std::invalid_argument("the weights lack " + name);
        }
    }
    engine_->reset_optimizer();
}

std::vector<sdk::Tensor> EngineTrainer::weights()
{
    std::vector<sdk::Tensor> all;
    for (std::size_t i = 0; i < engine_->parameter_count(); ++i) {
        const protocol::Parameter& parameter = engine_->parameter(i);
        all.push_back({parameter.name, parameter.shape, engine_->parameter_values(i)});
    }
    return all;
}

sdk::Gradients EngineTrainer::gradients(const sdk::Batch& batch)
{
    sdk::Gradients result;
    result.logits.resize(static_cast<std::size_t>(batch_ * classes_));
    result.loss = engine_->gradients(batch.images, batch.labels, result.logits);
    for (std::size_t i = 0; i < engine_->parameter_count(); ++i) {
        const protocol::Parameter& parameter = engine_->parameter(i);
        result.tensors.push_back({parameter.name, parameter.shape, engine_->gradient_values(i)});
    }
    return result;
}

float EngineTrainer::step(const sdk::Batch& batch)
{
    return engine_->step(batch.images, batch.labels);
}

void EngineTrainer::predict(const sdk::Batch& batch, std::span<float> logits)
{
    engine_->predict(batch.images, batch.count, logits);
}

std::map<std::string, std::int64_t> EngineTrainer::allocator_bytes()
{
    if (!engine_) {
        return {};
    }
    return {{"arena", engine_->memory_bytes()}};
}

}  // namespace lockstep::onednn
