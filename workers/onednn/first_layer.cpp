// The network's first convolution: few input channels, so no product is worth forming. Forward makes a
// pooling window's outputs in registers and keeps the largest; backward weighs the pixels under each winner
// with its pooled gradient. Neither touches a full-size map.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "workers/onednn/first_layer.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "workers/onednn/gemm-inl.hpp"

#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace lockstep::onednn::kernels::HWY_NAMESPACE {
namespace {

using Places = hn::Rebind<Winner, Wide>;
using Integers = hn::RebindToSigned<Wide>;

// Nine sums, one weight and a broadcast leave room in 16 registers.
constexpr int kTapsAtOnce = 9;

// A zero-padded copy of one image, and where each tap lies from a window's corner.
struct Padded {
    float* image;
    std::int64_t* offsets;

    Padded(const FirstLayer& layer, float* scratch)
        : image(scratch),
          offsets(reinterpret_cast<std::int64_t*>(
              scratch + padded((layer.height + 2 * layer.pad_height) * layer.padded_row())))
    {
        const std::int64_t across = layer.kernel_width * layer.channels;
        for (std::int64_t tap = 0; tap < layer.taps(); ++tap) {
            offsets[tap] = tap / across * layer.padded_row() + tap % across;
        }
        std::memset(image, 0, sizeof(float) * (layer.height + 2 * layer.pad_height) * layer.padded_row());
    }
    void load(const FirstLayer& layer, const float* x, std::int64_t number) const
    {
        const std::int64_t row = layer.width * layer.channels;
        for (std::int64_t h = 0; h < layer.height; ++h) {
            std::memcpy(
                image + (h + layer.pad_height) * layer.padded_row() + layer.pad_width * layer.channels,
                x + (number * layer.height + h) * row, sizeof(float) * row);
        }
    }
};

// The taps of a 3x3 kernel on one channel, known while compiling, or any list.
struct NineTaps {
    std::int64_t row;
    std::int64_t operator[](int tap) const { return tap / 3 * row + tap % 3; }
};
struct ListedTaps {
    const std::int64_t* offsets;
    std::int64_t operator[](std::int64_t tap) const { return offsets[tap]; }
};

struct Best {
    Floats value;
    hn::Vec<Integers> place;

