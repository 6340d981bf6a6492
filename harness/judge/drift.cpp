// Adam divides by each element's own gradients, so there every element is looked at.
#include "harness/judge/drift.hpp"

#include <algorithm>
#include <cmath>

#include "harness/reference/parallel.hpp"

namespace lockstep::judge {

using reference::AdamForm;
using reference::OptimizerState;

void multiply(GradientError& error, double factor)
{
    for (std::vector<double>* values : {&error.rounding, &error.turned, &error.turned_largest}) {
        for (double& value : *values) {
            value *= factor;
        }
    }
}

void Drift::step(const GradientError& error, const OptimizerState& optimizer, const std::string& name)
{
    gradients_.push_back(error);
    if (optimizer.optimizer().kind == "sgd") {
        momentum(optimizer.optimizer());
    } else {
        adam(optimizer, name);
    }
}

void Drift::round_parameter(const Size& parameter)
{
    moved_ += kUnit * parameter.rms;
    moved_largest_ += kUnit * parameter.largest;
}

Limit Drift::limit(double elements) const
{
    return {moved_ * (1.0 + kSpread / std::sqrt(elements)) + common_moved_,
            std::max(moved_largest_, kSpread * moved_) + common_largest_};
}

void Drift::momentum(const protocol::Optimizer& optimizer)
{
    // A gradient's error has gone into the parameter `weight` times after this step; of all forms, Nesterov's
    // moves furthest along one gradient.
    double weight = 1.0 + optimizer.momentum;
    for (auto error = gradients_.rbegin(); error != gradients_.rend(); ++error) {
        const double step = optimizer.learning_rate * weight;
        const Size in = size_of(error->in, 1);
        const Size rounding = size_of(error->rounding, 1);
        moved_ += step * (in.rms * rounding.rms + size_of(error->turned, 1).rms);
        moved_largest_ +=
            step * (kSpread * in.largest * rounding.largest + size_of(error->turned_largest, 1).largest);
        weight *= optimizer.momentum;
    }
}

Drift::Errors Drift::errors_of(std::size_t in, std::size_t out, const protocol::Optimizer& optimizer) const
{
    Errors errors;
    double age1 = 1.0 - optimizer.beta1;
    double age2 = 1.0 - optimizer.beta2;
    for (auto step = gradients_.rbegin(); step != gradients_.rend(); ++step) {
        const double size = step->in[in];
        if (size > 0.0) {
            const double usual = size * step->rounding[out] + step->turned[out];
            const double largest = kSpread * size * step->rounding[out] + step->turned_largest[out];
            errors.m += age1 * usual;
            errors.s += age2 * square(usual);
            errors.m_largest += age1 * largest;
            errors.s_largest += age2 * square(largest);
        }
        age1 *= optimizer.beta1;
        age2 *= optimizer.beta2;
    }
    errors.s = std::sqrt(errors.s);
    errors.s_largest = std::sqrt(errors.s_largest);
    return errors;
}

struct Drift::Part {
    double squares = 0.0;  // of the updates' errors
    double largest = 0.0;
    double update_squares = 0.0;  // of the updates
    double update_largest = 0.0;
};

void Drift::adam(const OptimizerState& optimizer, const std::string& name)
{
    const protocol::Optimizer& o = optimizer.optimizer();
    const double correction = std::sqrt(1.0 - std::pow(o.beta2, optimizer.steps()));
    const double scale =
        form_ == AdamForm::uncorrected ? 1.0 : correction / (1.0 - std::pow(o.beta1, optimizer.steps()));
    // The other forms as the epsilon that they have beside sqrt(v).
    const double epsilon = form_ == AdamForm::classic       ? o.epsilon * correction
                           : form_ == AdamForm::inside_root ? std::sqrt(o.epsilon) * correction
                                                            : o.epsilon;
    const double most = 2.0 * 1.02 / scale;
    const std::vector<double>& first = optimizer.first_moments().at(name);
    const std::vector<double>& second = optimizer.second_moments().at(name);
    const std::size_t outs = gradients_.back().rounding.size();
    const std::size_t ins = gradients_.back().in.size();

    constexpr std::size_t kBlock = 1U << 14U;
    std::vector<Part> parts((first.size() + kBlock - 1) / kBlock);
    reference::in_parallel(static_cast<std::int64_t>(parts.size()), threads_, [&](std::int64_t block) {
        Part& part = parts[static_cast<std::size_t>(block)];
        const std::size_t begin = static_cast<std::size_t>(block) * kBlock;
        for (std::size_t e = begin; e < std::min(begin + kBlock, first.size()); ++e) {
            const Errors errors = errors_of(e / outs % ins, e % outs, o);
            const double s = std::sqrt(second[e]);
            const double update = std::abs(first[e]) / (s + epsilon);
            const auto off = [&](double m, double ds) {
                return std::min(most, (m + update * ds) / (std::max(s - ds, 0.0) + epsilon));
            };
            part.squares += square(off(errors.m, errors.s));
            part.largest = std::max(part.largest, off(errors.m_largest, errors.s_largest));
            part.update_squares += square(update);
            part.update_largest = std::max(part.update_largest, update);
        }
    });
    Part all;
    for (const Part& part : parts) {
        all.squares += part.squares;
        all.largest = std::max(all.largest, part.largest);
        all.update_squares += part.update_squares;
        all.update_largest = std::max(all.update_largest, part.update_largest);
    }
    const double count = static_cast<double>(first.size());
    const double rate = o.learning_rate * scale;
    moved_ += rate * std::sqrt(all.squares / count);
    moved_largest_ += rate * all.largest;
    common_moved_ += common_ * rate * std::sqrt(all.update_squares / count);
    common_largest_ += common_ * rate * all.update_largest;
}

}  // namespace lockstep::judge
