// The engine's own loops, written once with Highway and chosen for the processor at run time.
//
// Conventions that hold for all of them:
// - Images are count x height x width x channels; channels (and the features of dense layers) are padded to
//   multiples of kGroup floats with zeros, so that no loop has a tail. Only the network's input is unpadded.
// - Convolution kernels are kernel_height x kernel_width x in x out, dense kernels in x out, padded likewise.
// - Pointers are aligned to 64 bytes; a row of kGroup floats never straddles a cache line.
// - Each call does its share on the calling thread; nothing allocates, nothing locks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::onednn::kernels {

inline constexpr std::int64_t kGroup = 16;
inline constexpr std::int64_t padded(std::int64_t channels)
{
    return (channels + kGroup - 1) / kGroup * kGroup;
}

// What max-pooling remembers of a window: the row-major place of its first maximum, or kDead where ReLU lets
// no gradient through (the maximum is not above 0). Windows are at most kLargestWindow wide.
using Winner = std::uint16_t;
inline constexpr Winner kDead = 0xFFFF;
inline constexpr std::int64_t kLargestWindow = 255;

// Name of the Highway target that is in use: "AVX2", "AVX3" (AVX-512), "SSE4", "EMU128", "NEON" ...
std::string target();
// The targets that are compiled in and that this processor can run, as Highway's bits, best first; for tests.
std::vector<std::int64_t> targets();

// C (+)= A * B for `rows` x `panels`*16, over `depth`. Element (r, k) of A is a[r*a_row + k*a_depth]; row k
// of panel q of B is the 16 floats at b[k*b_depth + q*b_panel]; of C at c[r*c_row + q*c_panel].
struct Product {
    std::int64_t rows = 0, panels = 0, depth = 0;
    std::int64_t a_row = 0, a_depth = 0;
    std::int64_t b_depth = 0, b_panel = 0;
    std::int64_t c_row = 0, c_panel = 0;
};
void multiply(const Product& product, const float* a, const float* b, float* c, bool accumulate);

// One convolution of the network's unpadded input, with bias, ReLU if asked and max-pooling in one pass;
// the full map is never written. window 1 is a convolution without pooling.
struct FirstLayer {
    std::int64_t height = 0, width = 0, channels = 0;  // input, unpadded channels
    std::int64_t kernel_height = 0, kernel_width = 0;
    std::int64_t pad_height = 0, pad_width = 0;  // zeros on each side
    std::int64_t outputs = 0;                    // padded
    std::int64_t window = 1;
    std::int64_t pooled_height = 0, pooled_width = 0;
    bool relu = true;
    std::int64_t taps() const { return kernel_height * kernel_width * channels; }
    std::int64_t padded_row() const { return (width + 2 * pad_width) * channels; }
    // Floats of scratch that one thread needs: the zero-padded image and the offsets of the taps.
    std::int64_t scratch() const
    {
        return padded((height + 2 * pad_height) * padded_row()) + padded(2 * taps());
    }
};
// Images begin..end of x into y (pooled map) and winners.
void first_layer_forward(const FirstLayer& layer, const float* x, const float* kernel, const float* bias,
                         float* y, Winner* winners, std::int64_t begin, std::int64_t end, float* scratch);
// Adds the gradients of images begin..end to kernel_gradient and bias_gradient, from that of the pooled map.
void first_layer_backward(const FirstLayer& layer, const float* x, const float* y_gradient,
                          const Winner* winners, float* kernel_gradient, float* bias_gradient,
                          std::int64_t begin, std::int64_t end, float* scratch);

