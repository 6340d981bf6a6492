// torch::optim as its users call it, and what makes its Adam equal to the contract's.
#pragma once

#include <torch/torch.h>

#include <cmath>
#include <memory>
#include <vector>

#include "protocol/job.hpp"

namespace lockstep::libtorch_worker {

class Optimizer {
public:
    Optimizer(const protocol::Optimizer& rule, const std::vector<torch::Tensor>& parameters) : rule_(rule)
    {
        if (adam()) {
            optimizer_ =
                std::make_unique<torch::optim::Adam>(parameters, torch::optim::AdamOptions(rule.learning_rate)
                                                                     .betas({rule.beta1, rule.beta2})
                                                                     .eps(rule.epsilon));
        } else {
            optimizer_ = std::make_unique<torch::optim::SGD>(
                parameters, torch::optim::SGDOptions(rule.learning_rate).momentum(rule.momentum));
        }
    }
    void zero_grad() { optimizer_->zero_grad(); }

    // torch adds epsilon to sqrt(v_hat) = sqrt(v) / sqrt(1 - beta2^t), the contract to sqrt(v): both are the
    // same when torch's epsilon at step t is the contract's divided by sqrt(1 - beta2^t).
    void step()
    {
        ++updates_;
        if (adam()) {
            auto& options = static_cast<torch::optim::AdamOptions&>(optimizer_->param_groups()[0].options());
            options.eps(rule_.epsilon / std::sqrt(1.0 - std::pow(rule_.beta2, updates_)));
        }
        optimizer_->step();
    }

    // As at its start, in the memory that it has.
    void restart()
    {
        updates_ = 0;
        for (auto& entry : optimizer_->state()) {
            if (adam()) {
                auto& state = static_cast<torch::optim::AdamParamState&>(*entry.second);
                state.step(0);
                state.exp_avg().zero_();
                state.exp_avg_sq().zero_();
            } else if (auto& state = static_cast<torch::optim::SGDParamState&>(*entry.second);
                       state.momentum_buffer().defined()) {
                state.momentum_buffer().zero_();
            }
        }
    }

private:
    bool adam() const { return rule_.kind == "adam"; }

    protocol::Optimizer rule_;
    std::unique_ptr<torch::optim::Optimizer> optimizer_;
    double updates_ = 0.0;  // since the start; Adam's t
};

}  // namespace lockstep::libtorch_worker
