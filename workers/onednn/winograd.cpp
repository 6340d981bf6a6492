// 3x3 convolutions by Winograd's minimal filtering, forward and both gradients, over blocks of tiles that
// stay in the cache. With Y = A^T [(G g G^T) . (B^T d B)] A for one tile, the gradients are its adjoint:
//   W = A dY A^T,   dd = B [(G g G^T) . W] B^T,   dg = G^T [sum over tiles of (B^T d B) . W] G,
// so dY is transformed once for both and the kernel's transform is that of the forward pass. The input's
// transform is made again in the backward pass: keeping it would take 2.25 (tile 4) times the input's memory
// and more time than it saves. A pooled layer reads and writes only the pooled map: 2x2 windows lie inside a
// tile.
// Over 400 lines: the three passes share their transforms and tables of pointers, and Highway compiles a file
// once for each target, so that two files would make all of it twice.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "workers/onednn/winograd.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "workers/onednn/gemm-inl.hpp"
#include "workers/onednn/winograd_transform-inl.hpp"

#ifndef LOCKSTEP_ONEDNN_WINOGRAD_ONCE
#define LOCKSTEP_ONEDNN_WINOGRAD_ONCE

#include <cstring>

namespace lockstep::onednn::kernels {

// Tiles a block: as many as keep the transformed input of a block near kBlockBytes (half of a second-level
// cache of 512 KB), in steps of 12, a multiple of every target's tile rows. Between the bounds the time
// hardly depends on it; the backward pass adds to its sums once a block, which 12 tiles would not pay for.
inline std::int64_t winograd_block(const Winograd& shape, std::int64_t channels, std::int64_t fewest)
{
    constexpr std::int64_t kBlockBytes = 256 * 1024;
    constexpr std::int64_t kStep = 12;
    const std::int64_t bytes_per_tile = shape.points() * (channels + kGroup) * 4;
    const std::int64_t steps = (kBlockBytes / bytes_per_tile + kStep / 2) / kStep;
    return std::clamp<std::int64_t>(steps, fewest, 4) * kStep;
}

// Columns of the product that are made before they are transformed back: two panels.
inline constexpr std::int64_t kChunk = 2 * kGroup;
// Rows of the scratch are one group longer than their channels, so that they do not all fall in one cache
// set.
inline std::int64_t spaced(std::int64_t channels)
{
    return channels + kGroup;
}

inline std::int64_t block_floats(const Winograd& shape, std::int64_t tiles, std::int64_t channels)
{
    return shape.points() * tiles * spaced(channels);
}

inline std::int64_t forward_tiles(const Winograd& shape)
{
    return winograd_block(shape, shape.inputs, 1);
}
inline std::int64_t backward_tiles(const Winograd& shape)
{
    return winograd_block(shape, std::min(shape.inputs, shape.outputs), 2);
}

// One block of zeros to read and one to spoil stand for what lies outside a map.
inline std::int64_t outside_floats(const Winograd& shape)
{
    return 2 * std::max(shape.inputs, shape.outputs);
}

}  // namespace lockstep::onednn::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace lockstep::onednn::kernels::HWY_NAMESPACE {
namespace {

using Places = hn::Rebind<Winner, Wide>;
using Integers = hn::RebindToSigned<Wide>;

// Where the tiles of a block lie in the maps; what falls outside points to `zeros` or `spoil`.
template <int tile_side, int window>
struct Layout {
    static constexpr int kIn = tile_side + 2;
    static constexpr int kOut = tile_side / window;

    const Winograd& shape;
    std::int64_t begin;  // first image of the share

