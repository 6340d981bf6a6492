// Every claim about a batch is checked here, in the worker, and fails the step when it does not hold.
#include "tests/unit/sdk/tiny_trainer.hpp"

#include <unistd.h>

#include <cmath>
#include <limits>
#include <new>
#include <stdexcept>

#include "workers/sdk/cpp/npy.hpp"

namespace lockstep::sdk {
namespace {

constexpr std::int64_t kClasses = 3;

std::int64_t number_of(const Batch& batch, std::int64_t index, std::int64_t pixels)
{
    return std::lround(batch.images[static_cast<std::size_t>(index * pixels)] * 255.0F);
}

}  // namespace

Identity TinyTrainer::identity()
{
    Identity identity;
    identity.name = "tiny";
    identity.versions = {{"a_library", "9"}, {"tiny", "1.0"}};
    identity.layers = {"flatten", "dense"};
    identity.options = {"behave"};
    return identity;
}

Built TinyTrainer::build(const protocol::Job& job)
{
    const auto behave = job.options.find("behave");
    behave_ = behave == job.options.end() ? "" : behave->second;
    if (behave_ == "refuse") {
        throw Unsupported("tiny cannot do this");
    }
    pixels_ = elements_of(job.network.input);
    Built built;
    for (const protocol::Parameter& parameter : protocol::parameters_of(job.network)) {
        built.parameters.push_back({parameter.name, parameter.shape, {}});
    }
    built.warnings = {"tiny is not a framework"};
    return built;
}

Gradients TinyTrainer::gradients(const Batch& batch)
{
    Gradients gradients;
    gradients.logits.resize(static_cast<std::size_t>(batch.count * kClasses));
    predict(batch, gradients.logits);
    gradients.loss = static_cast<double>(number_of(batch, 0, pixels_));
    gradients.tensors = weights_;
    return gradients;
}

float TinyTrainer::step(const Batch& batch)
{
    if (behave_ == "throw") {
        throw std::runtime_error("a layer is broken");
    }
    if (behave_ == "exhaust") {
        throw std::bad_alloc();
    }
    if (behave_ == "slow") {
        ::usleep(5'000);
    }
    for (std::int64_t i = 0; i < batch.count; ++i) {
        if (batch.labels[static_cast<std::size_t>(i)] != number_of(batch, i, pixels_) % kClasses) {
            throw std::logic_error("a label is not that of its image");
        }
    }
    for (Tensor& tensor : weights_) {
        for (float& value : tensor.values) {
            value += 1.0F;
        }
    }
    return behave_ == "nan" ? std::numeric_limits<float>::quiet_NaN()
                            : static_cast<float>(number_of(batch, 0, pixels_));
}

void TinyTrainer::predict(const Batch& batch, std::span<float> logits)
{
    if (logits.size() != static_cast<std::size_t>(batch.count * kClasses) ||
        batch.images.size() != static_cast<std::size_t>(batch.count * pixels_)) {
        throw std::logic_error("images and logits are not of the batch's count");
    }
    for (std::int64_t i = 0; i < batch.count; ++i) {
        for (std::int64_t k = 0; k < kClasses; ++k) {
            logits[static_cast<std::size_t>(i * kClasses + k)] =
                k == number_of(batch, i, pixels_) % kClasses ? 1.0F : 0.0F;
        }
    }
}

Identity SelfFedTrainer::identity()
{
    Identity identity = TinyTrainer::identity();
    identity.inputs = {"locked", "native"};
    return identity;
}

Built SelfFedTrainer::build(const protocol::Job& job)
{
    batch_ = job.batch;
    return TinyTrainer::build(job);
}

float SelfFedTrainer::native_step()
{
    const std::size_t pixels = set_.images.size() / static_cast<std::size_t>(set_.count);
    const auto first = static_cast<float>(set_.images[static_cast<std::size_t>(next_) * pixels]);
    next_ += batch_;
    return first;
}

void SelfFedTrainer::native_pixels(const TrainingSet& set, std::span<float> pixels)
{
    for (std::size_t i = 0; i < pixels.size(); ++i) {
        pixels[i] = -static_cast<float>(set.images[i]) * set.scale;
    }
}

}  // namespace lockstep::sdk
