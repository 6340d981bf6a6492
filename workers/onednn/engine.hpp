// The engine: a network with its parameters, forward, backward and update. Knows nothing of workers.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "protocol/job.hpp"
#include "workers/onednn/arena.hpp"
#include "workers/onednn/library.hpp"
#include "workers/onednn/plan.hpp"
#include "workers/onednn/stage.hpp"

namespace lockstep::onednn {

// One moment of a step and the seconds that it has taken in all profiled steps.
struct Phase {
    std::string name;  // "conv1 forward", "loss", "dense1 backward", "update"
    double seconds = 0.0;
};

// Shapes at this border are canonical: images count x height x width x channels; parameters as
// protocol::parameters_of() lists them (kernels HWIO and in x out, flattened in height, width, channel
// order).
class Engine {
public:
    // Decides, allocates and makes every primitive. Throws std::invalid_argument for a layer that it cannot
    // build, std::bad_alloc where memory ends.
    explicit Engine(const protocol::Job& job, Preference preference = Preference::automatic);
    ~Engine();

    std::size_t parameter_count() const { return plan_.parameters.size(); }
    const protocol::Parameter& parameter(std::size_t index) const
    {
        return plan_.parameters[index].canonical;
    }
    // What runs where ("conv2.forward" -> ...), "threads", "memory_bytes".
    const std::map<std::string, std::string>& facts() const { return shop_.facts; }
    std::int64_t memory_bytes() const { return arena_.bytes(); }

    // Requires values of the parameter's size. Throws std::invalid_argument otherwise.
    void set_parameter(std::size_t index, std::span<const float> values);
    std::vector<float> parameter_values(std::size_t index) const;
    std::vector<float> gradient_values(std::size_t index) const;
    // Moments to zero; the next step is step 1.
    void reset_optimizer();

    // The next three require: images and labels of a whole batch, labels in 0..classes-1 (else
    // std::invalid_argument). All return when the work is done.

    // Forward and backward, no dropout, no update. Returns the mean loss; logits: batch x classes.
    double gradients(std::span<const float> images, std::span<const std::int32_t> labels,
                     std::span<float> logits);
    // Forward, backward and update. Returns the mean loss before the update. Allocates nothing of its own.
    float step(std::span<const float> images, std::span<const std::int32_t> labels);
    // Logits of 1..batch images.
    void predict(std::span<const float> images, std::int64_t count, std::span<float> logits);

    // Starts to sum the time of each phase of step().
    void profile();
    const std::vector<Phase>& phases() const { return phases_; }

private:
    void take_logits(std::int64_t count, std::span<float> logits) const;
    void forward(const Pass& pass);
    double loss(std::span<const std::int32_t> labels);
    void backward(const Pass& pass);
    void update();
    void lap(std::size_t phase, double& since);

    protocol::Job job_;
    Plan plan_;
    Arena arena_;
    Library library_;
    Workshop shop_;
    std::vector<std::unique_ptr<Stage>> stages_;
    Arena::Slot first_moment_, second_moment_, losses_;
    std::int64_t updates_ = 0;
    std::uint64_t steps_ = 0;
    bool profiling_ = false;
    std::vector<Phase> phases_;
};

}  // namespace lockstep::onednn