    // Calls visit(slot, offset in floats, inside) for the side x side places of a map from (row, column) on.
    template <int side, class Visit>
    HWY_INLINE void places(std::int64_t image, std::int64_t row, std::int64_t column, std::int64_t height,
                           std::int64_t width, std::int64_t channels, const Visit& visit) const
    {
        for (int i = 0; i < side; ++i) {
            for (int j = 0; j < side; ++j) {
                const std::int64_t r = row + i, c = column + j;
                const bool inside = r >= 0 && r < height && c >= 0 && c < width;
                visit(i * side + j, ((image * height + r) * width + c) * channels, inside);
            }
        }
    }
    template <class Visit>
    HWY_INLINE void inputs(std::int64_t number, const Visit& visit) const
    {
        const std::int64_t wide = shape.tiles_wide(), in_image = number % (shape.tiles_high() * wide);
        places<kIn>(begin + number / (shape.tiles_high() * wide), in_image / wide * tile_side - shape.pad,
                    in_image % wide * tile_side - shape.pad, shape.height, shape.width, shape.inputs, visit);
    }
    template <class Visit>
    HWY_INLINE void outputs(std::int64_t number, const Visit& visit) const
    {
        const std::int64_t wide = shape.tiles_wide(), in_image = number % (shape.tiles_high() * wide);
        places<kOut>(begin + number / (shape.tiles_high() * wide), in_image / wide * kOut,
                     in_image % wide * kOut, shape.out_height, shape.out_width, shape.outputs, visit);
    }
};

// B^T d B of `count` tiles from number `first` on, into v[point][tile][channel].
template <int tile_side, int window>
void transform_inputs(const Layout<tile_side, window>& layout, const float* x, const float* zeros,
                      std::int64_t first, std::int64_t count, std::int64_t block, float* HWY_RESTRICT v)
{
    constexpr int n = tile_side + 2;
    constexpr Wide d;
    const std::int64_t row = spaced(layout.shape.inputs);
    for (std::int64_t t = 0; t < count; ++t) {
        const float* from[n * n];
        layout.inputs(first + t, [&](int slot, std::int64_t offset, bool inside) {
            from[slot] = inside ? x + offset : zeros;
        });
        for (std::int64_t c = 0; c < layout.shape.inputs; c += kLanes) {
            Floats in[n], half[n * n], out[n];
#pragma GCC unroll 6
            for (int i = 0; i < n; ++i) {
#pragma GCC unroll 6
                for (int j = 0; j < n; ++j) {
                    in[j] = hn::Load(d, from[i * n + j] + c);
                }
                Transform<tile_side>::input(in, 1, half + i * n, 1);
            }
#pragma GCC unroll 6
            for (int j = 0; j < n; ++j) {
                Transform<tile_side>::input(half + j, n, out, 1);
#pragma GCC unroll 6
                for (int i = 0; i < n; ++i) {
                    hn::Store(out[i], d, v + ((i * n + j) * block + t) * row + c);
                }
            }
        }
    }
}

// A^T m A of one tile and vector of channels, with bias and ReLU, into out[tile * tile].
template <int tile_side>
HWY_INLINE void transform_output(const float* HWY_RESTRICT m, std::int64_t stride, Floats bias, bool relu,
                                 Floats* out)
{
    constexpr int n = tile_side + 2;
    constexpr Wide d;
    Floats in[n], half[tile_side * n];
#pragma GCC unroll 6
    for (int j = 0; j < n; ++j) {
#pragma GCC unroll 6
        for (int i = 0; i < n; ++i) {
            in[i] = hn::Load(d, m + (i * n + j) * stride);
        }
        Transform<tile_side>::output(in, 1, half + j, n);
    }
#pragma GCC unroll 6
    for (int i = 0; i < tile_side; ++i) {
        Transform<tile_side>::output(half + i * n, 1, out + i * tile_side, 1);
    }
    for (int i = 0; i < tile_side * tile_side; ++i) {
        out[i] = hn::Add(out[i], bias);
        if (relu) {
            out[i] = hn::Max(out[i], hn::Zero(d));
        }
    }
}

// First maximum of a 2x2 window and its place, kDead where ReLU closes it.
HWY_INLINE Floats largest(Floats v0, Floats v1, Floats v2, Floats v3, bool relu, Winner* winners)
{
    constexpr Wide d;
    constexpr Integers di;
    Floats best = v0;
    auto place = hn::Zero(di);
    const Floats others[3] = {v1, v2, v3};
#pragma GCC unroll 3
    for (int i = 0; i < 3; ++i) {
        const auto higher = hn::Gt(others[i], best);
        best = hn::IfThenElse(higher, others[i], best);
        place = hn::IfThenElse(hn::RebindMask(di, higher), hn::Set(di, i + 1), place);
    }
    if (winners != nullptr) {
        if (relu) {
            place = hn::IfThenElse(hn::RebindMask(di, hn::Gt(best, hn::Zero(d))), place,
                                   hn::Set(di, static_cast<int>(kDead)));
        }
        hn::Store(hn::DemoteTo(Places(), place), Places(), winners);
    }
    return best;
}

// Transforms `count` tiles' products for `width` output channels from `chunk` on back, and stores their
// outputs.
template <int tile_side, int window>
void store_outputs(const Layout<tile_side, window>& layout, const float* HWY_RESTRICT m, const float* bias,
                   std::int64_t first, std::int64_t count, std::int64_t block, std::int64_t chunk,
                   std::int64_t width, float* y, Winner* winners, float* spoil)
{
    constexpr int kOut = tile_side / window;
    constexpr Wide d;
    const std::int64_t row = spaced(kChunk);
    const bool relu = layout.shape.relu;
    for (std::int64_t t = 0; t < count; ++t) {
        std::int64_t to[kOut * kOut];
        layout.outputs(first + t, [&](int slot, std::int64_t offset, bool inside) {
            to[slot] = inside ? offset + chunk : -1;
        });
        for (std::int64_t c = 0; c < width; c += kLanes) {
            Floats out[tile_side * tile_side];
            transform_output<tile_side>(m + t * row + c, block * row, hn::Load(d, bias + chunk + c), relu,
                                        out);
            for (int i = 0; i < kOut; ++i) {
                for (int j = 0; j < kOut; ++j) {
                    const std::int64_t at = to[i * kOut + j];
                    float* target = at < 0 ? spoil : y + at + c;
                    if constexpr (window == 2) {
                        Winner* place = winners == nullptr || at < 0 ? nullptr : winners + at + c;
                        const Floats* corner = out + 2 * i * tile_side + 2 * j;
                        hn::Store(largest(corner[0], corner[1], corner[tile_side], corner[tile_side + 1],
                                          relu, place),
                                  d, target);
                    } else {
                        hn::Store(out[i * tile_side + j], d, target);
                    }
                }
            }
        }
    }
}

template <int tile_side, int window>
void forward(const Winograd& shape, const float* x, const float* u, const float* bias, float* y,
             Winner* winners, std::int64_t begin, std::int64_t end, float* scratch)
{
    constexpr int n = tile_side + 2;
    const Layout<tile_side, window> layout{shape, begin};
    const std::int64_t block = forward_tiles(shape), v_row = spaced(shape.inputs), m_row = spaced(kChunk);
    const std::int64_t tiles = (end - begin) * shape.tiles_high() * shape.tiles_wide();
    float* zeros = scratch;
    float* spoil = zeros + outside_floats(shape) / 2;
    float* v = zeros + outside_floats(shape);
    float* m = v + block_floats(shape, block, shape.inputs);
    std::memset(zeros, 0, sizeof(float) * outside_floats(shape) / 2);

    for (std::int64_t first = 0; first < tiles; first += block) {
        const std::int64_t count = std::min(block, tiles - first);
        transform_inputs(layout, x, zeros, first, count, block, v);
        for (std::int64_t chunk = 0; chunk < shape.outputs; chunk += kChunk) {
            const std::int64_t width = std::min(kChunk, shape.outputs - chunk);
            const Product p{count,  width / kGroup,        shape.inputs, v_row, 1,
                            kGroup, shape.inputs * kGroup, m_row,        kGroup};
            for (int f = 0; f < n * n; ++f) {
                product(p, v + f * block * v_row, u + (f * shape.outputs + chunk) * shape.inputs,
                        m + f * block * m_row, false);
            }
            store_outputs(layout, m, bias, first, count, block, chunk, width, y, winners, spoil);
        }
    }
}

// A dY A^T of `count` tiles, into w[point][tile][channel], and the sums of dY for the bias.
template <int tile_side, int window>
void transform_gradients(const Layout<tile_side, window>& layout, const float* y_gradient,
                         const Winner* winners, const float* zeros, std::int64_t first, std::int64_t count,
                         std::int64_t block, float* HWY_RESTRICT w, float* HWY_RESTRICT bias_sums)
{
    constexpr int n = tile_side + 2, kOut = tile_side / window;
    constexpr Wide d;
    constexpr Integers di;
    const std::int64_t channels = layout.shape.outputs, row = spaced(channels);
    for (std::int64_t t = 0; t < count; ++t) {
        std::int64_t from[kOut * kOut];
        layout.outputs(first + t, [&](int slot, std::int64_t offset, bool inside) {
            from[slot] = inside ? offset : -1;
        });
        for (std::int64_t c = 0; c < channels; c += kLanes) {
            Floats in[tile_side * tile_side], half[n * tile_side], out[n];
            Floats sum = hn::Load(d, bias_sums + c);
#pragma GCC unroll 4
            for (int i = 0; i < kOut; ++i) {
#pragma GCC unroll 4
                for (int j = 0; j < kOut; ++j) {
                    const std::int64_t at = from[i * kOut + j];
                    const Floats gradient = hn::Load(d, at < 0 ? zeros : y_gradient + at + c);
                    if constexpr (window == 2) {
                        const auto place =
                            hn::PromoteTo(di, hn::Load(Places(), winners + (at < 0 ? 0 : at + c)));
#pragma GCC unroll 4
                        for (int corner = 0; corner < 4; ++corner) {
                            const auto won = hn::RebindMask(d, hn::Eq(place, hn::Set(di, corner)));
                            const Floats part = hn::IfThenElseZero(won, gradient);
                            in[(2 * i + corner / 2) * tile_side + 2 * j + corner % 2] = part;
                            sum = hn::Add(sum, part);
                        }
                    } else {
                        in[i * tile_side + j] = gradient;
                        sum = hn::Add(sum, gradient);
                    }
                }
            }
            hn::Store(sum, d, bias_sums + c);
#pragma GCC unroll 6
            for (int j = 0; j < tile_side; ++j) {
                Transform<tile_side>::output_adjoint(in + j, tile_side, half + j, tile_side);
            }
#pragma GCC unroll 6
            for (int i = 0; i < n; ++i) {
                Transform<tile_side>::output_adjoint(half + i * tile_side, 1, out, 1);
#pragma GCC unroll 6
                for (int j = 0; j < n; ++j) {
                    hn::Store(out[j], d, w + ((i * n + j) * block + t) * row + c);
                }
            }
        }
    }
}

// Adds B m B^T of one tile and vector of channels to its places in the input's gradient.
template <int tile_side>
HWY_INLINE void add_input_gradient(const float* HWY_RESTRICT m, std::int64_t stride, float* const* to,
                                   std::int64_t channel)
{
    constexpr int n = tile_side + 2;
    constexpr Wide d;
    Floats in[n], half[n * n], out[n];
#pragma GCC unroll 6
    for (int j = 0; j < n; ++j) {
#pragma GCC unroll 6
        for (int i = 0; i < n; ++i) {
            in[i] = hn::Load(d, m + (i * n + j) * stride);
        }
        Transform<tile_side>::input_adjoint(in, 1, half + j, n);
    }
#pragma GCC unroll 6
    for (int i = 0; i < n; ++i) {
        Transform<tile_side>::input_adjoint(half + i * n, 1, out, 1);
#pragma GCC unroll 6
        for (int j = 0; j < n; ++j) {
            float* at = to[i * n + j] + channel;
            hn::Store(hn::Add(hn::Load(d, at), out[j]), d, at);
        }
    }
}

// The input's gradient from the transformed gradients w of `count` tiles; m is scratch.
template <int tile_side, int window>
void add_input_gradients(const Layout<tile_side, window>& layout, const float* w, const float* u,
                         std::int64_t first, std::int64_t count, std::int64_t block, float* m,
                         float* x_gradient, float* spoil)
{
    constexpr int n = tile_side + 2;
    const Winograd& shape = layout.shape;
    const std::int64_t w_row = spaced(shape.outputs), m_row = spaced(kChunk);
    for (std::int64_t chunk = 0; chunk < shape.inputs; chunk += kChunk) {
        const std::int64_t width = std::min(kChunk, shape.inputs - chunk);
        const Product p{count,  width / kGroup,         shape.outputs, w_row, 1,
                        kGroup, shape.outputs * kGroup, m_row,         kGroup};
        for (int f = 0; f < n * n; ++f) {
            product(p, w + f * block * w_row, u + (f * shape.inputs + chunk) * shape.outputs,
                    m + f * block * m_row, false);
        }
        for (std::int64_t t = 0; t < count; ++t) {
            float* to[n * n];
            layout.inputs(first + t, [&](int slot, std::int64_t offset, bool inside) {
                to[slot] = inside ? x_gradient + offset + chunk : spoil;
            });
            for (std::int64_t c = 0; c < width; c += kLanes) {
                add_input_gradient<tile_side>(m + t * m_row + c, block * m_row, to, c);
            }
        }
    }
}

template <int tile_side, int window>
void backward(const Winograd& shape, const float* x, const float* y_gradient, const Winner* winners,
              const float* u, float* x_gradient, float* kernel_sums, float* bias_sums, std::int64_t begin,
              std::int64_t end, float* scratch)
{
    constexpr int n = tile_side + 2;
    const Layout<tile_side, window> layout{shape, begin};
    const std::int64_t block = backward_tiles(shape);
    const std::int64_t v_row = spaced(shape.inputs), w_row = spaced(shape.outputs);
    const std::int64_t tiles = (end - begin) * shape.tiles_high() * shape.tiles_wide();
    const std::int64_t map = shape.height * shape.width * shape.inputs;
    float* zeros = scratch;
    float* spoil = zeros + outside_floats(shape) / 2;
    float* v = zeros + outside_floats(shape);
    float* w = v + block_floats(shape, block, shape.inputs);
    float* m = w + block_floats(shape, block, shape.outputs);
    std::memset(zeros, 0, sizeof(float) * outside_floats(shape));
    std::memset(bias_sums, 0, sizeof(float) * shape.outputs);
    if (x_gradient != nullptr && end > begin) {
        std::memset(x_gradient + begin * map, 0, sizeof(float) * (end - begin) * map);
    }
    if (tiles <= 0) {
        std::memset(kernel_sums, 0, sizeof(float) * shape.transformed());
    }

    for (std::int64_t first = 0; first < tiles; first += block) {
        const std::int64_t count = std::min(block, tiles - first);
        transform_gradients(layout, y_gradient, winners, zeros, first, count, block, w, bias_sums);
        if (x_gradient != nullptr) {
            add_input_gradients(layout, w, u, first, count, block, m, x_gradient, spoil);
        }
        transform_inputs(layout, x, zeros, first, count, block, v);
        const Product p{shape.inputs, shape.outputs / kGroup, count, 1, v_row, w_row,
                        kGroup,       shape.outputs,          kGroup};
        for (int f = 0; f < n * n; ++f) {
            product(p, v + f * block * v_row, w + f * block * w_row,
                    kernel_sums + f * shape.inputs * shape.outputs, first > 0);
        }
    }
}

template <int tile_side>
void transform_kernel(const Winograd& shape, const float* kernel, float* u, float* ut, std::int64_t begin,
                      std::int64_t end)
{
    constexpr int n = tile_side + 2;
    constexpr Wide d;
    const std::int64_t inputs = shape.inputs, outputs = shape.outputs;
    for (std::int64_t i = begin; i < end; ++i) {
        for (std::int64_t o = 0; o < outputs; o += kLanes) {
            Floats in[9], half[n * 3], out[n];
            for (int tap = 0; tap < 9; ++tap) {
                in[tap] = hn::Load(d, kernel + (tap * inputs + i) * outputs + o);
            }
            for (int c = 0; c < 3; ++c) {
                Transform<tile_side>::kernel(in + c, 3, half + c, 3);
            }
            for (int r = 0; r < n; ++r) {
                Transform<tile_side>::kernel(half + r * 3, 1, out, 1);
                for (int c = 0; c < n; ++c) {
                    const std::int64_t f = r * n + c;
                    hn::Store(out[c], d,
                              u + (f * outputs + o / kGroup * kGroup) * inputs + i * kGroup + o % kGroup);
                    if (ut == nullptr) {
                        continue;
                    }
                    HWY_ALIGN float lanes[kLanes];
                    hn::Store(out[c], d, lanes);
                    float* to = ut + (f * inputs + i / kGroup * kGroup) * outputs + o * kGroup + i % kGroup;
                    for (std::int64_t lane = 0; lane < kLanes; ++lane) {
                        to[lane * kGroup] = lanes[lane];
                    }
                }
            }
        }
    }
}

template <int tile_side>
void kernel_gradient(const Winograd& shape, const float* sums, std::int64_t copies, std::int64_t stride,
                     float* gradient, std::int64_t begin, std::int64_t end)
{
    constexpr int n = tile_side + 2;
    constexpr Wide d;
    const std::int64_t inputs = shape.inputs, outputs = shape.outputs;
    for (std::int64_t i = begin; i < end; ++i) {
        for (std::int64_t o = 0; o < outputs; o += kLanes) {
            Floats in[n * n], half[3 * n], out[3];
            for (int f = 0; f < n * n; ++f) {
                const float* from = sums + (f * inputs + i) * outputs + o;
                in[f] = hn::Load(d, from);
                for (std::int64_t copy = 1; copy < copies; ++copy) {
                    in[f] = hn::Add(in[f], hn::Load(d, from + copy * stride));
                }
            }
            for (int c = 0; c < n; ++c) {
                Transform<tile_side>::kernel_adjoint(in + c, n, half + c, n);
            }
            for (int r = 0; r < 3; ++r) {
                Transform<tile_side>::kernel_adjoint(half + r * n, 1, out, 1);
                for (int c = 0; c < 3; ++c) {
                    hn::Store(out[c], d, gradient + ((r * 3 + c) * inputs + i) * outputs + o);
                }
            }
        }
    }
}

}  // namespace

