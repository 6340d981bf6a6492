// Two passes; the second, which makes most of the output's values, is written for the vectoriser.
#include "harness/data/resize.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace lockstep::data {
namespace {

// Adding 1.5 * 2^23 to a float32 of small magnitude leaves its nearest whole number, halves to even, in
// the lowest bits.
constexpr float kRounder = 12582912.0f;

// -O2 leaves loops of unknown length to scalar code.
__attribute__((optimize("O3"))) void add_scaled(const float* __restrict row, float weight,
                                                float* __restrict sum, std::int64_t count)
{
    for (std::int64_t i = 0; i < count; ++i) {
        sum[i] += weight * row[i];
    }
}

__attribute__((optimize("O3"))) void set_scaled(const float* __restrict row, float weight,
                                                float* __restrict sum, std::int64_t count)
{
    for (std::int64_t i = 0; i < count; ++i) {
        sum[i] = weight * row[i];
    }
}

__attribute__((optimize("O3"))) void round_all(const float* __restrict values, std::uint8_t* __restrict out,
                                               std::int64_t count)
{
    for (std::int64_t i = 0; i < count; ++i) {
        out[i] = static_cast<std::uint8_t>(std::bit_cast<std::uint32_t>(values[i] + kRounder));
    }
}

}  // namespace

Resizer::Axis Resizer::axis_of(std::int64_t from, std::int64_t to)
{
    Axis axis;
    const double scale = static_cast<double>(from) / static_cast<double>(to);
    const double reach = std::max(scale, 1.0);
    for (std::int64_t i = 0; i < to; ++i) {
        const double centre = (static_cast<double>(i) + 0.5) * scale;
        const auto first =
            std::max<std::int64_t>(0, static_cast<std::int64_t>(std::floor(centre - reach + 0.5)));
        const auto end =
            std::min<std::int64_t>(from, static_cast<std::int64_t>(std::floor(centre + reach + 0.5)));
        std::vector<double> weights;
        double total = 0.0;
        for (std::int64_t j = first; j < end; ++j) {
            weights.push_back(std::max(0.0, 1.0 - std::abs(static_cast<double>(j) + 0.5 - centre) / reach));
            total += weights.back();
        }
        axis.windows.push_back({first, end - first, static_cast<std::int64_t>(axis.weights.size())});
        for (const double weight : weights) {
            axis.weights.push_back(static_cast<float>(weight / total));
        }
    }
    return axis;
}

Resizer::Resizer(const ImageShape& from, const ImageSize& to)
    : from_(from),
      to_(to),
      columns_(axis_of(from.width, to.width)),
      rows_(axis_of(from.height, to.height)),
      wide_(static_cast<std::size_t>(from.height * to.width * from.channels)),
      sum_(static_cast<std::size_t>(to.width * from.channels))
{
}

void Resizer::resize(std::span<const std::uint8_t> from, std::span<std::uint8_t> to)
{
    const std::int64_t channels = from_.channels;
    const std::int64_t line = to_.width * channels;
    for (std::int64_t y = 0; y < from_.height; ++y) {
        const std::uint8_t* const row = from.data() + y * from_.width * channels;
        float* out = wide_.data() + y * line;
        for (const Window& window : columns_.windows) {
            const float* const weights = columns_.weights.data() + window.first_weight;
            for (std::int64_t c = 0; c < channels; ++c) {
                float sum = 0.0f;
                for (std::int64_t k = 0; k < window.count; ++k) {
                    sum += weights[k] * static_cast<float>(row[(window.first + k) * channels + c]);
                }
                *out++ = sum;
            }
        }
    }
    for (std::int64_t y = 0; y < to_.height; ++y) {
        const Window& window = rows_.windows[static_cast<std::size_t>(y)];
        const float* const weights = rows_.weights.data() + window.first_weight;
        set_scaled(wide_.data() + window.first * line, weights[0], sum_.data(), line);
        for (std::int64_t k = 1; k < window.count; ++k) {
            add_scaled(wide_.data() + (window.first + k) * line, weights[k], sum_.data(), line);
        }
        round_all(sum_.data(), to.data() + y * line, line);
    }
}

}  // namespace lockstep::data
