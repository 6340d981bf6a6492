// The timed loop and the predictions beside it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "protocol/messages.hpp"
#include "workers/sdk/cpp/channel.hpp"
#include "workers/sdk/cpp/feeder.hpp"
#include "workers/sdk/cpp/pulse.hpp"
#include "workers/sdk/cpp/trainer.hpp"

namespace lockstep::sdk {

// What steps and predictions need, once a network is built, data are mapped and weights are loaded.
struct Workbench {
    Trainer& trainer;
    Feeder& feeder;
    Channel& channel;
    std::int64_t batch;
    std::int64_t classes;
    bool native;  // training is fed by the trainer itself
};

// Index of the largest of `classes` logits for each image, the lowest on a tie; 0 where all are NaN.
void write_classes(std::span<const float> logits, std::int64_t classes, std::span<std::int32_t> to);

// Classes of all test images, the last partial batch included.
std::vector<std::int32_t> predict_all(Workbench& bench, Pulse& pulse);

// Trains as the request says. Begin and end of each step enclose Trainer::step alone, batches are
// gathered before the begin; in native input they enclose Trainer::native_step. Events are sent after the
// end. Throws BadRequest for an unusable order file
// before the first step.
protocol::TrainReply train(const protocol::TrainRequest& request, Workbench& bench);

}  // namespace lockstep::sdk
