// The loops. Output channels lie innermost, so that the compiler can vectorise over them.
#include "layers.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <random>
#include <utility>

#include "workers/sdk/cpp/trainer.hpp"

namespace lockstep::plain {
namespace {

void zero(std::vector<float>& values)
{
    std::fill(values.begin(), values.end(), 0.0F);
}

// to[i] += factor * from[i]
void add(float factor, const float* from, float* to, std::int64_t count)
{
    for (std::int64_t i = 0; i < count; ++i) {
        to[i] += factor * from[i];
    }
}

float dot(const float* a, const float* b, std::int64_t count)
{
    float sum = 0.0F;
    for (std::int64_t i = 0; i < count; ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

// Kernel, bias and the activation: what convolution and dense layers share.
class WeightedLayer : public Layer {
public:
    WeightedLayer(const protocol::Layer& layer, std::vector<std::int64_t> kernel)
        : Layer(layer), outputs_(layer.output.back())
    {
        add_parameter(layer.name + ".kernel", std::move(kernel));
        add_parameter(layer.name + ".bias", {outputs_});
    }

protected:
    const float* kernel() const { return parameters[0].value.data(); }
    const float* bias() const { return parameters[1].value.data(); }
    float* d_kernel() { return parameters[0].gradient.data(); }

    void activate(float* out, std::int64_t count) const
    {
        if (what.activation == protocol::Activation::relu) {
            std::transform(out, out + count, out, [](float x) { return x > 0.0F ? x : 0.0F; });
        }
    }
    // Gradient through the activation, and of the bias; rows of `outputs_` values.
    void begin_backward(const float* out, float* d_out, std::int64_t rows)
    {
        zero(parameters[0].gradient);
        zero(parameters[1].gradient);
        for (std::int64_t i = 0; i < rows * outputs_; ++i) {
            if (what.activation == protocol::Activation::relu && !(out[i] > 0.0F)) {
                d_out[i] = 0.0F;
            }
        }
        for (std::int64_t row = 0; row < rows; ++row) {
            add(1.0F, d_out + row * outputs_, parameters[1].gradient.data(), outputs_);
        }
    }

    std::int64_t outputs_;

private:
    void add_parameter(std::string name, std::vector<std::int64_t> shape)
    {
        const std::vector<float> zeros(static_cast<std::size_t>(elements_of(shape)));
        parameters.push_back({std::move(name), std::move(shape), zeros, zeros, zeros, zeros});
    }
};

class Dense final : public WeightedLayer {
public:
    explicit Dense(const protocol::Layer& layer)
        : WeightedLayer(layer, {layer.input[0], layer.output[0]}), inputs_(layer.input[0])
    {
    }
    void forward(const float* in, float* out, std::int64_t count, bool) override
    {
        for (std::int64_t n = 0; n < count; ++n) {
            float* row = out + n * outputs_;
            std::copy_n(bias(), outputs_, row);
            for (std::int64_t i = 0; i < inputs_; ++i) {
                add(in[n * inputs_ + i], kernel() + i * outputs_, row, outputs_);
            }
        }
        activate(out, count * outputs_);
    }
    void backward(const float* in, const float* out, float* d_out, float* d_in, std::int64_t count) override
    {
        begin_backward(out, d_out, count);
        for (std::int64_t n = 0; n < count; ++n) {
            const float* d_row = d_out + n * outputs_;
            for (std::int64_t i = 0; i < inputs_; ++i) {
                add(in[n * inputs_ + i], d_row, d_kernel() + i * outputs_, outputs_);
                if (d_in != nullptr) {
                    d_in[n * inputs_ + i] = dot(d_row, kernel() + i * outputs_, outputs_);
                }
            }
        }
    }

private:
    std::int64_t inputs_;
};

class Convolution final : public WeightedLayer {
public:
    explicit Convolution(const protocol::Layer& layer)
        : WeightedLayer(layer, {layer.kernel_height, layer.kernel_width, layer.input[2], layer.output[2]}),
          inputs_(layer.input[2])
    {
    }
    void forward(const float* in, float* out, std::int64_t count, bool) override
    {
        const std::int64_t rows = count * what.output[0] * what.output[1];
        for (std::int64_t row = 0; row < rows; ++row) {
            std::copy_n(bias(), outputs_, out + row * outputs_);
        }
        for_each_tap(count, [&](std::int64_t pixel, std::int64_t row, std::int64_t tap) {
            for (std::int64_t c = 0; c < inputs_; ++c) {
                add(in[pixel * inputs_ + c], kernel() + (tap * inputs_ + c) * outputs_, out + row * outputs_,
                    outputs_);
            }
        });
        activate(out, rows * outputs_);
    }
    void backward(const float* in, const float* out, float* d_out, float* d_in, std::int64_t count) override
    {
        begin_backward(out, d_out, count * what.output[0] * what.output[1]);
        if (d_in != nullptr) {
            std::fill_n(d_in, count * what.input[0] * what.input[1] * inputs_, 0.0F);
        }
        for_each_tap(count, [&](std::int64_t pixel, std::int64_t row, std::int64_t tap) {
            const float* d_row = d_out + row * outputs_;
            for (std::int64_t c = 0; c < inputs_; ++c) {
                const std::int64_t weights = (tap * inputs_ + c) * outputs_;
                add(in[pixel * inputs_ + c], d_row, d_kernel() + weights, outputs_);
                if (d_in != nullptr) {
                    d_in[pixel * inputs_ + c] += dot(d_row, kernel() + weights, outputs_);
                }
            }
        });
    }

private:
    // Calls visit(input pixel, output pixel, place in the kernel) wherever the kernel meets the image;
    // what lies outside is zero and needs no visit. Cross-correlation: the kernel is not turned.
    template <class Visit>
    void for_each_tap(std::int64_t count, Visit visit) const
    {
        const bool same = what.padding == protocol::Padding::same;
        const std::int64_t top = same ? (what.kernel_height - 1) / 2 : 0;
        const std::int64_t left = same ? (what.kernel_width - 1) / 2 : 0;
        const std::int64_t height = what.input[0];
        const std::int64_t width = what.input[1];
        std::int64_t row = 0;
        for (std::int64_t n = 0; n < count; ++n) {
            for (std::int64_t y = 0; y < what.output[0]; ++y) {
                for (std::int64_t x = 0; x < what.output[1]; ++x, ++row) {
                    for (std::int64_t tap = 0; tap < what.kernel_height * what.kernel_width; ++tap) {
                        const std::int64_t in_y = y + tap / what.kernel_width - top;
                        const std::int64_t in_x = x + tap % what.kernel_width - left;
                        if (in_y >= 0 && in_y < height && in_x >= 0 && in_x < width) {
                            visit((n * height + in_y) * width + in_x, row, tap);
                        }
                    }
                }
            }
        }
    }

    std::int64_t inputs_;
};

// Floor rounding: rows and columns that fill no window are left out. The first largest value counts.
class MaxPool final : public Layer {
public:
    using Layer::Layer;
    void forward(const float* in, float* out, std::int64_t count, bool) override
    {
        const std::int64_t outputs = count * elements_of(what.output);
        largest_.resize(static_cast<std::size_t>(outputs));
        for (std::int64_t o = 0; o < outputs; ++o) {
            const std::int64_t first = corner_of(o);
            std::int64_t best = first;
            for (std::int64_t k = 1; k < what.window * what.window; ++k) {
                const std::int64_t at =
                    first + (k / what.window * what.input[1] + k % what.window) * what.input[2];
                best = in[at] > in[best] ? at : best;
            }
            largest_[static_cast<std::size_t>(o)] = best;
            out[o] = in[best];
        }
    }
    void backward(const float*, const float*, float* d_out, float* d_in, std::int64_t count) override
    {
        if (d_in == nullptr) {
            return;
        }
        std::fill_n(d_in, count * elements_of(what.input), 0.0F);
        for (std::int64_t o = 0; o < count * elements_of(what.output); ++o) {
            d_in[largest_[static_cast<std::size_t>(o)]] += d_out[o];
        }
    }

private:
    // Index of the input value at the upper left of output `o`'s window.
    std::int64_t corner_of(std::int64_t o) const
    {
        const std::int64_t channel = o % what.output[2];
        const std::int64_t x = o / what.output[2] % what.output[1];
        const std::int64_t y = o / what.output[2] / what.output[1] % what.output[0];
        const std::int64_t n = o / elements_of(what.output);
        return ((n * what.input[0] + y * what.window) * what.input[1] + x * what.window) * what.input[2] +
               channel;
    }

    std::vector<std::int64_t> largest_;  // for each output, the index of the input that it came from
};

class Flatten final : public Layer {
public:
    using Layer::Layer;
    void forward(const float* in, float* out, std::int64_t count, bool) override
    {
        std::copy_n(in, count * elements_of(what.input), out);
    }
    void backward(const float*, const float*, float* d_out, float* d_in, std::int64_t count) override
    {
        if (d_in != nullptr) {
            std::copy_n(d_out, count * elements_of(what.input), d_in);
        }
    }
};

// What stays is scaled up by 1 / (1 - rate), so that prediction needs no scale.
class Dropout final : public Layer {
public:
    Dropout(const protocol::Layer& layer, std::uint64_t seed) : Layer(layer), random_(seed) {}
    void forward(const float* in, float* out, std::int64_t count, bool dropout) override
    {
        const std::int64_t values = count * elements_of(what.input);
        factors_.assign(static_cast<std::size_t>(values), 1.0F);
        if (dropout) {
            std::bernoulli_distribution stays(1.0 - what.rate);
            const auto scale = static_cast<float>(1.0 / (1.0 - what.rate));
            std::generate(factors_.begin(), factors_.end(), [&] { return stays(random_) ? scale : 0.0F; });
        }
        std::transform(in, in + values, factors_.begin(), out, std::multiplies<>());
    }
    void backward(const float*, const float*, float* d_out, float* d_in, std::int64_t) override
    {
        if (d_in != nullptr) {
            std::transform(factors_.begin(), factors_.end(), d_out, d_in, std::multiplies<>());
        }
    }

private:
    std::mt19937_64 random_;
    std::vector<float> factors_;
};

}  // namespace

std::int64_t elements_of(const std::vector<std::int64_t>& shape)
{
    return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

std::unique_ptr<Layer> make_layer(const protocol::Layer& what, std::uint64_t seed)
{
    switch (what.kind) {
        case protocol::LayerKind::convolution:
            return std::make_unique<Convolution>(what);
        case protocol::LayerKind::max_pool:
            return std::make_unique<MaxPool>(what);
        case protocol::LayerKind::flatten:
            return std::make_unique<Flatten>(what);
        case protocol::LayerKind::dense:
            return std::make_unique<Dense>(what);
        case protocol::LayerKind::dropout:
            return std::make_unique<Dropout>(what, seed);
    }
    throw sdk::Unsupported("layer " + what.name + " is of a kind that this worker does not know");
}

}  // namespace lockstep::plain