void winograd_kernel(const Winograd& shape, const float* kernel, float* u, float* ut, std::int64_t begin,
                     std::int64_t end)
{
    const auto run = shape.tile == 2 ? transform_kernel<2> : transform_kernel<4>;
    run(shape, kernel, u, ut, begin, end);
}

void winograd_forward(const Winograd& shape, const float* x, const float* u, const float* bias, float* y,
                      Winner* winners, std::int64_t begin, std::int64_t end, float* scratch)
{
    const auto run = shape.tile == 2 ? (shape.window == 2 ? forward<2, 2> : forward<2, 1>)
                                     : (shape.window == 2 ? forward<4, 2> : forward<4, 1>);
    run(shape, x, u, bias, y, winners, begin, end, scratch);
}

void winograd_backward(const Winograd& shape, const float* x, const float* y_gradient, const Winner* winners,
                       const float* ut, float* x_gradient, float* kernel_sums, float* bias_sums,
                       std::int64_t begin, std::int64_t end, float* scratch)
{
    const auto run = shape.tile == 2 ? (shape.window == 2 ? backward<2, 2> : backward<2, 1>)
                                     : (shape.window == 2 ? backward<4, 2> : backward<4, 1>);
    run(shape, x, y_gradient, winners, ut, x_gradient, kernel_sums, bias_sums, begin, end, scratch);
}

