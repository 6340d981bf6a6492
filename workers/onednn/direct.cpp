// The three passes share one walk over images, rows and taps.
#include "workers/onednn/direct.hpp"

#include <cstring>

#include "workers/onednn/kernels.hpp"

namespace lockstep::onednn::direct {

namespace {

using kernels::kGroup;
using kernels::Product;

// Calls visit(x offset, y offset, tap, length) for each row of outputs and tap that meets the input: `length`
// neighbouring outputs from y's offset meet as many inputs from x's.
template <class Visit>
void walk(const ConvolutionShape& s, std::int64_t begin, std::int64_t end, const Visit& visit)
{
    for (std::int64_t row = begin * s.out_height; row < end * s.out_height; ++row) {
        const std::int64_t image = row / s.out_height, oh = row % s.out_height;
        for (std::int64_t tap = 0; tap < s.kernel_height * s.kernel_width; ++tap) {
            const std::int64_t ih = oh + tap / s.kernel_width - s.pad_height;
            const std::int64_t shift = tap % s.kernel_width - s.pad_width;
            const std::int64_t first = std::max<std::int64_t>(0, -shift);
            const std::int64_t last = std::min(s.out_width, s.width - shift);
            if (ih < 0 || ih >= s.height || last <= first) {
                continue;
            }
            visit(((image * s.height + ih) * s.width + first + shift) * s.inputs,
                  (row * s.out_width + first) * s.outputs, tap, last - first);
        }
    }
}

}  // namespace

void forward(const ConvolutionShape& s, const float* x, const float* kernel, const float* bias, bool relu,
             float* y, std::int64_t begin, std::int64_t end)
{
    const std::int64_t map = s.out_height * s.out_width;
    std::memset(y + begin * map * s.outputs, 0,
                sizeof(float) * static_cast<std::size_t>((end - begin) * map * s.outputs));
    walk(s, begin, end, [&](std::int64_t from, std::int64_t to, std::int64_t tap, std::int64_t length) {
        const Product p{length, s.outputs / kGroup, s.inputs, s.inputs, 1, s.outputs,
                        kGroup, s.outputs,          kGroup};
        kernels::multiply(p, x + from, kernel + tap * s.inputs * s.outputs, y + to, true);
    });
    kernels::bias_and_relu(y, bias, s.outputs, relu, begin * map, end * map);
}

void backward_data(const ConvolutionShape& s, const float* y_gradient, const float* kernel_turned,
                   float* x_gradient, std::int64_t begin, std::int64_t end)
{
    const std::int64_t map = s.height * s.width * s.inputs;
    std::memset(x_gradient + begin * map, 0, sizeof(float) * static_cast<std::size_t>((end - begin) * map));
    walk(s, begin, end, [&](std::int64_t to, std::int64_t from, std::int64_t tap, std::int64_t length) {
        const Product p{length, s.inputs / kGroup, s.outputs, s.outputs, 1, s.inputs,
                        kGroup, s.inputs,          kGroup};
        kernels::multiply(p, y_gradient + from, kernel_turned + tap * s.inputs * s.outputs, x_gradient + to,
                          true);
    });
}

void backward_weights(const ConvolutionShape& s, const float* x, const float* y_gradient,
                      float* kernel_gradient, std::int64_t begin, std::int64_t end)
{
    const std::int64_t taps = s.kernel_height * s.kernel_width;
    std::memset(kernel_gradient, 0, sizeof(float) * static_cast<std::size_t>(taps * s.inputs * s.outputs));
    walk(s, begin, end, [&](std::int64_t at_x, std::int64_t at_y, std::int64_t tap, std::int64_t length) {
        const Product p{s.inputs, s.outputs / kGroup, length, 1, s.inputs, s.outputs,
                        kGroup,   s.outputs,          kGroup};
        kernels::multiply(p, x + at_x, y_gradient + at_y, kernel_gradient + tap * s.inputs * s.outputs, true);
    });
}

}  // namespace lockstep::onednn::direct
