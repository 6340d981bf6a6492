// Any convolution of stride 1 as one matrix product for each row of the map and tap of the kernel: what runs
// where oneDNN would fall back to its reference kernels.
#pragma once

#include "workers/onednn/library.hpp"

namespace lockstep::onednn::direct {

// y = bias + x * kernel, for images begin..end; then ReLU if asked.
void forward(const ConvolutionShape& shape, const float* x, const float* kernel, const float* bias, bool relu,
             float* y, std::int64_t begin, std::int64_t end);
// kernel_turned: taps x out x in (each tap of the kernel transposed). Sets images begin..end of x_gradient.
void backward_data(const ConvolutionShape& shape, const float* y_gradient, const float* kernel_turned,
                   float* x_gradient, std::int64_t begin, std::int64_t end);
// Sets kernel_gradient to the sum over images begin..end.
void backward_weights(const ConvolutionShape& shape, const float* x, const float* y_gradient,
                      float* kernel_gradient, std::int64_t begin, std::int64_t end);

}  // namespace lockstep::onednn::direct
