// In double: a few values an image, and the loss is what the agreement check looks at first.
#include "workers/onednn/loss.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>

#include "workers/onednn/kernels.hpp"
#include "workers/onednn/parallel.hpp"

namespace lockstep::onednn {

double softmax_cross_entropy(const float* logits, std::span<const std::int32_t> labels, std::int64_t classes,
                             int threads, double* losses, float* gradient)
{
    const std::int64_t count = static_cast<std::int64_t>(labels.size());
    for (const std::int32_t label : labels) {
        if (label < 0 || label >= classes) {
            throw std::invalid_argument("label " + std::to_string(label) + " is not one of the " +
                                        std::to_string(classes) + " classes");
        }
    }
    const std::int64_t wide = kernels::padded(classes);
    in_shares(threads, count, [&](int, std::int64_t begin, std::int64_t end) {
        for (std::int64_t n = begin; n < end; ++n) {
            const float* row = logits + n * wide;
            float* out = gradient + n * wide;
            const double highest = *std::max_element(row, row + classes);
            double sum = 0.0;
            for (std::int64_t c = 0; c < classes; ++c) {
                sum += std::exp(static_cast<double>(row[c]) - highest);
            }
            const std::int64_t label = labels[static_cast<std::size_t>(n)];
            losses[n] = std::log(sum) - (static_cast<double>(row[label]) - highest);
            for (std::int64_t c = 0; c < classes; ++c) {
                const double share = std::exp(static_cast<double>(row[c]) - highest) / sum;
                out[c] = static_cast<float>((share - (c == label ? 1.0 : 0.0)) / static_cast<double>(count));
            }
            std::fill(out + classes, out + wide, 0.0f);
        }
    });
    return std::accumulate(losses, losses + count, 0.0) / static_cast<double>(count);
}

}  // namespace lockstep::onednn
