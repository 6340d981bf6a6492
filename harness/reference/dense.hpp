// The dense layer and its two gradients.
#pragma once

#include <cstdint>
#include <vector>

namespace lockstep::reference {

// output[b][o] = bias[o] + sum over i of input[b][i] * kernel[i][o]
std::vector<double> dense(std::int64_t batch, const std::vector<double>& input,
                          const std::vector<double>& kernel, const std::vector<double>& bias, int threads);

// The gradient of the kernel, inputs x outputs, from that of the output.
std::vector<double> dense_kernel_gradient(std::int64_t batch, const std::vector<double>& input,
                                          const std::vector<double>& output_gradient, int threads);

// The gradient of the input from that of the output.
std::vector<double> dense_input_gradient(std::int64_t batch, const std::vector<double>& kernel,
                                         const std::vector<double>& output_gradient, int threads);

}  // namespace lockstep::reference
