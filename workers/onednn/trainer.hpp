// The engine as a lockstep worker.
#pragma once

#include <memory>

#include "workers/onednn/engine.hpp"
#include "workers/sdk/cpp/trainer.hpp"

namespace lockstep::onednn {

class EngineTrainer : public sdk::Trainer {
public:
    sdk::Identity identity() override;
    // Option `convolution`: auto (default), winograd, library, direct.
    sdk::Built build(const protocol::Job& job) override;
    void load(std::span<const sdk::Tensor> weights) override;
    std::vector<sdk::Tensor> weights() override;
    sdk::Gradients gradients(const sdk::Batch& batch) override;
    float step(const sdk::Batch& batch) override;
    void predict(const sdk::Batch& batch, std::span<float> logits) override;
    std::map<std::string, std::int64_t> allocator_bytes() override;

private:
    std::int64_t batch_ = 0, classes_ = 0;
    std::unique_ptr<Engine> engine_;
};

}  // namespace lockstep::onednn
