// A trainer that shows what the SDK gave it. Image number n has the byte n as its first pixel and n % 3 as
// its label. A step's loss is the number of the first image of its batch; the class predicted for an image
// is its number % 3; a step adds 1 to every weight. The option "behave" makes it fail:
//   nan (losses), throw (in step), exhaust (memory, in step), refuse (in build), slow (5 ms a step)
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "workers/sdk/cpp/trainer.hpp"

namespace lockstep::sdk {

class TinyTrainer : public Trainer {
public:
    Identity identity() override;
    Built build(const protocol::Job& job) override;
    void load(std::span<const Tensor> weights) override { weights_.assign(weights.begin(), weights.end()); }
    std::vector<Tensor> weights() override { return weights_; }
    Gradients gradients(const Batch& batch) override;
    float step(const Batch& batch) override;
    void predict(const Batch& batch, std::span<float> logits) override;
    std::map<std::string, std::int64_t> allocator_bytes() override { return {{"tiny peak", 4096}}; }

private:
    std::string behave_;
    std::int64_t pixels_ = 0;  // of one image
    std::vector<Tensor> weights_;
};

// One that has native input, too: batches of the set in its own order, from its first image in each epoch.
class SelfFedTrainer final : public TinyTrainer {
public:
    Identity identity() override;
    Built build(const protocol::Job& job) override;
    void take_native(const TrainingSet& set) override { set_ = set; }
    void begin_native_epoch() override { next_ = 0; }
    float native_step() override;
    // Marked with a value that no locked pixel has: the negative one.
    void native_pixels(const TrainingSet& set, std::span<float> pixels) override;

private:
    TrainingSet set_;
    std::int64_t batch_ = 0;
    std::int64_t next_ = 0;  // image of the set
};

}  // namespace lockstep::sdk
