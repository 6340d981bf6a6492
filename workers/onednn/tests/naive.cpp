// Written to be read, not to be fast.
#include "workers/onednn/tests/naive.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace lockstep::onednn::naive {

using protocol::Activation;
using protocol::Layer;
using protocol::LayerKind;
using protocol::Padding;

Builder::Builder(std::int64_t height, std::int64_t width, std::int64_t channels, std::int64_t classes)
    : shape_{height, width, channels}
{
    network_.input = shape_;
    network_.classes = classes;
}

Layer& Builder::add(LayerKind kind, const char* name)
{
    Layer layer;
    layer.kind = kind;
    layer.name = name + std::to_string(++number_);
    layer.input = shape_;
    network_.layers.push_back(layer);
    return network_.layers.back();
}

Builder& Builder::convolution(std::int64_t channels, std::int64_t kernel, Padding padding,
                              Activation activation)
{
    Layer& layer = add(LayerKind::convolution, "conv");
    layer.kernel_height = layer.kernel_width = kernel;
    layer.padding = padding;
    layer.activation = activation;
    const std::int64_t lost = padding == Padding::same ? 0 : kernel - 1;
    layer.output = shape_ = {shape_[0] - lost, shape_[1] - lost, channels};
    return *this;
}

Builder& Builder::pool(std::int64_t window)
{
    Layer& layer = add(LayerKind::max_pool, "pool");
    layer.window = window;
    layer.output = shape_ = {shape_[0] / window, shape_[1] / window, shape_[2]};
    return *this;
}

Builder& Builder::flatten()
{
    Layer& layer = add(LayerKind::flatten, "flatten");
    layer.output = shape_ = {shape_[0] * shape_[1] * shape_[2]};
    return *this;
}

Builder& Builder::dense(std::int64_t units, Activation activation)
{
    Layer& layer = add(LayerKind::dense, "dense");
    layer.activation = activation;
    layer.output = shape_ = {units};
    return *this;
}

Builder& Builder::dropout(double rate)
{
    Layer& layer = add(LayerKind::dropout, "dropout");
    layer.rate = rate;
    layer.output = shape_;
    return *this;
}

protocol::Network Builder::logits()
{
    dense(network_.classes, Activation::none);
    return network_;
}

namespace {

std::int64_t size_of(const std::vector<std::int64_t>& shape)
{
    std::int64_t size = 1;
    for (const std::int64_t side : shape) {
        size *= side;
    }
    return size;
}

// Calls visit(x, w, y) with the places of each product of a convolution of one image.
template <class Visit>
void convolve(const Layer& layer, const Visit& visit)
{
    const std::int64_t ch = layer.input[2], out = layer.output[2];
    const bool same = layer.padding == Padding::same;
    const std::int64_t ph = same ? (layer.kernel_height - 1) / 2 : 0,
                       pw = same ? (layer.kernel_width - 1) / 2 : 0;
    for (std::int64_t h = 0; h < layer.output[0]; ++h)
        for (std::int64_t w = 0; w < layer.output[1]; ++w)
            for (std::int64_t i = 0; i < layer.kernel_height; ++i)
                for (std::int64_t j = 0; j < layer.kernel_width; ++j) {
                    const std::int64_t y = h + i - ph, x = w + j - pw;
                    if (y < 0 || y >= layer.input[0] || x < 0 || x >= layer.input[1]) {
                        continue;
                    }
                    for (std::int64_t c = 0; c < ch; ++c)
                        for (std::int64_t o = 0; o < out; ++o)
                            visit((y * layer.input[1] + x) * ch + c,
                                  ((i * layer.kernel_width + j) * ch + c) * out + o,
                                  (h * layer.output[1] + w) * out + o);
                }
}

// The same for a convolution or a dense layer.
template <class Visit>
void products(const Layer& layer, const Visit& visit)
{
    if (layer.kind == LayerKind::convolution) {
        convolve(layer, visit);
        return;
    }
    for (std::int64_t i = 0; i < layer.input[0]; ++i) {
        for (std::int64_t o = 0; o < layer.output[0]; ++o) {
            visit(i, i * layer.output[0] + o, o);
        }
    }
}

// Calls visit(window's output, place of its first maximum) for one image.
template <class Visit>
void pool_image(const Layer& layer, const double* x, const Visit& visit)
{
    const std::int64_t ch = layer.input[2];
    for (std::int64_t h = 0; h < layer.output[0]; ++h)
        for (std::int64_t w = 0; w < layer.output[1]; ++w)
            for (std::int64_t c = 0; c < ch; ++c) {
                std::int64_t best = -1;
                for (std::int64_t i = 0; i < layer.window; ++i)
                    for (std::int64_t j = 0; j < layer.window; ++j) {
                        const std::int64_t at =
                            ((h * layer.window + i) * layer.input[1] + w * layer.window + j) * ch + c;
                        if (best < 0 || x[at] > x[best]) {
                            best = at;
                        }
                    }
                visit((h * layer.output[1] + w) * ch + c, best);
            }
}

}  // namespace

