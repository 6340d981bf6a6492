// What every worker and the reference are asked to compute: the same weights, the same images.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "protocol/job.hpp"

namespace lockstep::reference {

// One forward and backward pass over the first batch, then `steps` training steps on consecutive
// batches started from the same weights, then predictions. Dropout is off throughout.
struct Question {
    protocol::Network network;
    protocol::Optimizer optimizer;
    std::int64_t batch = 1;
    int steps = 5;
    std::map<std::string, std::vector<float>> weights;  // canonical; one entry per parameter
    std::vector<float> images;             // max(1, steps) x batch images, height x width x channels in 0..1
    std::vector<std::int32_t> labels;      // one an image of `images`, 0..classes-1
    std::vector<float> prediction_images;  // any number, may be empty
};

// Of the given batch, from 0.
std::span<const float> images_of(const Question& question, std::int64_t batch);
std::span<const std::int32_t> labels_of(const Question& question, std::int64_t batch);

std::map<std::string, std::vector<double>> weights_of(const Question& question);

}  // namespace lockstep::reference
