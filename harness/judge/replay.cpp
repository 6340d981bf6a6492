// Gradients change little over a few small steps, so those of the plain reference serve all forms.
#include "harness/judge/replay.hpp"

#include <cmath>

#include "harness/reference/optimizer.hpp"

namespace lockstep::judge {

using record::ExactObservation;
using reference::Variant;

Replay::Replay(const reference::Question& question, const Variant& plain, int threads)
    : question_(question), threads_(threads)
{
    reference::Weights weights = reference::weights_of(question);
    reference::OptimizerState optimizer(question.optimizer, plain, threads);
    for (int step = 0; step < question.steps; ++step) {
        const reference::Setting setting{question.network, plain, threads};
        reference::Pass pass = reference::forward(setting, weights, reference::images_of(question, step));
        reference::backward(setting, weights, reference::labels_of(question, step), pass);
        optimizer.update(pass.gradients, weights);
        gradients_.push_back(std::move(pass.gradients));
    }
}

ExactObservation Replay::with(const Variant& variant, const ExactObservation& plain) const
{
    ExactObservation result;
    result.losses = plain.losses;
    result.parameters = reference::weights_of(question_);
    reference::OptimizerState optimizer(question_.optimizer, variant, threads_);
    if (variant.gradients_kept_from_check) {
        optimizer.keep(gradients_.front());
    }
    for (const reference::Weights& gradients : gradients_) {
        optimizer.update(gradients, result.parameters);
    }
    return result;
}

// Golden section over the logarithm.
Variant with_fitted_decay(const Inquiry& inquiry, const Replay& replay, Variant variant)
{
    constexpr double kGolden = 0.618033988749895;
    constexpr int kRounds = 24;  // narrows a factor of 100 to one of 1.00005
    const auto apart = [&](double logarithm) {
        variant.weight_decay = std::exp(logarithm);
        return inquiry.nearness(replay.with(variant, inquiry.plain().exact));
    };
    double low = std::log(variant.weight_decay / 10.0);
    double high = std::log(variant.weight_decay * 10.0);
    double left = high - kGolden * (high - low);
    double right = low + kGolden * (high - low);
    double at_left = apart(left);
    double at_right = apart(right);
    for (int round = 0; round < kRounds; ++round) {
        if (at_left < at_right) {
            high = right;
            right = left;
            at_right = at_left;
            left = high - kGolden * (high - low);
            at_left = apart(left);
        } else {
            low = left;
            left = right;
            at_left = at_right;
            right = low + kGolden * (high - low);
            at_right = apart(right);
        }
    }
    variant.weight_decay = std::exp((low + high) / 2.0);
    return variant;
}

}  // namespace lockstep::judge
