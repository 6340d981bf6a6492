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
    std::int64_t largest = -1;  // index in the pool's input
    std::int64_t rival = -1;    // the largest of those that differ from it; -1 when all are equal
};

class Search {
public:
    Search(const Setting& setting, const Pass& pass, std::size_t l, double reach)
        : setting_(setting), pass_(pass), l_(l), reach_(reach)
    {
    }

    std::vector<Turn> of_image(std::int64_t image) const
    {
        const std::vector<Layer>& layers = setting_.network.layers;
        const Layer& layer = layers[l_];
        const bool relu = layer.activation == Activation::relu;
        if (layer.kind == LayerKind::max_pool) {
            const bool seen = l_ > 0 && layers[l_ - 1].has_parameters();
            return seen ? std::vector<Turn>{} : of_pool(l_, pass_.input[l_], false, image);
        }
        if (layer.has_parameters() && l_ + 1 < layers.size() && layers[l_ + 1].kind == LayerKind::max_pool) {
            return of_pool(l_ + 1, relu ? pass_.before[l_] : pass_.input[l_ + 1], relu, image);
        }
        return relu ? of_relu(image) : std::vector<Turn>{};
    }

private:
    std::vector<Turn> of_relu(std::int64_t image) const
    {
        std::vector<Turn> turns;
        const Values& values = pass_.before[l_];
        const std::int64_t size = static_cast<std::int64_t>(values.size()) / pass_.batch;
        for (std::int64_t unit = image * size; unit < (image + 1) * size; ++unit) {
            if (std::abs(at(values, unit)) <= reach_) {
                turns.push_back({.image = image, .relu = l_, .unit = unit});
            }
        }
        return turns;
    }

    // `values`: the pool's input, or what it is before ReLU.
    std::vector<Turn> of_pool(std::size_t pool, const Values& values, bool relu, std::int64_t image) const
    {
        const Layer& layer = setting_.network.layers[pool];
        std::vector<Turn> turns;
        std::int64_t output = image * layer.output[0] * layer.output[1] * layer.output[2];
        for (std::int64_t row = 0; row < layer.output[0]; ++row) {
            for (std::int64_t column = 0; column < layer.output[1]; ++column) {
                for (std::int64_t channel = 0; channel < layer.output[2]; ++channel, ++output) {
                    const Window window = window_of(layer, values, {image, row, column, channel});
                    const double largest = at(values, window.largest);
                    if (relu && std::abs(largest) <= reach_) {
                        turns.push_back({.image = image,
                                         .relu = l_,
                                         .unit = window.largest,
                                         .pool = pool,
                                         .output = output,
                                         .winner = window.largest});
                    } else if ((!relu || largest > 0.0) && window.rival >= 0 &&
                               largest - at(values, window.rival) <= std::sqrt(2.0) * reach_) {
                        turns.push_back(
                            {.image = image, .pool = pool, .output = output, .winner = window.rival});
                    }
                }
            }
        }
        return turns;
    }

    struct Place {
        std::int64_t image, row, column, channel;
    };

    Window window_of(const Layer& pool, const Values& values, const Place& place) const
    {
        const bool ceil = setting_.variant.pool_ceil;
        const std::int64_t top = reference::window_start(place.row, pool.input[0], pool.window, ceil);
        const std::int64_t left = reference::window_start(place.column, pool.input[1], pool.window, ceil);
        const auto for_each = [&](const auto& visit) {
            for (std::int64_t i = top; i < std::min(top + pool.window, pool.input[0]); ++i) {
                for (std::int64_t j = left; j < std::min(left + pool.window, pool.input[1]); ++j) {
                    visit(((place.image * pool.input[0] + i) * pool.input[1] + j) * pool.input[2] +
                          place.channel);
                }
            }
        };
        Window window;
        for_each([&](std::int64_t index) {
            if (window.largest < 0 || at(values, index) > at(values, window.largest)) {
                window.largest = index;
            }
        });
        const double largest = at(values, window.largest);
        for_each([&](std::int64_t index) {
            if (largest - at(values, index) > kEqual * std::abs(largest) &&
                (window.rival < 0 || at(values, index) > at(values, window.rival))) {
                window.rival = index;
            }
        });
        return window;
    }

    static double at(const Values& values, std::int64_t index)
    {
        return values[static_cast<std::size_t>(index)];
    }

    const Setting& setting_;
    const Pass& pass_;
    std::size_t l_;
    double reach_;
};

}  // namespace

std::vector<Turn> doubtful_units(const Setting& setting, const Pass& pass, std::size_t l, double reach)
{
    const Search search(setting, pass, l, reach);
    std::vector<std::vector<Turn>> found(static_cast<std::size_t>(pass.batch));
    reference::in_parallel(pass.batch, setting.threads, [&](std::int64_t image) {
        found[static_cast<std::size_t>(image)] = search.of_image(image);
    });
    std::vector<Turn> all;
    for (const std::vector<Turn>& turns : found) {
        all.insert(all.end(), turns.begin(), turns.end());
    }
    return all;
}

void turn(const std::vector<Turn>& turns, Pass& pass)
{
    for (const Turn& turn : turns) {
        if (turn.output >= 0) {
            pass.winners[turn.pool][static_cast<std::size_t>(turn.output)] = turn.winner;
        }
        if (turn.unit >= 0) {
            double& value = pass.before[turn.relu][static_cast<std::size_t>(turn.unit)];
            value = value > 0.0 ? -value : std::max(-value, std::numeric_limits<double>::min());
        }
    }
}

}  // namespace lockstep::judge
