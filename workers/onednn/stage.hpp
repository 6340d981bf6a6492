// What runs for one stage of the plan, forward and backward. Stages own no memory: they ask the arena while
// they are made and find their pointers in bind().
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "workers/onednn/arena.hpp"
#include "workers/onednn/kernels.hpp"
#include "workers/onednn/library.hpp"
#include "workers/onednn/plan.hpp"

namespace lockstep::onednn {

// Where a tensor's value and gradient lie.
struct TensorSlots {
    Arena::Slot value, gradient;
};

// Everything that the stages of one network share; outlives them.
struct Workshop {
    const protocol::Job& job;
    const Plan& plan;
    Arena& arena;
    Library& library;
    bool library_allowed = true;               // false: own loops only
    std::vector<TensorSlots> tensors;          // as Plan::tensors
    Arena::Slot parameters, gradients;         // Plan::parameter_floats each
    std::map<std::string, std::string> facts;  // "conv1.forward" -> "own first layer, AVX2"

    const StagePlan& stage(std::size_t number) const { return plan.stages[number]; }
    Arena::Lifetime at_forward(std::size_t number) const;
    Arena::Lifetime at_backward(std::size_t number) const;
    Arena::Lifetime through(std::size_t number) const;  // from its forward to its backward pass
};

// One pass through the network.
struct Pass {
    std::int64_t count = 0;         // images, up to the batch
    const float* images = nullptr;  // count x height x width x channels, unpadded
    bool learns = false;            // a backward pass follows
    bool dropout = false;           // dropout layers work
    std::uint64_t number = 0;       // of the training step, for dropout's generator
};

class Stage {
public:
    virtual ~Stage() = default;
    // Once, when the arena has its memory.
    virtual void bind() = 0;
    virtual void forward(const Pass& pass) = 0;
    // From the gradient of what it writes to that of what it reads (if wanted), and sets that of its
    // parameters. May spoil the gradient that it reads. Only for a whole batch.
    virtual void backward(const Pass& pass) = 0;
};

std::unique_ptr<Stage> make_input(Workshop& shop, std::size_t number);
std::unique_ptr<Stage> make_first_layer(Workshop& shop, std::size_t number);
std::unique_ptr<Stage> make_winograd(Workshop& shop, std::size_t number);
std::unique_ptr<Stage> make_convolution(Workshop& shop, std::size_t number);  // library or direct
std::unique_ptr<Stage> make_pool(Workshop& shop, std::size_t number);
std::unique_ptr<Stage> make_dense(Workshop& shop, std::size_t number);
std::unique_ptr<Stage> make_dropout(Workshop& shop, std::size_t number);

// The pointers of a stage with parameters, as bind() fills them.
struct Tensors {
    float* x = nullptr;
    float* x_gradient = nullptr;  // null when not wanted
    float* y = nullptr;
    float* y_gradient = nullptr;
    float* kernel = nullptr;
    float* kernel_gradient = nullptr;
    float* bias = nullptr;
    float* bias_gradient = nullptr;
};
// x stays null for a stage that reads the images themselves.
Tensors find_tensors(const Workshop& shop, std::size_t number);

}  // namespace lockstep::onednn
