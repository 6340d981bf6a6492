// Work is cut along outputs or inputs, never along a sum.
#include "harness/reference/dense.hpp"

#include <algorithm>

#include "harness/reference/parallel.hpp"
#include "harness/reference/product.hpp"

namespace lockstep::reference {
namespace {

constexpr std::int64_t kBlock = 64;  // inputs or outputs in one piece of work

std::int64_t length(const std::vector<double>& values, std::int64_t rows)
{
    return static_cast<std::int64_t>(values.size()) / rows;
}

}  // namespace

std::vector<double> dense(std::int64_t batch, const std::vector<double>& input,
                          const std::vector<double>& kernel, const std::vector<double>& bias, int threads)
{
    const std::int64_t inputs = length(input, batch);
    const std::int64_t outputs = length(bias, 1);
    std::vector<double> output;
    for (std::int64_t b = 0; b < batch; ++b) {
        output.insert(output.end(), bias.begin(), bias.end());
    }
    in_parallel((outputs + kBlock - 1) / kBlock, threads, [&](std::int64_t piece) {
        multiply_add({.rows = batch,
                      .inner = inputs,
                      .columns = outputs,
                      .first = piece * kBlock,
                      .last = std::min((piece + 1) * kBlock, outputs),
                      .a = input.data(),
                      .group = batch,
                      .a_group = 0,
                      .a_stride = inputs,
                      .b = kernel.data(),
                      .c = output.data()});
    });
    return output;
}

std::vector<double> dense_kernel_gradient(std::int64_t batch, const std::vector<double>& input,
                                          const std::vector<double>& output_gradient, int threads)
{
    const std::int64_t inputs = length(input, batch);
    const std::int64_t outputs = length(output_gradient, batch);
    std::vector<double> gradient(static_cast<std::size_t>(inputs * outputs));
    in_parallel((inputs + kBlock - 1) / kBlock, threads, [&](std::int64_t piece) {
        multiply_transposed_add({.rows = batch,
                                 .first = piece * kBlock,
                                 .last = std::min((piece + 1) * kBlock, inputs),
                                 .columns = outputs,
                                 .a = input.data(),
                                 .a_stride = inputs,
                                 .d = output_gradient.data(),
                                 .c = gradient.data()});
    });
    return gradient;
}

std::vector<double> dense_input_gradient(std::int64_t batch, const std::vector<double>& kernel,
                                         const std::vector<double>& output_gradient, int threads)
{
    const std::int64_t outputs = length(output_gradient, batch);
    const std::int64_t inputs = length(kernel, outputs);
    std::vector<double> gradient(static_cast<std::size_t>(batch * inputs));
    in_parallel((inputs + kBlock - 1) / kBlock, threads, [&](std::int64_t piece) {
        for (std::int64_t i = piece * kBlock; i < std::min((piece + 1) * kBlock, inputs); ++i) {
            for (std::int64_t b = 0; b < batch; ++b) {
                gradient[static_cast<std::size_t>(b * inputs + i)] =
                    dot(outputs, kernel.data() + i * outputs, output_gradient.data() + b * outputs);
            }
        }
    });
    return gradient;
}

}  // namespace lockstep::reference
