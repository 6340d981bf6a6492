// Images are copied into a frame of zeros, so that no loop asks whether it is at a border: the pixels under
// one row of the kernel then lie together, and a convolution is one product of matrices for each such row.
#include "harness/reference/convolution.hpp"

#include <algorithm>

#include "harness/reference/parallel.hpp"
#include "harness/reference/product.hpp"

namespace lockstep::reference {
namespace {

constexpr std::int64_t kBand = 16;  // output rows in one piece of work

std::int64_t framed_width(const ConvolutionShape& s)
{
    return s.out_width + s.kernel_width - 1;
}

// Rows first .. last - 1 of the framed image, which has out_height + kernel_height - 1 rows.
void copy_framed(const ConvolutionShape& s, const double* image, std::int64_t first, std::int64_t last,
                 double* framed)
{
    const std::int64_t row = framed_width(s) * s.channels;
    std::fill(framed, framed + (last - first) * row, 0.0);
    for (std::int64_t y = std::max(first, s.top); y < std::min(last, s.top + s.height); ++y) {
        const std::int64_t columns = std::min(s.width, framed_width(s) - s.left);
        const double* source = image + (y - s.top) * s.width * s.channels;
        std::copy(source, source + columns * s.channels, framed + (y - first) * row + s.left * s.channels);
    }
}

}  // namespace

std::vector<double> convolution(const ConvolutionShape& s, const std::vector<double>& input,
                                const std::vector<double>& kernel, const std::vector<double>& bias,
                                int threads)
{
    std::vector<double> output(static_cast<std::size_t>(s.batch * s.out_height * s.out_width * s.filters));
    const std::int64_t bands = (s.out_height + kBand - 1) / kBand;
    const std::int64_t row = framed_width(s) * s.channels;
    in_parallel(s.batch * bands, threads, [&](std::int64_t piece) {
        const std::int64_t image = piece / bands;
        const std::int64_t first = piece % bands * kBand;
        const std::int64_t last = std::min(first + kBand, s.out_height);
        std::vector<double> framed(static_cast<std::size_t>((last - first + s.kernel_height - 1) * row));
        copy_framed(s, input.data() + image * s.height * s.width * s.channels, first,
                    last + s.kernel_height - 1, framed.data());
        double* target = output.data() + (image * s.out_height + first) * s.out_width * s.filters;
        for (std::int64_t pixel = 0; pixel < (last - first) * s.out_width; ++pixel) {
            std::copy(bias.begin(), bias.end(), target + pixel * s.filters);
        }
        const std::int64_t inner = s.kernel_width * s.channels;
        for (std::int64_t i = 0; i < s.kernel_height; ++i) {
            multiply_add({.rows = (last - first) * s.out_width,
                          .inner = inner,
                          .columns = s.filters,
                          .first = 0,
                          .last = s.filters,
                          .a = framed.data() + i * row,
                          .group = s.out_width,
                          .a_group = row,
                          .a_stride = s.channels,
                          .b = kernel.data() + i * inner * s.filters,
                          .c = target});
        }
    });
    return output;
}

// The output's gradient is spread to rows of the framed width, so that the sum over all pixels of an image is
// one loop; the zeros between its rows add nothing.
std::vector<double> kernel_gradient(const ConvolutionShape& s, const std::vector<double>& input,
                                    const std::vector<double>& output_gradient, int threads)
{
    const std::int64_t wide = framed_width(s);
    const std::int64_t frame = (s.out_height + s.kernel_height - 1) * wide * s.channels;
    // A row of the kernel reaches kernel_width - 1 pixels beyond the last pixel of the frame.
    const std::int64_t slack = (s.kernel_width - 1) * s.channels;
    const std::int64_t spread = s.out_height * wide * s.filters;
    std::vector<double> framed(static_cast<std::size_t>(s.batch * (frame + slack)));
    std::vector<double> gradient(static_cast<std::size_t>(s.batch * spread));
    in_parallel(s.batch, threads, [&](std::int64_t image) {
        copy_framed(s, input.data() + image * s.height * s.width * s.channels, 0,
                    s.out_height + s.kernel_height - 1, framed.data() + image * (frame + slack));
        for (std::int64_t y = 0; y < s.out_height; ++y) {
            const double* source =
                output_gradient.data() + (image * s.out_height + y) * s.out_width * s.filters;
            std::copy(source, source + s.out_width * s.filters,
                      gradient.data() + image * spread + y * wide * s.filters);
        }
    });
    const std::int64_t inner = s.kernel_width * s.channels;
    constexpr std::int64_t kBlock = 48;  // kernel rows in one piece of work
    const std::int64_t blocks = (inner + kBlock - 1) / kBlock;
    std::vector<double> result(static_cast<std::size_t>(s.kernel_height * inner * s.filters));
    in_parallel(s.kernel_height * blocks, threads, [&](std::int64_t piece) {
        const std::int64_t i = piece / blocks;
        const std::int64_t first = piece % blocks * kBlock;
        for (std::int64_t image = 0; image < s.batch; ++image) {
            multiply_transposed_add({.rows = s.out_height * wide,
                                     .first = first,
                                     .last = std::min(first + kBlock, inner),
                                     .columns = s.filters,
                                     .a = framed.data() + image * (frame + slack) + i * wide * s.channels,
                                     .a_stride = s.channels,
                                     .d = gradient.data() + image * spread,
                                     .c = result.data() + i * inner * s.filters});
        }
    });
    return result;
}

// Each input pixel gathers from the outputs that it went into: a convolution of the output's gradient with
// the kernel turned by 180 degrees and its channels exchanged.
std::vector<double> input_gradient(const ConvolutionShape& s, const std::vector<double>& kernel,
                                   const std::vector<double>& output_gradient, int threads)
{
    std::vector<double> turned(kernel.size());
    std::size_t next = 0;
    for (std::int64_t i = s.kernel_height; i-- > 0;) {
        for (std::int64_t j = s.kernel_width; j-- > 0;) {
            for (std::int64_t f = 0; f < s.filters; ++f) {
                for (std::int64_t c = 0; c < s.channels; ++c) {
                    turned[next++] = kernel[static_cast<std::size_t>(
                        ((i * s.kernel_width + j) * s.channels + c) * s.filters + f)];
                }
            }
        }
    }
    const ConvolutionShape back{.batch = s.batch,
                                .height = s.out_height,
                                .width = s.out_width,
                                .channels = s.filters,
                                .out_height = s.height,
                                .out_width = s.width,
                                .filters = s.channels,
                                .kernel_height = s.kernel_height,
                                .kernel_width = s.kernel_width,
                                .top = s.kernel_height - 1 - s.top,
                                .left = s.kernel_width - 1 - s.left};
    return convolution(back, output_gradient, turned,
                       std::vector<double>(static_cast<std::size_t>(s.channels), 0.0), threads);
}

}  // namespace lockstep::reference
