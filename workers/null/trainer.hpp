// A trainer that does nothing: a step of it costs what lockstep itself adds to a step.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "protocol/job.hpp"
#include "workers/sdk/cpp/trainer.hpp"

namespace lockstep::null {

class NullTrainer final : public sdk::Trainer {
public:
    sdk::Identity identity() override;
    sdk::Built build(const protocol::Job& job) override;
    void load(std::span<const sdk::Tensor> weights) override;
    std::vector<sdk::Tensor> weights() override { return weights_; }
    sdk::Gradients gradients(const sdk::Batch& batch) override;  // zeros
    float step(const sdk::Batch&) override { return 0.0F; }
    void predict(const sdk::Batch& batch, std::span<float> logits) override;  // zeros: always class 0
    bool reads_images() const override { return false; }

private:
    std::vector<sdk::Tensor> weights_;  // as they were loaded
    std::int64_t classes_ = 0;
};

}  // namespace lockstep::null
