// What one training run of a few steps produced, in canonical form: what a worker returned, after its
// parameters were permuted back, or what the reference computed.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace lockstep::record {

// Tensors are flat, in canonical layout: kernels HWIO and in x out, flatten order height, width, channel;
// keys are the names of protocol::parameters_of.
template <class Real>
struct BasicObservation {
    // Of one forward and backward pass over the first batch, with the given weights, dropout off.
    std::vector<Real> logits;                            // batch x classes
    double loss = 0.0;                                   // mean over the batch
    std::map<std::string, std::vector<Real>> gradients;  // of the mean loss
    // Of the training steps, started anew from the given weights. Empty when no step was asked for.
    std::vector<double> losses;                           // one a step, before its update
    std::map<std::string, std::vector<Real>> parameters;  // after the last step
    // Class of the largest logit of each prediction image, with the parameters after the last step.
    std::vector<std::int32_t> predictions;
};

using Observation = BasicObservation<float>;        // a worker's
using ExactObservation = BasicObservation<double>;  // the reference's

}  // namespace lockstep::record
