// The members of the SDK's Trainer, in LibTorch's words.
#include "workers/libtorch/trainer.hpp"

#include <torch/torch.h>
#include <torch/version.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <stdexcept>
#include <string>

#include "workers/libtorch/loader.hpp"
#include "workers/libtorch/network.hpp"
#include "workers/libtorch/optimizer.hpp"

namespace lockstep::libtorch_worker {
namespace {

int threads_of(const protocol::Job& job, const char* name)
{
    const auto option = job.options.find(name);
    if (option == job.options.end()) {
        return job.threads;
    }
    const std::string& text = option->second;
    int number = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (code != std::errc() || end != text.data() + text.size() || number < 1) {
        throw sdk::Unsupported("option " + option->first + " is \"" + text +
                               "\"; it takes a whole number from 1");
    }
    return number;
}

// conv1.weight is conv1.kernel in the protocol.
std::string canonical(std::string name)
{
    const std::size_t at = name.rfind(".weight");
    return at == std::string::npos ? name : name.substr(0, at) + ".kernel";
}

sdk::Tensor as_values(const std::string& name, const torch::Tensor& tensor)
{
    const torch::Tensor plain = tensor.detach().contiguous();
    const float* values = plain.data_ptr<float>();
    return {canonical(name), plain.sizes().vec(), {values, values + plain.numel()}};
}

class LibtorchTrainer final : public sdk::Trainer {
public:
    sdk::Identity identity() override
    {
        sdk::Identity identity;
        identity.name = "libtorch";
        identity.versions = {{"libtorch", std::to_string(TORCH_VERSION_MAJOR) + "." +
                                              std::to_string(TORCH_VERSION_MINOR) + "." +
                                              std::to_string(TORCH_VERSION_PATCH)}};
        identity.layouts = {"OIHW", false, "out_in", "CHW"};
        identity.layers = {"convolution", "max_pool", "flatten", "dense", "dropout"};
        identity.inputs = {"locked", "native"};
        identity.options = {"intra_threads", "inter_threads"};
        return identity;
    }

    sdk::Built build(const protocol::Job& job) override
    {
        if (job.world != 1 || job.replicas != 1) {
            throw sdk::Unsupported("libtorch trains on one device in one process here");
        }
        job_ = job;
        torch::set_num_threads(threads_of(job, "intra_threads"));
        torch::set_num_interop_threads(threads_of(job, "inter_threads"));
        torch::manual_seed(job.seed);
        model_ = sequential(job.network, job.dropout);
        optimizer_.emplace(job.optimizer, model_->parameters());
        warm_up();
        sdk::Built built;
        for (const auto& parameter : model_->named_parameters()) {
            built.parameters.push_back({canonical(parameter.key()), parameter.value().sizes().vec(), {}});
        }
        built.facts = {{"intra_op_threads", std::to_string(torch::get_num_threads())},
                       {"inter_op_threads", std::to_string(at::get_num_interop_threads())},
                       {"onednn", at::hasMKLDNN() ? "on" : "off"},
                       {"mkl", at::hasMKL() ? "on" : "off"}};
        return built;
    }

    void load(std::span<const sdk::Tensor> weights) override
    {
        torch::NoGradGuard guard;
        for (auto& parameter : model_->named_parameters()) {
            const std::string name = canonical(parameter.key());
            const auto given = std::find_if(weights.begin(), weights.end(),
                                            [&](const sdk::Tensor& tensor) { return tensor.name == name; });
            if (given == weights.end()) {
                throw std::runtime_error("no values were given for " + name);
            }
            parameter.value().copy_(
                torch::from_blob(const_cast<float*>(given->values.data()), parameter.value().sizes()));
        }
        optimizer_->restart();
    }

    std::vector<sdk::Tensor> weights() override
    {
        std::vector<sdk::Tensor> tensors;
        for (const auto& parameter : model_->named_parameters()) {
            tensors.push_back(as_values(parameter.key(), parameter.value()));
        }
        return tensors;
    }

    sdk::Gradients gradients(const sdk::Batch& batch) override
    {
        optimizer_->zero_grad();
        const torch::Tensor logits = model_->forward(images_of(batch));
        const torch::Tensor loss = criterion_(logits, labels_of(batch));
        loss.backward();
        sdk::Gradients result;
        result.logits = as_values("", logits).values;
        result.loss = loss.item<float>();
        for (const auto& parameter : model_->named_parameters()) {
            result.tensors.push_back(as_values(parameter.key(), parameter.value().grad()));
        }
        return result;
    }

    float step(const sdk::Batch& batch) override { return trained(images_of(batch), labels_of(batch)); }

    void predict(const sdk::Batch& batch, std::span<float> logits) override
    {
        torch::NoGradGuard guard;
        model_->eval();
        const torch::Tensor found = model_->forward(images_of(batch)).contiguous();
        model_->train();
        std::copy_n(found.data_ptr<float>(), logits.size(), logits.begin());
    }

    void take_native(const sdk::TrainingSet& set) override { loader_.emplace(set, job_.batch); }

    void begin_native_epoch() override { loader_->begin_epoch(); }

    float native_step() override
    {
        const torch::data::Example<> batch = loader_->next();
        return trained(batch.data, batch.target);
    }

    void native_pixels(const sdk::TrainingSet& set, std::span<float> pixels) override
    {
        Pictures pictures(set);
        float* to = pixels.data();
        for (std::size_t place = 0; to != pixels.data() + pixels.size(); ++place) {
            const torch::Tensor picture = pictures.get(place).data.permute({1, 2, 0}).contiguous();
            to = std::copy_n(picture.data_ptr<float>(), picture.numel(), to);
        }
    }

private:
    torch::Tensor images_of(const sdk::Batch& batch) const
    {
        return as_tensor(batch.images.data(), batch.count, job_.network.input);
    }

    static torch::Tensor labels_of(const sdk::Batch& batch)
    {
        return torch::from_blob(const_cast<std::int32_t*>(batch.labels.data()), {batch.count}, torch::kInt32)
            .to(torch::kInt64);
    }

    float trained(const torch::Tensor& images, const torch::Tensor& labels)
    {
        optimizer_->zero_grad();
        const torch::Tensor loss = criterion_(model_->forward(images), labels);
        loss.backward();
        optimizer_->step();
        return loss.item<float>();
    }

    // A throw-away step and prediction: oneDNN makes its kernels, the optimizer its moments.
    void warm_up()
    {
        std::int64_t pixels = job_.batch;
        for (const std::int64_t side : job_.network.input) {
            pixels *= side;
        }
        const std::vector<float> images(static_cast<std::size_t>(pixels));
        const std::vector<std::int32_t> labels(static_cast<std::size_t>(job_.batch));
        std::vector<float> logits(static_cast<std::size_t>(job_.batch * job_.network.classes));
        step({images, labels, job_.batch});
        predict({images, labels, job_.batch}, logits);
    }

    protocol::Job job_;
    torch::nn::Sequential model_{nullptr};
    torch::nn::CrossEntropyLoss criterion_;
    std::optional<Optimizer> optimizer_;
    std::optional<Loader> loader_;
};

}  // namespace

std::unique_ptr<sdk::Trainer> make_trainer()
{
    return std::make_unique<LibtorchTrainer>();
}

}  // namespace lockstep::libtorch_worker
