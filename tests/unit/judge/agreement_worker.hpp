// A correct worker in float32, independent of the reference: plain loops that add one product after the
// other, the order that rounds worst.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "harness/record/observation.hpp"
#include "harness/reference/question.hpp"

namespace lockstep::testing_networks {

class Float32Worker {
public:
    explicit Float32Worker(const reference::Question& question)
        : question_(question), weights_(question.weights)
    {
    }

    record::Observation answer()
    {
        record::Observation seen;
        seen.loss = pass(0);
        seen.logits = outputs_.back();
        seen.gradients = gradients_;
        for (int step = 0; step < question_.steps; ++step) {
            seen.losses.push_back(pass(step));
            update(step + 1);
        }
        if (question_.steps > 0) {
            seen.parameters = weights_;
        }
        if (!question_.prediction_images.empty()) {
            forward(question_.prediction_images);
            const auto classes = static_cast<std::ptrdiff_t>(question_.network.classes);
            const std::vector<float>& logits = outputs_.back();
            for (auto row = logits.begin(); row != logits.end(); row += classes) {
                seen.predictions.push_back(
                    static_cast<std::int32_t>(std::max_element(row, row + classes) - row));
            }
        }
        return seen;
    }

private:
    using Floats = std::vector<float>;
    using Layer = protocol::Layer;
    using Kind = protocol::LayerKind;

    static int top(const Layer& layer)
    {
        return layer.padding == protocol::Padding::same ? static_cast<int>(layer.kernel_height - 1) / 2 : 0;
    }

    // visit(output pixel, kernel pixel, input pixel) for one image, in NCHW-like nesting: kernel outside.
    template <class Visit>
    static void each_tap(const Layer& layer, const Visit& visit)
    {
        const auto H = static_cast<int>(layer.input[0]), W = static_cast<int>(layer.input[1]);
        const auto h = static_cast<int>(layer.output[0]), w = static_cast<int>(layer.output[1]);
        const auto k = static_cast<int>(layer.kernel_height);
        for (int y = 0; y < h; ++y) {
            for (int x = 0; x < w; ++x) {
                for (int i = 0; i < k; ++i) {
                    for (int j = 0; j < k; ++j) {
                        const int row = y + i - top(layer), column = x + j - top(layer);
                        if (row >= 0 && row < H && column >= 0 && column < W) {
                            visit(y * w + x, i * k + j, row * W + column);
                        }
                    }
                }
            }
        }
    }

    std::size_t size(const std::vector<std::int64_t>& shape) const
    {
        std::size_t product = 1;
        for (const std::int64_t side : shape) {
            product *= static_cast<std::size_t>(side);
        }
        return product;
    }

    void forward(std::span<const float> images)
    {
        batch_ = images.size() / size(question_.network.input);
        outputs_.assign(1, Floats(images.begin(), images.end()));
        winners_.clear();
        for (const Layer& layer : question_.network.layers) {
            const Floats& in = outputs_.back();
            const std::size_t ins = size(layer.input), outs = size(layer.output);
            Floats out(batch_ * outs);
            winners_.emplace_back();
            if (layer.kind == Kind::convolution) {
                const Floats& kernel = weights_.at(layer.name + ".kernel");
                const Floats& bias = weights_.at(layer.name + ".bias");
                const auto C = static_cast<std::size_t>(layer.input[2]), F = bias.size();
                for (std::size_t b = 0; b < batch_; ++b) {
                    each_tap(layer, [&](int o, int t, int p) {
                        for (std::size_t c = 0; c < C; ++c) {
                            for (std::size_t f = 0; f < F; ++f) {
                                out[b * outs + o * F + f] +=
                                    in[b * ins + p * C + c] * kernel[(t * C + c) * F + f];
                            }
                        }
                    });
                }
                for (std::size_t i = 0; i < out.size(); ++i) {
                    out[i] += bias[i % F];
                }
            } else if (layer.kind == Kind::dense) {
                const Floats& kernel = weights_.at(layer.name + ".kernel");
                const Floats& bias = weights_.at(layer.name + ".bias");
                for (std::size_t b = 0; b < batch_; ++b) {
                    for (std::size_t o = 0; o < outs; ++o) {
                        float sum = 0.0F;
                        for (std::size_t i = 0; i < ins; ++i) {
                            sum += in[b * ins + i] * kernel[i * outs + o];
                        }
                        out[b * outs + o] = sum + bias[o];
                    }
                }
            } else if (layer.kind == Kind::max_pool) {
                pool(layer, in, out);
            } else {
                out = in;
            }
            if (layer.activation == protocol::Activation::relu) {
                for (float& value : out) {
                    value = value > 0.0F ? value : 0.0F;
                }
            }
            outputs_.push_back(std::move(out));
        }
    }

    // The last of equals wins here, the first in the reference.
    void pool(const Layer& layer, const Floats& in, Floats& out)
    {
        const auto W = static_cast<std::size_t>(layer.input[1]), C = static_cast<std::size_t>(layer.input[2]);
        const auto h = static_cast<std::size_t>(layer.output[0]),
                   w = static_cast<std::size_t>(layer.output[1]);
        for (std::size_t b = 0; b < batch_; ++b) {
            for (std::size_t o = 0; o < h * w * C; ++o) {
                const std::size_t y = o / C / w, x = o / C % w, c = o % C;
                std::size_t best = 0;
                float most = -1e30F;
                for (std::size_t i = 0; i < 4; ++i) {
                    const std::size_t at =
                        b * size(layer.input) + ((2 * y + i / 2) * W + 2 * x + i % 2) * C + c;
                    if (in[at] >= most) {
                        most = in[at];
                        best = at;
                    }
                }
                out[b * h * w * C + o] = most;
                winners_.back().push_back(best);
            }
        }
    }

