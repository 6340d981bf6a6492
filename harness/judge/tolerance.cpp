// The rules of the header, layer by layer. The rms of a tensor is the only thing that is read off it.
#include "harness/judge/tolerance.hpp"

#include <algorithm>
#include <cmath>

namespace lockstep::judge {
namespace {

using protocol::Layer;
using protocol::LayerKind;
using reference::Pass;
using reference::Values;

double fan_in(const Layer& layer)
{
    const double pixels = layer.kind == LayerKind::convolution
                              ? static_cast<double>(layer.kernel_height * layer.kernel_width)
                              : 1.0;
    return pixels * static_cast<double>(layer.input.back());
}

double fan_out(const Layer& layer)
{
    return fan_in(layer) / static_cast<double>(layer.input.back()) * static_cast<double>(layer.output.back());
}

Limit limit_of(double error, const Size& size, double natural)
{
    return {error * (1.0 + kSpread / std::sqrt(std::max(1.0, size.count))),
            kSpread * error * std::max(1.0, over(size.largest, natural))};
}

}  // namespace

ErrorBounds::ErrorBounds(const reference::Setting& setting, const reference::OptimizerState& optimizer,
                         const reference::Weights& weights)
    : setting_(setting), optimizer_(optimizer), weights_(weights)
{
    const std::size_t layers = setting.network.layers.size();
    input_.resize(layers + 1);
    first_.resize(layers);
    above_.resize(layers);
    at_.resize(layers);
}

double ErrorBounds::common_error() const
{
    const protocol::Optimizer& optimizer = optimizer_.optimizer();
    return optimizer.kind == "sgd"
               ? 0.0
               : kUnit / (2.0 * (1.0 - optimizer.beta2)) + kUnit / (1.0 - optimizer.beta1);
}

double ErrorBounds::weight_error(const std::string& name) const
{
    const auto drift = drifts_.find(name);
    return drift == drifts_.end() ? 0.0 : drift->second.error();
}

void ErrorBounds::forward(const Pass& pass)
{
    input_[0] = kUnit * size_of(pass.input[0], setting_.threads).rms;
    for (std::size_t l = 0; l < setting_.network.layers.size(); ++l) {
        forward_layer(pass, l);
    }
}

void ErrorBounds::forward_layer(const Pass& pass, std::size_t l)
{
    const Layer& layer = setting_.network.layers[l];
    const double x = size_of(pass.input[l], setting_.threads).rms;
    const bool relu = layer.activation == protocol::Activation::relu;
    const double after = size_of(pass.input[l + 1], setting_.threads).rms;
    if (!layer.has_parameters()) {
        input_[l + 1] = input_[l] * std::max(1.0, over(after, x));
        return;
    }
    const double n = fan_in(layer);
    const double w = size_of(weights_.at(layer.name + ".kernel"), setting_.threads).rms;
    const double z = relu ? size_of(pass.before[l], setting_.threads).rms : after;
    const double natural = std::max(z, std::sqrt(n) * x * w);
    double error = natural * length(over(input_[l], x), over(weight_error(layer.name + ".kernel"), w),
                                    std::sqrt(n + 1.0) * kUnit);
    error = length(error, weight_error(layer.name + ".bias"));
    if (optimizer_.steps() == 0) {
        first_[l] = z;
    } else {
        const double moved = optimizer_.optimizer().learning_rate * optimizer_.steps() * (n * x + 1.0);
        error = length(error, common_error() * std::min(moved, z + first_[l]));
    }
    input_[l + 1] = error;
}

std::vector<Turn> ErrorBounds::doubtful(const Pass& pass, double caution) const
{
    std::vector<Turn> all;
    for (std::size_t l = 0; l < setting_.network.layers.size(); ++l) {
        const std::vector<Turn> some = doubtful_units(setting_, pass, l, caution * kTurn * input_[l + 1]);
        all.insert(all.end(), some.begin(), some.end());
    }
    return all;
}

void ErrorBounds::backward(const Pass& pass, std::span<const std::int32_t> labels)
{
    gradients_.clear();
    errors_.clear();
    backward_loss(pass);
    for (std::size_t l = setting_.network.layers.size(); l-- > 0;) {
        backward_layer(pass, l);
    }
    add_turned(pass, labels);
}

void ErrorBounds::add_turned(const Pass& pass, std::span<const std::int32_t> labels)
{
    const std::vector<Turn> turns = doubtful(pass, 1.0);
    doubtful_ += static_cast<std::int64_t>(turns.size());
    if (turns.empty()) {
        return;
    }
    Pass other;
    other.batch = pass.batch;
    other.input = pass.input;
    other.before = pass.before;
    other.winners = pass.winners;
    other.factors = pass.factors;
    other.altered = pass.altered;
    turn(turns, other);
    reference::backward(setting_, weights_, labels, other);
    for (auto& [name, error] : errors_) {
        Values& difference = other.gradients.at(name);
        const Values& gradient = pass.gradients.at(name);
        for (std::size_t i = 0; i < gradient.size(); ++i) {
            difference[i] = kSpread / 2.0 * std::abs(difference[i] - gradient[i]);
        }
        error.turned = column_rms(difference, error.rounding.size());
        for (std::size_t i = 0; i < difference.size(); ++i) {
            double& largest = error.turned_largest[i % error.turned_largest.size()];
            largest = std::max(largest, difference[i]);
        }
        const Size size = size_of(difference, setting_.threads);
        gradients_[name].rms += size.rms;
        gradients_[name].largest += size.largest;
    }
}

void ErrorBounds::backward_loss(const Pass& pass)
{
    const Values& logits = pass.logits();
    const auto classes = static_cast<std::size_t>(setting_.network.classes);
    const Size size = size_of(logits, setting_.threads);
    logits_ = limit_of(logits_error(), size, size.rms);
    double gain = 0.0;
    double exponential = 0.0;
    double slopes = 0.0;
    for (std::size_t row = 0; row < logits.size(); row += classes) {
        const double top = *std::max_element(logits.begin() + static_cast<std::ptrdiff_t>(row),
                                             logits.begin() + static_cast<std::ptrdiff_t>(row + classes));
        double squares = 0.0;
        double slope = 0.0;
        for (std::size_t i = row; i < row + classes; ++i) {
            squares += square(pass.probabilities[i]);
            slope += square(pass.above.back()[i]);
        }
        for (std::size_t i = row; i < row + classes; ++i) {
            const double p = pass.probabilities[i];
            gain += square(p) * (1.0 - 2.0 * p + squares);
            exponential += square(p * kUnit * (4.0 + top - logits[i]));
        }
        slopes += std::sqrt(slope);
    }
    const reference::LossForm form = setting_.variant.loss;
    const bool summed = form == reference::LossForm::sum || form == reference::LossForm::per_example;
    if (form == reference::LossForm::per_class) {
        gain = std::max(gain, size.count / 16.0);
    }
    const double batch = static_cast<double>(pass.batch);
    const double error =
        length(logits_error() * std::sqrt(gain / size.count), std::sqrt(exponential / size.count), kUnit);
    above_.back() = error / (summed ? 1.0 : batch);
    const double shown = form == reference::LossForm::sum ? 1.0 : (summed ? 1.0 / batch : 1.0);
    loss_ = kSpread * slopes * shown * logits_error() +
            kUnit * (4.0 + std::sqrt(batch)) *
                (std::abs(pass.loss) + size.largest * (form == reference::LossForm::sum ? batch : 1.0));
}

void ErrorBounds::backward_layer(const Pass& pass, std::size_t l)
{
    const Layer& layer = setting_.network.layers[l];
    const int threads = setting_.threads;
    const auto count = [](const Values& values) { return static_cast<double>(values.size()); };
    if (!layer.has_parameters()) {
        at_[l] = above_[l];
        if (l > 0) {
            // The gradients of a pool's outputs are spread over its inputs.
            const double spread = std::sqrt(count(pass.above[l]) / count(pass.above[l - 1]));
            above_[l - 1] = at_[l] * spread * (pass.factors[l].empty() ? 1.0 : 1.0 / (1.0 - layer.rate));
        }
        return;
    }
    // ReLU masks errors along with values.
    const double d = size_of(pass.at[l], threads).rms;
    at_[l] = above_[l] * std::min(1.0, over(d, size_of(pass.above[l], threads).rms));
    kernel_and_bias(pass, l);
    if (l == 0) {
        return;
    }
    const double w = size_of(weights_.at(layer.name + ".kernel"), threads).rms;
    const double fan = fan_out(layer);
    const double natural = std::max(size_of(pass.above[l - 1], threads).rms, std::sqrt(fan) * d * w);
    const double moved = optimizer_.optimizer().learning_rate * optimizer_.steps() * fan * d;
    above_[l - 1] = length(natural * over(at_[l], d), natural * over(weight_error(layer.name + ".kernel"), w),
                           natural * std::sqrt(fan) * kUnit, common_error() * std::min(moved, 2.0 * natural));
}

void ErrorBounds::kernel_and_bias(const Pass& pass, std::size_t l)
{
    const Layer& layer = setting_.network.layers[l];
    const double x = size_of(pass.input[l], setting_.threads).rms;
    const double d = size_of(pass.at[l], setting_.threads).rms;
    const double n = layer.kind == LayerKind::dense
                         ? static_cast<double>(pass.batch)
                         : static_cast<double>(pass.batch * layer.output[0] * layer.output[1]);
    const auto channels = static_cast<std::size_t>(layer.output.back());
    const Values out = column_rms(pass.at[l], channels);
    const auto follow = [&](const std::string& name, double input, double input_error, Values in) {
        const Size size = size_of(pass.gradients.at(name), setting_.threads);
        const double natural = std::max(size.rms, std::sqrt(n) * input * d);
        const double error = natural * length(input_error, over(at_[l], d), std::sqrt(n) * kUnit);
        gradients_[name] = limit_of(error, size, natural);
        GradientError elements{std::move(in), out, Values(channels), Values(channels)};
        for (double& rounding : elements.rounding) {
            rounding *= over(error, d);
        }
        errors_[name] = std::move(elements);
    };
    Values in = column_rms(pass.input[l], static_cast<std::size_t>(layer.input.back()));
    for (double& value : in) {
        value = over(value, x);
    }
    follow(layer.name + ".kernel", x, over(input_[l], x), std::move(in));
    follow(layer.name + ".bias", 1.0, 0.0, Values{1.0});
}

void ErrorBounds::step()
{
    const bool kept = setting_.variant.gradients_kept || setting_.variant.gradients_kept_from_check;
    for (auto& [name, error] : errors_) {
        if (kept) {
            multiply(error, optimizer_.steps() + 1);
        }
        const auto drift =
            drifts_.try_emplace(name, setting_.variant.adam, common_error(), setting_.threads).first;
        drift->second.step(error, optimizer_, name);
        drift->second.round_parameter(size_of(weights_.at(name), setting_.threads));
    }
}

std::map<std::string, Limit> ErrorBounds::parameters() const
{
    std::map<std::string, Limit> limits;
    for (const auto& [name, drift] : drifts_) {
        limits[name] = drift.limit(static_cast<double>(weights_.at(name).size()));
    }
    return limits;
}

}  // namespace lockstep::judge
