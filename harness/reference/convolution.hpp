// Convolution as networks mean it (correlation: the kernel is not turned), stride 1, and its two gradients.
#pragma once

#include <cstdint>
#include <vector>

namespace lockstep::reference {

struct ConvolutionShape {
    std::int64_t batch;
    std::int64_t height, width, channels;         // input
    std::int64_t out_height, out_width, filters;  // output
    std::int64_t kernel_height, kernel_width;
    std::int64_t top, left;  // zeros put above and left of the input; below and right as many as needed
};

// output[b][y][x][f] = bias[f] + sum over i, j, c of
//     input[b][y + i - top][x + j - left][c] * kernel[i][j][c][f]; outside of the input is 0.
std::vector<double> convolution(const ConvolutionShape& shape, const std::vector<double>& input,
                                const std::vector<double>& kernel, const std::vector<double>& bias,
                                int threads);

// The gradient of the kernel from that of the output.
std::vector<double> kernel_gradient(const ConvolutionShape& shape, const std::vector<double>& input,
                                    const std::vector<double>& output_gradient, int threads);

// The gradient of the input from that of the output.
std::vector<double> input_gradient(const ConvolutionShape& shape, const std::vector<double>& kernel,
                                   const std::vector<double>& output_gradient, int threads);

}  // namespace lockstep::reference
