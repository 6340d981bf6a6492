// Mean softmax cross-entropy on integer labels, from logits.
#pragma once

#include <cstdint>
#include <span>

namespace lockstep::onednn {

// logits and gradient: labels.size() rows of padded(classes) floats; gradient becomes that of the mean loss,
// padding zero. losses: scratch, one a row. Throws std::invalid_argument for a label outside 0..classes-1.
double softmax_cross_entropy(const float* logits, std::span<const std::int32_t> labels, std::int64_t classes,
                             int threads, double* losses, float* gradient);

}  // namespace lockstep::onednn
