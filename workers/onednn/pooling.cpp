// Max-pooling on its own (where it could not be part of a convolution), and the small passes over rows:
// bias with ReLU, and ReLU's mask with the bias's gradient.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "workers/onednn/pooling.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "workers/onednn/gemm-inl.hpp"

#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace lockstep::onednn::kernels::HWY_NAMESPACE {
namespace {

using Places = hn::Rebind<Winner, Wide>;
using Integers = hn::RebindToSigned<Wide>;

}  // namespace

void pool_forward(const Pooling& shape, const float* x, float* y, Winner* winners, std::int64_t begin,
                  std::int64_t end)
{
    constexpr Wide d;
    constexpr Integers di;
    const std::int64_t channels = shape.channels, window = shape.window, wide = shape.pooled_width();
    for (std::int64_t row = begin; row < end; ++row) {
        const std::int64_t image = row / shape.pooled_height(), py = row % shape.pooled_height();
        for (std::int64_t px = 0; px < wide; ++px) {
            const float* corner =
                x + ((image * shape.height + py * window) * shape.width + px * window) * channels;
            for (std::int64_t c = 0; c < channels; c += kLanes) {
                Floats best = hn::Load(d, corner + c);
                auto place = hn::Zero(di);
                for (std::int64_t k = 1; k < window * window; ++k) {
                    const Floats other =
                        hn::Load(d, corner + (k / window * shape.width + k % window) * channels + c);
                    const auto higher = hn::Gt(other, best);
                    best = hn::IfThenElse(higher, other, best);
                    place = hn::IfThenElse(hn::RebindMask(di, higher),
                                           hn::Set(di, static_cast<std::int32_t>(k)), place);
                }
                const std::int64_t out = (row * wide + px) * channels + c;
                hn::Store(best, d, y + out);
                hn::Store(hn::DemoteTo(Places(), place), Places(), winners + out);
            }
        }
    }
}

void pool_backward(const Pooling& shape, const float* y_gradient, const Winner* winners, float* x_gradient,
                   std::int64_t begin, std::int64_t end)
{
    constexpr Wide d;
    constexpr Integers di;
    const std::int64_t channels = shape.channels, window = shape.window, wide = shape.pooled_width();
    const std::int64_t map = shape.height * shape.width * channels;
    for (std::int64_t image = begin; image < end; ++image) {
        std::memset(x_gradient + image * map, 0, sizeof(float) * map);
        for (std::int64_t out_pixel = 0; out_pixel < shape.pooled_height() * wide; ++out_pixel) {
            const std::int64_t py = out_pixel / wide, px = out_pixel % wide;
            float* corner = x_gradient + image * map + (py * window * shape.width + px * window) * channels;
            const std::int64_t out = (image * shape.pooled_height() * wide + out_pixel) * channels;
            for (std::int64_t c = 0; c < channels; c += kLanes) {
                const Floats gradient = hn::Load(d, y_gradient + out + c);
                const auto place = hn::PromoteTo(di, hn::Load(Places(), winners + out + c));
                for (std::int64_t k = 0; k < window * window; ++k) {
                    const auto won =
                        hn::RebindMask(d, hn::Eq(place, hn::Set(di, static_cast<std::int32_t>(k))));
                    hn::Store(hn::IfThenElseZero(won, gradient), d,
                              corner + (k / window * shape.width + k % window) * channels + c);
                }
            }
        }
    }
}

void mask_and_sum(float* gradient, const float* values, std::int64_t rows, std::int64_t columns,
                  float* bias_gradient, std::int64_t begin, std::int64_t end)
{
    constexpr Wide d;
    for (std::int64_t c = begin * kGroup; c < end * kGroup; c += kLanes) {
        Floats sum = hn::Zero(d);
        for (std::int64_t r = 0; r < rows; ++r) {
            Floats g = hn::Load(d, gradient + r * columns + c);
            if (values != nullptr) {
                g = hn::IfThenElseZero(hn::Gt(hn::Load(d, values + r * columns + c), hn::Zero(d)), g);
                hn::Store(g, d, gradient + r * columns + c);
            }
            sum = hn::Add(sum, g);
        }
        hn::Store(sum, d, bias_gradient + c);
    }
}

void bias_and_relu(float* values, const float* bias, std::int64_t columns, bool relu, std::int64_t begin,
                   std::int64_t end)
{
    constexpr Wide d;
    for (std::int64_t r = begin; r < end; ++r) {
        for (std::int64_t c = 0; c < columns; c += kLanes) {
            Floats v = hn::Add(hn::Load(d, values + r * columns + c), hn::Load(d, bias + c));
            if (relu) {
                v = hn::Max(v, hn::Zero(d));
            }
            hn::Store(v, d, values + r * columns + c);
        }
    }
}

}  // namespace lockstep::onednn::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lockstep::onednn::kernels {

HWY_EXPORT(pool_forward);
HWY_EXPORT(pool_backward);
HWY_EXPORT(mask_and_sum);
HWY_EXPORT(bias_and_relu);

void pool_forward(const Pooling& shape, const float* x, float* y, Winner* winners, std::int64_t begin,
                  std::int64_t end)
{
    HWY_DYNAMIC_DISPATCH(pool_forward)(shape, x, y, winners, begin, end);
}

void pool_backward(const Pooling& shape, const float* y_gradient, const Winner* winners, float* x_gradient,
                   std::int64_t begin, std::int64_t end)
{
    HWY_DYNAMIC_DISPATCH(pool_backward)(shape, y_gradient, winners, x_gradient, begin, end);
}

void mask_and_sum(float* gradient, const float* values, std::int64_t rows, std::int64_t columns,
                  float* bias_gradient, std::int64_t begin, std::int64_t end)
{
    HWY_DYNAMIC_DISPATCH(mask_and_sum)(gradient, values, rows, columns, bias_gradient, begin, end);
}

void bias_and_relu(float* values, const float* bias, std::int64_t columns, bool relu, std::int64_t begin,
                   std::int64_t end)
{
    HWY_DYNAMIC_DISPATCH(bias_and_relu)(values, bias, columns, relu, begin, end);
}

}  // namespace lockstep::onednn::kernels
#endif