namespace {

// What every layer makes of the batch; the images first.
std::vector<Values> forward(const protocol::Network& network, const std::vector<Values>& parameters,
                            const Values& images, std::int64_t count)
{
    std::vector<Values> maps{images};
    std::size_t next = 0;
    for (const Layer& layer : network.layers) {
        const Values& x = maps.back();
        const std::int64_t in = size_of(layer.input), out = size_of(layer.output);
        Values y(static_cast<std::size_t>(count * out));
        for (std::int64_t n = 0; n < count; ++n) {
            const double* xn = x.data() + n * in;
            double* yn = y.data() + n * out;
            if (layer.has_parameters()) {
                const double *kernel = parameters[next].data(), *bias = parameters[next + 1].data();
                for (std::int64_t i = 0; i < out; ++i) {
                    yn[i] = bias[i % layer.output.back()];
                }
                const auto product = [&](auto a, auto w, auto o) { yn[o] += xn[a] * kernel[w]; };
                products(layer, product);
                if (layer.activation == Activation::relu) {
                    std::for_each(yn, yn + out, [](double& v) { v = std::max(v, 0.0); });
                }
            } else if (layer.kind == LayerKind::max_pool) {
                pool_image(layer, xn, [&](auto o, auto best) { yn[o] = xn[best]; });
            } else {
                std::copy(xn, xn + in, yn);
            }
        }
        next += layer.has_parameters() ? 2 : 0;
        maps.push_back(y);
    }
    return maps;
}

// Sets the loss and returns the gradient of the logits.
Values loss(Result& result, std::int64_t classes, const std::vector<std::int32_t>& labels)
{
    Values gradient(result.logits.size());
    const std::int64_t count = static_cast<std::int64_t>(labels.size());
    for (std::int64_t n = 0; n < count; ++n) {
        const double* row = result.logits.data() + n * classes;
        const double highest = *std::max_element(row, row + classes);
        double sum = 0.0;
        for (std::int64_t c = 0; c < classes; ++c) {
            sum += std::exp(row[c] - highest);
        }
        const std::int32_t label = labels[static_cast<std::size_t>(n)];
        result.loss += (std::log(sum) + highest - row[label]) / static_cast<double>(count);
        for (std::int64_t c = 0; c < classes; ++c) {
            gradient[static_cast<std::size_t>(n * classes + c)] =
                (std::exp(row[c] - highest) / sum - (c == label ? 1.0 : 0.0)) / static_cast<double>(count);
        }
    }
    return gradient;
}

}  // namespace

Result run(const protocol::Network& network, const std::vector<Values>& parameters, const Values& images,
           const std::vector<std::int32_t>& labels)
{
    const std::int64_t count = static_cast<std::int64_t>(labels.size());
    const std::vector<Values> maps = forward(network, parameters, images, count);
    Result result;
    result.logits = maps.back();
    Values gradient = loss(result, network.classes, labels);
    result.gradients.resize(parameters.size());
    std::size_t next = parameters.size();
    for (std::size_t l = network.layers.size(); l-- > 0;) {
        const Layer& layer = network.layers[l];
        const std::int64_t in = size_of(layer.input), out = size_of(layer.output);
        Values below(maps[l].size(), 0.0);
        if (layer.has_parameters()) {
            next -= 2;
            result.gradients[next].assign(parameters[next].size(), 0.0);
            result.gradients[next + 1].assign(parameters[next + 1].size(), 0.0);
        }
        for (std::int64_t n = 0; n < count; ++n) {
            const double *xn = maps[l].data() + n * in, *yn = maps[l + 1].data() + n * out;
            double *gy = gradient.data() + n * out, *gx = below.data() + n * in;
            if (layer.has_parameters()) {
                const double* kernel = parameters[next].data();
                double *gk = result.gradients[next].data(), *gb = result.gradients[next + 1].data();
                for (std::int64_t i = 0; i < out; ++i) {
                    if (layer.activation == Activation::relu && yn[i] <= 0.0) {
                        gy[i] = 0.0;
                    }
                    gb[i % layer.output.back()] += gy[i];
                }
                products(layer, [&](auto a, auto w, auto o) {
                    gk[w] += xn[a] * gy[o];
                    gx[a] += kernel[w] * gy[o];
                });
            } else if (layer.kind == LayerKind::max_pool) {
                pool_image(layer, xn, [&](auto o, auto best) { gx[best] += gy[o]; });
            } else {
                std::copy(gy, gy + out, gx);
            }
        }
        gradient = below;
    }
    return result;
}

void Update::apply(std::vector<Values>& parameters, const std::vector<Values>& gradients)
{
    first_.resize(parameters.size());
    second_.resize(parameters.size());
    ++step_;
    const double scale = rule_.learning_rate * std::sqrt(1.0 - std::pow(rule_.beta2, step_)) /
                         (1.0 - std::pow(rule_.beta1, step_));
    for (std::size_t p = 0; p < parameters.size(); ++p) {
        first_[p].resize(parameters[p].size());
        second_[p].resize(parameters[p].size());
        for (std::size_t i = 0; i < parameters[p].size(); ++i) {
            const double g = gradients[p][i];
            double &m = first_[p][i], &v = second_[p][i];
            if (rule_.kind == "adam") {
                m = rule_.beta1 * m + (1.0 - rule_.beta1) * g;
                v = rule_.beta2 * v + (1.0 - rule_.beta2) * g * g;
                parameters[p][i] -= scale * m / (std::sqrt(v) + rule_.epsilon);
            } else {
                m = rule_.momentum * m + g;
                parameters[p][i] -= rule_.learning_rate * m;
            }
        }
    }
}

}  // namespace lockstep::onednn::naive