// A 3x3 convolution by Winograd's minimal filtering, F(tile x tile, 3x3) with tile 2 or 4, with bias, ReLU if
// asked and 2x2 max-pooling if asked (window 1 or 2) in one pass.
struct Winograd {
    std::int64_t tile = 4;
    std::int64_t height = 0, width = 0, inputs = 0, outputs = 0;  // padded channels
    std::int64_t pad = 1;
    std::int64_t window = 1;
    std::int64_t out_height = 0, out_width = 0;  // of y, after pooling
    bool relu = true;
    std::int64_t used_height() const { return out_height * window; }  // outputs of the convolution that count
    std::int64_t used_width() const { return out_width * window; }
    std::int64_t tiles_high() const { return (used_height() + tile - 1) / tile; }
    std::int64_t tiles_wide() const { return (used_width() + tile - 1) / tile; }
    std::int64_t points() const { return (tile + 2) * (tile + 2); }
    std::int64_t transformed() const
    {
        return points() * inputs * outputs;
    }  // floats of a transformed kernel
    std::int64_t forward_scratch() const;
    std::int64_t backward_scratch() const;
};
// Transforms input channels begin..end of the kernel. forward: points x out/16 x in x 16;
// backward (may be null): points x in/16 x out x 16.
void winograd_kernel(const Winograd& shape, const float* kernel, float* forward, float* backward,
                     std::int64_t begin, std::int64_t end);
// Images begin..end. winners may be null when they are not wanted (prediction); needed only for window 2.
void winograd_forward(const Winograd& shape, const float* x, const float* kernel_forward, const float* bias,
                      float* y, Winner* winners, std::int64_t begin, std::int64_t end, float* scratch);
// Images begin..end. y_gradient is that of y; with window 1 it must be masked by ReLU already. Writes
// x_gradient (null: not wanted); *sets* this thread's points x in x out sums in kernel_sums, and bias_sums.
void winograd_backward(const Winograd& shape, const float* x, const float* y_gradient, const Winner* winners,
                       const float* kernel_backward, float* x_gradient, float* kernel_sums, float* bias_sums,
                       std::int64_t begin, std::int64_t end, float* scratch);
// Gradient of the kernel for input channels begin..end from the sums of `copies` threads, `stride` floats
// apart.
void winograd_kernel_gradient(const Winograd& shape, const float* kernel_sums, std::int64_t copies,
                              std::int64_t stride, float* gradient, std::int64_t begin, std::int64_t end);

// Max-pooling on its own: rows begin..end of count*pooled_height output rows.
struct Pooling {
    std::int64_t height = 0, width = 0, channels = 0;  // channels padded
    std::int64_t window = 2;
    std::int64_t pooled_height() const { return height / window; }
    std::int64_t pooled_width() const { return width / window; }
};
void pool_forward(const Pooling& shape, const float* x, float* y, Winner* winners, std::int64_t begin,
                  std::int64_t end);
// Writes the whole gradient of images begin..end, zeros included.
void pool_backward(const Pooling& shape, const float* y_gradient, const Winner* winners, float* x_gradient,
                   std::int64_t begin, std::int64_t end);

// Column groups begin..end (of kGroup) of a rows x columns matrix: sets gradient to 0 where value is not
// above 0 (values null: no mask) and sums each column into bias_gradient.
void mask_and_sum(float* gradient, const float* values, std::int64_t rows, std::int64_t columns,
                  float* bias_gradient, std::int64_t begin, std::int64_t end);

// Rows begin..end: adds the bias to each row, then ReLU if asked, in place.
void bias_and_relu(float* values, const float* bias, std::int64_t columns, bool relu, std::int64_t begin,
                   std::int64_t end);

// to[c][r] = from[r][c]; rows and columns are multiples of kGroup.
void transpose(const float* from, std::int64_t from_row, float* to, std::int64_t to_row, std::int64_t rows,
               std::int64_t columns);

// sum[i] (+)= copies of `stride` floats apart, for i in begin..end (multiples of kGroup).
void add_copies(const float* copies, std::int64_t count, std::int64_t stride, float* sum, std::int64_t begin,
                std::int64_t end);

// One Adam update in the epsilon-hat form; rate = lr * sqrt(1-beta2^t) / (1-beta1^t). take1 is 1-beta1 and
// take2 is 1-beta2, rounded once: 1-0.999f would be off by 5e-5. count: multiple of kGroup.
struct Adam {
    float rate = 0, keep1 = 0, take1 = 0, keep2 = 0, take2 = 0, epsilon = 0;
};
void adam(const Adam& rule, float* parameters, const float* gradients, float* first, float* second,
          std::int64_t count);
// v = keep*v + g; parameters -= rate*v.
void momentum(float rate, float keep, float* parameters, const float* gradients, float* velocity,
              std::int64_t count);

}  // namespace lockstep::onednn::kernels