    double pass(int step)
    {
        forward(reference::images_of(question_, step));
        const auto labels = reference::labels_of(question_, step);
        const auto C = static_cast<std::size_t>(question_.network.classes);
        const Floats& logits = outputs_.back();
        Floats gradient(logits.size());
        float loss = 0.0F;
        for (std::size_t b = 0; b < batch_; ++b) {
            const float* row = logits.data() + b * C;
            const float most = *std::max_element(row, row + C);
            float sum = 0.0F;
            for (std::size_t c = 0; c < C; ++c) {
                gradient[b * C + c] = std::exp(row[c] - most);
                sum += gradient[b * C + c];
            }
            const auto right = static_cast<std::size_t>(labels[b]);
            loss += std::log(sum) - (row[right] - most);
            for (std::size_t c = 0; c < C; ++c) {
                gradient[b * C + c] =
                    (gradient[b * C + c] / sum - (c == right ? 1.0F : 0.0F)) / static_cast<float>(batch_);
            }
        }
        gradients_.clear();
        for (std::size_t l = question_.network.layers.size(); l-- > 0;) {
            gradient = backward(l, std::move(gradient));
        }
        return loss / static_cast<float>(batch_);
    }

    Floats backward(std::size_t l, Floats above)
    {
        const Layer& layer = question_.network.layers[l];
        const Floats& in = outputs_[l];
        const std::size_t ins = size(layer.input), outs = size(layer.output);
        if (layer.kind == Kind::max_pool) {
            Floats below(in.size());
            for (std::size_t i = 0; i < above.size(); ++i) {
                below[winners_[l][i]] += above[i];
            }
            return below;
        }
        if (!layer.has_parameters()) {
            return above;
        }
        if (layer.activation == protocol::Activation::relu) {
            for (std::size_t i = 0; i < above.size(); ++i) {
                above[i] = outputs_[l + 1][i] > 0.0F ? above[i] : 0.0F;
            }
        }
        const Floats& kernel = weights_.at(layer.name + ".kernel");
        const auto F = static_cast<std::size_t>(layer.output.back());
        Floats below(in.size()), own(kernel.size()), bias(F);
        for (std::size_t i = 0; i < above.size(); ++i) {
            bias[i % F] += above[i];
        }
        if (layer.kind == Kind::dense) {
            for (std::size_t b = 0; b < batch_; ++b) {
                for (std::size_t i = 0; i < ins; ++i) {
                    float sum = 0.0F;
                    for (std::size_t o = 0; o < outs; ++o) {
                        own[i * outs + o] += in[b * ins + i] * above[b * outs + o];
                        sum += kernel[i * outs + o] * above[b * outs + o];
                    }
                    below[b * ins + i] = sum;
                }
            }
        } else {
            const auto C = static_cast<std::size_t>(layer.input[2]);
            for (std::size_t b = 0; b < batch_; ++b) {
                each_tap(layer, [&](int o, int t, int p) {
                    for (std::size_t c = 0; c < C; ++c) {
                        for (std::size_t f = 0; f < F; ++f) {
                            const float d = above[b * outs + o * F + f];
                            own[(t * C + c) * F + f] += in[b * ins + p * C + c] * d;
                            below[b * ins + p * C + c] += kernel[(t * C + c) * F + f] * d;
                        }
                    }
                });
            }
        }
        gradients_[layer.name + ".kernel"] = std::move(own);
        gradients_[layer.name + ".bias"] = std::move(bias);
        return below;
    }

    void update(int t)
    {
        const protocol::Optimizer& o = question_.optimizer;
        const auto b1 = static_cast<float>(o.beta1), b2 = static_cast<float>(o.beta2);
        const auto lr = static_cast<float>(o.learning_rate);
        const float rate = lr * std::sqrt(1.0F - std::pow(b2, static_cast<float>(t))) /
                           (1.0F - std::pow(b1, static_cast<float>(t)));
        for (auto& [name, weights] : weights_) {
            Floats& m = first_[name];
            Floats& v = second_[name];
            m.resize(weights.size());
            v.resize(weights.size());
            const Floats& g = gradients_.at(name);
            for (std::size_t i = 0; i < weights.size(); ++i) {
                if (o.kind == "sgd") {
                    m[i] = static_cast<float>(o.momentum) * m[i] + g[i];
                    weights[i] -= lr * m[i];
                    continue;
                }
                m[i] = b1 * m[i] + (1.0F - b1) * g[i];
                v[i] = b2 * v[i] + (1.0F - b2) * g[i] * g[i];
                weights[i] -= rate * m[i] / (std::sqrt(v[i]) + static_cast<float>(o.epsilon));
            }
        }
    }

    const reference::Question& question_;
    std::map<std::string, Floats> weights_, first_, second_, gradients_;
    std::vector<Floats> outputs_;
    std::vector<std::vector<std::size_t>> winners_;
    std::size_t batch_ = 0;
};

}  // namespace lockstep::testing_networks
