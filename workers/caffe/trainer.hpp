// Caffe as a lockstep worker.
#pragma once

#include <caffe/caffe.hpp>
#include <caffe/layers/memory_data_layer.hpp>
#include <memory>
#include <string>
#include <vector>

#include "workers/caffe/learner.hpp"
#include "workers/caffe/pixels.hpp"
#include "workers/caffe/prototxt.hpp"
#include "workers/sdk/cpp/trainer.hpp"

namespace lockstep::caffe_worker {

// Parameters live in the net that predicts; the training nets share them (ShareTrainedLayersWith).
class CaffeTrainer final : public sdk::Trainer {
public:
    sdk::Identity identity() override;
    // Option `iter_size`: a batch goes through the net in so many parts, whose gradients add up. Throws
    // sdk::Unsupported when it does not divide the batch.
    sdk::Built build(const protocol::Job& job) override;
    void load(std::span<const sdk::Tensor> weights) override;
    std::vector<sdk::Tensor> weights() override;
    sdk::Gradients gradients(const sdk::Batch& batch) override;
    float step(const sdk::Batch& batch) override;
    void predict(const sdk::Batch& batch, std::span<float> logits) override;
    void take_native(const sdk::TrainingSet& set) override;
    float native_step() override;
    void native_pixels(const sdk::TrainingSet& set, std::span<float> images) override;

private:
    using Parameters = std::vector<std::pair<std::string, boost::shared_ptr<caffe::Blob<float>>>>;

    std::unique_ptr<Learner> learner(const Source& source);
    // The one that is fed from memory; made at its first use, since a native job needs it for the check only.
    Learner& fed();
    void feed(const sdk::Batch& batch);
    Source memory_source() const;

    protocol::Job job_;
    std::int64_t iter_size_ = 1;
    std::unique_ptr<caffe::Net<float>> predictor_;
    Parameters parameters_;  // of the predictor, in the network's order
    std::unique_ptr<Learner> fed_;
    std::unique_ptr<Learner> native_;
    std::vector<float> images_;  // of a batch of more than one channel, plane by plane
    std::vector<float> labels_;
};

}  // namespace lockstep::caffe_worker
