// A worker that really trains, with plain loops on one thread. Keep the members, put your framework behind
// them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "network.hpp"
#include "protocol/job.hpp"
#include "workers/sdk/cpp/trainer.hpp"

namespace lockstep::plain {

class PlainTrainer final : public sdk::Trainer {
public:
    sdk::Identity identity() override;
    sdk::Built build(const protocol::Job& job) override;
    void load(std::span<const sdk::Tensor> weights) override;
    std::vector<sdk::Tensor> weights() override;
    sdk::Gradients gradients(const sdk::Batch& batch) override;
    float step(const sdk::Batch& batch) override;
    void predict(const sdk::Batch& batch, std::span<float> logits) override;

private:
    void update();

    std::unique_ptr<Network> network_;
    protocol::Optimizer optimizer_;
    std::int64_t steps_ = 0;  // since load(); Adam's t
};

}  // namespace lockstep::plain