void winograd_kernel_gradient(const Winograd& shape, const float* sums, std::int64_t copies,
                              std::int64_t stride, float* gradient, std::int64_t begin, std::int64_t end)
{
    const auto run = shape.tile == 2 ? kernel_gradient<2> : kernel_gradient<4>;
    run(shape, sums, copies, stride, gradient, begin, end);
}

}  // namespace lockstep::onednn::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lockstep::onednn::kernels {

HWY_EXPORT(winograd_kernel);
HWY_EXPORT(winograd_forward);
HWY_EXPORT(winograd_backward);
HWY_EXPORT(winograd_kernel_gradient);

std::int64_t Winograd::forward_scratch() const
{
    const std::int64_t tiles = forward_tiles(*this);
    return outside_floats(*this) + block_floats(*this, tiles, inputs) + block_floats(*this, tiles, kChunk);
}

std::int64_t Winograd::backward_scratch() const
{
    const std::int64_t tiles = backward_tiles(*this);
    return outside_floats(*this) + block_floats(*this, tiles, inputs) + block_floats(*this, tiles, outputs) +
           block_floats(*this, tiles, kChunk);
}

void winograd_kernel(const Winograd& shape, const float* kernel, float* forward, float* backward,
                     std::int64_t begin, std::int64_t end)
{
    HWY_DYNAMIC_DISPATCH(winograd_kernel)(shape, kernel, forward, backward, begin, end);
}

void winograd_forward(const Winograd& shape, const float* x, const float* kernel_forward, const float* bias,
                      float* y, Winner* winners, std::int64_t begin, std::int64_t end, float* scratch)
{
    HWY_DYNAMIC_DISPATCH(winograd_forward)
    (shape, x, kernel_forward, bias, y, winners, begin, end, scratch);
}

void winograd_backward(const Winograd& shape, const float* x, const float* y_gradient, const Winner* winners,
                       const float* kernel_backward, float* x_gradient, float* kernel_sums, float* bias_sums,
                       std::int64_t begin, std::int64_t end, float* scratch)
{
    HWY_DYNAMIC_DISPATCH(winograd_backward)
    (shape, x, y_gradient, winners, kernel_backward, x_gradient, kernel_sums, bias_sums, begin, end, scratch);
}

void winograd_kernel_gradient(const Winograd& shape, const float* kernel_sums, std::int64_t copies,
                              std::int64_t stride, float* gradient, std::int64_t begin, std::int64_t end)
{
    HWY_DYNAMIC_DISPATCH(winograd_kernel_gradient)
    (shape, kernel_sums, copies, stride, gradient, begin, end);
}

}  // namespace lockstep::onednn::kernels
#endif
