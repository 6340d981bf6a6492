// Floor rounding leaves the last row and column of an odd size unread.
#include "harness/reference/pooling.hpp"

#include <algorithm>

#include "harness/reference/parallel.hpp"

namespace lockstep::reference {

std::int64_t window_start(std::int64_t i, std::int64_t size, std::int64_t window, bool ceil)
{
    const bool partial = size % window != 0;
    return (ceil && partial ? i + 1 : i) * window;
}

Pooled max_pool(const protocol::Layer& layer, std::int64_t batch, const std::vector<double>& input, bool ceil,
                int threads)
{
    const std::int64_t height = layer.input[0];
    const std::int64_t width = layer.input[1];
    const std::int64_t channels = layer.input[2];
    const std::int64_t out_height = layer.output[0];
    const std::int64_t out_width = layer.output[1];
    Pooled pooled;
    pooled.output.resize(static_cast<std::size_t>(batch * out_height * out_width * channels));
    pooled.winners.resize(pooled.output.size());
    in_parallel(batch * out_height, threads, [&](std::int64_t piece) {
        const std::int64_t image = piece / out_height;
        const std::int64_t top = window_start(piece % out_height, height, layer.window, ceil);
        auto next = static_cast<std::size_t>(piece * out_width * channels);
        for (std::int64_t x = 0; x < out_width; ++x) {
            const std::int64_t left = window_start(x, width, layer.window, ceil);
            for (std::int64_t c = 0; c < channels; ++c) {
                std::int64_t winner = ((image * height + top) * width + left) * channels + c;
                for (std::int64_t i = top; i < std::min(top + layer.window, height); ++i) {
                    for (std::int64_t j = left; j < std::min(left + layer.window, width); ++j) {
                        const std::int64_t index = ((image * height + i) * width + j) * channels + c;
                        if (input[static_cast<std::size_t>(index)] >
                            input[static_cast<std::size_t>(winner)]) {
                            winner = index;
                        }
                    }
                }
                pooled.winners[next] = winner;
                pooled.output[next++] = input[static_cast<std::size_t>(winner)];
            }
        }
    });
    return pooled;
}

std::vector<double> max_pool_gradient(std::size_t inputs, const std::vector<std::int64_t>& winners,
                                      const std::vector<double>& output_gradient)
{
    std::vector<double> gradient(inputs);
    for (std::size_t i = 0; i < winners.size(); ++i) {
        gradient[static_cast<std::size_t>(winners[i])] += output_gradient[i];
    }
    return gradient;
}

}  // namespace lockstep::reference