    HWY_INLINE void offer(Floats other, std::int64_t where)
    {
        constexpr Integers di;
        const auto higher = hn::Gt(other, value);
        value = hn::IfThenElse(higher, other, value);
        place =
            hn::IfThenElse(hn::RebindMask(di, higher), hn::Set(di, static_cast<std::int32_t>(where)), place);
    }
    HWY_INLINE void store(bool relu, float* y, Winner* winners)
    {
        constexpr Wide d;
        constexpr Integers di;
        if (relu) {
            const auto open = hn::Gt(value, hn::Zero(d));
            value = hn::Max(value, hn::Zero(d));
            place = hn::IfThenElse(hn::RebindMask(di, open), place, hn::Set(di, static_cast<int>(kDead)));
        }
        hn::Store(value, d, y);
        if (winners != nullptr) {
            hn::Store(hn::DemoteTo(Places(), place), Places(), winners);
        }
    }
};

// One row of pooled outputs for one vector of channels: a 2x2 window's four outputs side by side.
template <class Taps, int fixed_taps>
HWY_INLINE void pooled_row(const FirstLayer& layer, const float* HWY_RESTRICT corner, const Taps& taps,
                           const float* HWY_RESTRICT kernel, Floats bias, float* HWY_RESTRICT y,
                           Winner* winners)
{
    constexpr Wide d;
    constexpr Integers di;
    const std::int64_t row = layer.padded_row(), across = layer.channels;
    const std::int64_t count = fixed_taps > 0 ? fixed_taps : layer.taps();
    Floats fixed[fixed_taps > 0 ? fixed_taps : 1];
#pragma GCC unroll 9
    for (int tap = 0; tap < fixed_taps; ++tap) {
        fixed[tap] = hn::Load(d, kernel + tap * layer.outputs);
    }
    for (std::int64_t px = 0; px < layer.pooled_width; ++px) {
        const float* at = corner + 2 * px * across;
        Floats v0 = bias, v1 = bias, v2 = bias, v3 = bias;
#pragma GCC unroll 9
        for (int tap = 0; tap < count; ++tap) {
            const float* pixel = at + taps[tap];
            const Floats weight = fixed_taps > 0 ? fixed[tap] : hn::Load(d, kernel + tap * layer.outputs);
            v0 = hn::MulAdd(weight, hn::Set(d, pixel[0]), v0);
            v1 = hn::MulAdd(weight, hn::Set(d, pixel[across]), v1);
            v2 = hn::MulAdd(weight, hn::Set(d, pixel[row]), v2);
            v3 = hn::MulAdd(weight, hn::Set(d, pixel[row + across]), v3);
        }
        Best best{v0, hn::Zero(di)};
        best.offer(v1, 1);
        best.offer(v2, 2);
        best.offer(v3, 3);
        best.store(layer.relu, y + px * layer.outputs,
                   winners == nullptr ? nullptr : winners + px * layer.outputs);
    }
}

// The same for any window.
void pooled_row_any(const FirstLayer& layer, const float* corner, const std::int64_t* offsets,
                    const float* kernel, Floats bias, float* y, Winner* winners)
{
    constexpr Wide d;
    constexpr Integers di;
    for (std::int64_t px = 0; px < layer.pooled_width; ++px) {
        Best best{bias, hn::Zero(di)};
        for (std::int64_t place = 0; place < layer.window * layer.window; ++place) {
            const float* at = corner + place / layer.window * layer.padded_row() +
                              (px * layer.window + place % layer.window) * layer.channels;
            Floats sum = bias;
            for (std::int64_t tap = 0; tap < layer.taps(); ++tap) {
                sum =
                    hn::MulAdd(hn::Load(d, kernel + tap * layer.outputs), hn::Set(d, at[offsets[tap]]), sum);
            }
            if (place == 0) {
                best.value = sum;
            } else {
                best.offer(sum, place);
            }
        }
        best.store(layer.relu, y + px * layer.outputs,
                   winners == nullptr ? nullptr : winners + px * layer.outputs);
    }
}

// Adds one image's share of `count` taps' gradients for one vector of channels; optionally the bias's.
template <int count, int window, class Taps>
HWY_INLINE void tap_gradients(const FirstLayer& layer, const float* HWY_RESTRICT image, const Taps& taps,
                              const float* HWY_RESTRICT y_gradient, const Winner* HWY_RESTRICT winners,
                              float* HWY_RESTRICT kernel_gradient, float* HWY_RESTRICT bias_gradient)
{
    constexpr Wide d;
    constexpr Integers di;
    const std::int64_t side = window > 0 ? window : layer.window;
    Floats sums[count];
#pragma GCC unroll 9
    for (int tap = 0; tap < count; ++tap) {
        sums[tap] = hn::Load(d, kernel_gradient + tap * layer.outputs);
    }
    Floats bias = hn::Load(d, bias_gradient);
    for (std::int64_t py = 0; py < layer.pooled_height; ++py) {
        for (std::int64_t px = 0; px < layer.pooled_width; ++px) {
            const std::int64_t out = (py * layer.pooled_width + px) * layer.outputs;
            const Floats gradient = hn::Load(d, y_gradient + out);
            const auto place = hn::PromoteTo(di, hn::Load(Places(), winners + out));
            for (std::int64_t i = 0; i < side; ++i) {
                for (std::int64_t j = 0; j < side; ++j) {
                    const float* at =
                        image + (py * side + i) * layer.padded_row() + (px * side + j) * layer.channels;
                    const auto won = hn::RebindMask(
                        d, hn::Eq(place, hn::Set(di, static_cast<std::int32_t>(i * side + j))));
                    const Floats part = hn::IfThenElseZero(won, gradient);
                    bias = hn::Add(bias, part);
#pragma GCC unroll 9
                    for (int tap = 0; tap < count; ++tap) {
                        sums[tap] = hn::MulAdd(part, hn::Set(d, at[taps[tap]]), sums[tap]);
                    }
                }
            }
        }
    }
#pragma GCC unroll 9
    for (int tap = 0; tap < count; ++tap) {
        hn::Store(sums[tap], d, kernel_gradient + tap * layer.outputs);
    }
    hn::Store(bias, d, bias_gradient);
}

template <int count>
HWY_INLINE void last_taps(std::int64_t left, const FirstLayer& layer, const float* image,
                          const std::int64_t* offsets, const float* y_gradient, const Winner* winners,
                          float* kernel_gradient, float* bias_gradient)
{
    if constexpr (count > 0) {
        if (left == count) {
            tap_gradients<count, 0>(layer, image, ListedTaps{offsets}, y_gradient, winners, kernel_gradient,
                                    bias_gradient);
        } else {
            last_taps<count - 1>(left, layer, image, offsets, y_gradient, winners, kernel_gradient,
                                 bias_gradient);
        }
    }
}

bool is_plain(const FirstLayer& layer)
{
    return layer.channels == 1 && layer.kernel_height == 3 && layer.kernel_width == 3 && layer.window == 2;
}

}  // namespace

