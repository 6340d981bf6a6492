// Adam and SGD with momentum, in every form that a worker may take for them.
#pragma once

#include "harness/reference/pass.hpp"
#include "harness/reference/variant.hpp"
#include "protocol/job.hpp"

namespace lockstep::reference {

class OptimizerState {
public:
    OptimizerState(protocol::Optimizer optimizer, Variant variant, int threads);

    // One step: changes `weights` along `gradients`. Requires: the same keys and sizes at each call.
    void update(const Weights& gradients, Weights& weights);

    // For variants that keep gradients: what the first step finds left over from an earlier pass.
    void keep(const Weights& gradients);

    int steps() const { return steps_; }
    const protocol::Optimizer& optimizer() const { return optimizer_; }
    // Adam: mean and mean square of the gradients, not corrected. SGD: the velocity; the second is empty.
    const Weights& first_moments() const { return first_; }
    const Weights& second_moments() const { return second_; }

private:
    protocol::Optimizer optimizer_;
    Variant variant_;
    int threads_;
    int steps_ = 0;
    Weights first_;
    Weights second_;
    Weights kept_;
};

}  // namespace lockstep::reference
