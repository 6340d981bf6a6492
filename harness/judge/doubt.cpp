// ReLU and max-pool commute, so a pooled ReLU is doubtful where the largest input before ReLU is near 0, or
// is above 0 with a near rival.
#include "harness/judge/doubt.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "harness/reference/parallel.hpp"
#include "harness/reference/pooling.hpp"

namespace lockstep::judge {
namespace {

using protocol::Activation;
using protocol::Layer;
using protocol::LayerKind;
using reference::Pass;
using reference::Setting;
using reference::Values;

// Equal patches give equal sums but for float64's own rounding.
constexpr double kEqual = 1e-12;

struct Window {
    double largest = -std::numeric_limits<double>::infinity();
    double rival = -std::numeric_limits<double>::infinity();  // the largest of those that differ from it
};

Window window_of(const Layer& pool, const double* image, bool ceil, std::int64_t row, std::int64_t column)
{
    const std::int64_t top = reference::window_start(row, pool.input[0], pool.window, ceil);
    const std::int64_t left = reference::window_start(column, pool.input[1], pool.window, ceil);
    const auto for_each = [&](const auto& visit) {
        for (std::int64_t i = top; i < std::min(top + pool.window, pool.input[0]); ++i) {
            for (std::int64_t j = left; j < std::min(left + pool.window, pool.input[1]); ++j) {
                visit(image[(i * pool.input[1] + j) * pool.input[2]]);
            }
        }
    };
    Window window;
    for_each([&](double value) { window.largest = std::max(window.largest, value); });
    for_each([&](double value) {
        if (window.largest - value > kEqual * std::abs(window.largest)) {
            window.rival = std::max(window.rival, value);
        }
    });
    return window;
}

struct Count {
    explicit Count(std::size_t channels) : squares(channels), sum(channels) {}
    std::int64_t units = 0;
    Values squares;  // by channel
    Values sum;
    void add(const Values& gradient, std::size_t index, double times)
    {
        ++units;
        if (!gradient.empty()) {
            squares[index % squares.size()] += times * gradient[index] * gradient[index];
            sum[index % sum.size()] += times * std::abs(gradient[index]);
        }
    }
};

struct Look {
    const Setting& setting;
    const Pass& pass;
    double reach;
};

Count count_pool(const Look& look, const Layer& pool, bool relu, const Values& values, const Values& gradient,
                 std::int64_t image)
{
    Count count(static_cast<std::size_t>(pool.input[2]));
    const std::int64_t size = pool.input[0] * pool.input[1] * pool.input[2];
    auto index = static_cast<std::size_t>(image * pool.output[0] * pool.output[1] * pool.output[2]);
    for (std::int64_t row = 0; row < pool.output[0]; ++row) {
        for (std::int64_t column = 0; column < pool.output[1]; ++column) {
            for (std::int64_t channel = 0; channel < pool.output[2]; ++channel, ++index) {
                const double* first = values.data() + image * size + channel;
                const Window window = window_of(pool, first, look.setting.variant.pool_ceil, row, column);
                if (relu && std::abs(window.largest) <= look.reach) {
                    count.add(gradient, index, 1.0);
                } else if ((!relu || window.largest > 0.0) &&
                           window.largest - window.rival <= std::sqrt(2.0) * look.reach) {
                    count.add(gradient, index, 2.0);
                }
            }
        }
    }
    return count;
}

Count count_relu(const Look& look, std::size_t channels, const Values& values, const Values& gradient,
                 std::int64_t image)
{
    Count count(channels);
    const std::size_t size = values.size() / static_cast<std::size_t>(look.pass.batch);
    const std::size_t first = static_cast<std::size_t>(image) * size;
    for (std::size_t i = first; i < first + size; ++i) {
        if (std::abs(values[i]) <= look.reach) {
            count.add(gradient, i, 1.0);
        }
    }
    return count;
}

Count count_image(const Look& look, std::size_t l, std::int64_t image)
{
    const std::vector<Layer>& layers = look.setting.network.layers;
    const Pass& pass = look.pass;
    const Values none;
    const auto gradient = [&](std::size_t at) -> const Values& {
        return pass.above.empty() ? none : pass.above[at];
    };
    const bool relu = layers[l].activation == Activation::relu;
    const auto channels = static_cast<std::size_t>(layers[l].output.back());
    if (layers[l].kind == LayerKind::max_pool) {
        const bool seen = l > 0 && layers[l - 1].has_parameters();
        return seen ? Count(channels) : count_pool(look, layers[l], false, pass.input[l], gradient(l), image);
    }
    if (l + 1 < layers.size() && layers[l + 1].kind == LayerKind::max_pool && layers[l].has_parameters()) {
        const Values& values = relu ? pass.before[l] : pass.input[l + 1];
        return count_pool(look, layers[l + 1], relu, values, gradient(l + 1), image);
    }
    return relu ? count_relu(look, channels, pass.before[l], gradient(l), image) : Count(channels);
}

}  // namespace

Doubt doubt_of(const Setting& setting, const Pass& pass, std::size_t l, double reach)
{
    const auto channels = static_cast<std::size_t>(setting.network.layers[l].output.back());
    std::vector<Count> counts(static_cast<std::size_t>(pass.batch), Count(channels));
    reference::in_parallel(pass.batch, setting.threads, [&](std::int64_t image) {
        counts[static_cast<std::size_t>(image)] = count_image({setting, pass, reach}, l, image);
    });
    Doubt doubt{{}, Values(channels), Values(channels)};
    for (const Count& count : counts) {
        doubt.units.push_back(count.units);
        for (std::size_t c = 0; c < channels; ++c) {
            doubt.squares[c] += count.squares[c];
            doubt.sum[c] += count.sum[c];
        }
    }
    return doubt;
}

}  // namespace lockstep::judge