void first_layer_forward(const FirstLayer& layer, const float* x, const float* kernel, const float* bias,
                         float* y, Winner* winners, std::int64_t begin, std::int64_t end, float* scratch)
{
    constexpr Wide d;
    const Padded source(layer, scratch);
    for (std::int64_t n = begin; n < end; ++n) {
        source.load(layer, x, n);
        for (std::int64_t py = 0; py < layer.pooled_height; ++py) {
            const float* corner = source.image + py * layer.window * layer.padded_row();
            const std::int64_t out = (n * layer.pooled_height + py) * layer.pooled_width * layer.outputs;
            for (std::int64_t c = 0; c < layer.outputs; c += kLanes) {
                const Floats start = hn::Load(d, bias + c);
                float* to = y + out + c;
                Winner* places = winners == nullptr ? nullptr : winners + out + c;
                if (is_plain(layer)) {
                    pooled_row<NineTaps, 9>(layer, corner, NineTaps{layer.padded_row()}, kernel + c, start,
                                            to, places);
                } else if (layer.window == 2) {
                    pooled_row<ListedTaps, 0>(layer, corner, ListedTaps{source.offsets}, kernel + c, start,
                                              to, places);
                } else {
                    pooled_row_any(layer, corner, source.offsets, kernel + c, start, to, places);
                }
            }
        }
    }
}

void first_layer_backward(const FirstLayer& layer, const float* x, const float* y_gradient,
                          const Winner* winners, float* kernel_gradient, float* bias_gradient,
                          std::int64_t begin, std::int64_t end, float* scratch)
{
    const Padded source(layer, scratch);
    // The bias's gradient is made with each group of taps; only the first group's counts.
    HWY_ALIGN float unused[16] = {};
    for (std::int64_t n = begin; n < end; ++n) {
        source.load(layer, x, n);
        const std::int64_t from = n * layer.pooled_height * layer.pooled_width * layer.outputs;
        for (std::int64_t c = 0; c < layer.outputs; c += kLanes) {
            if (is_plain(layer)) {
                tap_gradients<9, 2>(layer, source.image, NineTaps{layer.padded_row()}, y_gradient + from + c,
                                    winners + from + c, kernel_gradient + c, bias_gradient + c);
                continue;
            }
            for (std::int64_t tap = 0; tap < layer.taps(); tap += kTapsAtOnce) {
                last_taps<kTapsAtOnce>(std::min<std::int64_t>(kTapsAtOnce, layer.taps() - tap), layer,
                                       source.image, source.offsets + tap, y_gradient + from + c,
                                       winners + from + c, kernel_gradient + tap * layer.outputs + c,
                                       tap == 0 ? bias_gradient + c : unused);
            }
        }
    }
}

}  // namespace lockstep::onednn::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lockstep::onednn::kernels {

HWY_EXPORT(first_layer_forward);
HWY_EXPORT(first_layer_backward);

void first_layer_forward(const FirstLayer& layer, const float* x, const float* kernel, const float* bias,
                         float* y, Winner* winners, std::int64_t begin, std::int64_t end, float* scratch)
{
    HWY_DYNAMIC_DISPATCH(first_layer_forward)(layer, x, kernel, bias, y, winners, begin, end, scratch);
}

void first_layer_backward(const FirstLayer& layer, const float* x, const float* y_gradient,
                          const Winner* winners, float* kernel_gradient, float* bias_gradient,
                          std::int64_t begin, std::int64_t end, float* scratch)
{
    HWY_DYNAMIC_DISPATCH(first_layer_backward)
    (layer, x, y_gradient, winners, kernel_gradient, bias_gradient, begin, end, scratch);
}

}  // namespace lockstep::onednn::kernels
#endif
