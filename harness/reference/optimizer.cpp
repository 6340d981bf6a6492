// Elements are independent, so they are updated in blocks on several threads.
#include "harness/reference/optimizer.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "harness/reference/parallel.hpp"

namespace lockstep::reference {
namespace {

struct Element {
    double weight;
    double gradient;
    double first;
    double second;
};

// What is the same for all elements of one step.
struct Step {
    const protocol::Optimizer& optimizer;
    const Variant& variant;
    int number;  // from 1
    double beta1;
    double correction1;  // 1 - beta1^number
    double correction2;
};

void adam(const Step& step, Element& e)
{
    const protocol::Optimizer& o = step.optimizer;
    e.first = step.beta1 * e.first + (1.0 - step.beta1) * e.gradient;
    e.second = o.beta2 * e.second + (1.0 - o.beta2) * e.gradient * e.gradient;
    double along = 0.0;
    switch (step.variant.adam) {
        case AdamForm::epsilon_hat:
        case AdamForm::no_momentum:
            along =
                std::sqrt(step.correction2) / step.correction1 * e.first / (std::sqrt(e.second) + o.epsilon);
            break;
        case AdamForm::classic:
            along = e.first / step.correction1 / (std::sqrt(e.second / step.correction2) + o.epsilon);
            break;
        case AdamForm::inside_root:
            along = e.first / step.correction1 / std::sqrt(e.second / step.correction2 + o.epsilon);
            break;
        case AdamForm::uncorrected:
            along = e.first / (std::sqrt(e.second) + o.epsilon);
            break;
    }
    e.weight -= o.learning_rate * along;
}

void momentum(const Step& step, Element& e)
{
    const protocol::Optimizer& o = step.optimizer;
    const MomentumForm form = step.variant.momentum;
    const bool dampened =
        form == MomentumForm::dampened_from_the_start || (form == MomentumForm::dampened && step.number > 1);
    const double kept = form == MomentumForm::none ? 0.0 : o.momentum;
    e.first = kept * e.first + (dampened ? 1.0 - o.momentum : 1.0) * e.gradient;
    const double along = form == MomentumForm::nesterov ? e.gradient + o.momentum * e.first : e.first;
    e.weight -= o.learning_rate * along;
}

void update_element(const Step& step, Element& e)
{
    const double decay = step.variant.weight_decay;
    if (step.variant.decay_decoupled) {
        e.weight -= step.optimizer.learning_rate * decay * e.weight;
    } else if (decay != 0.0) {
        e.gradient += decay * e.weight;
    }
    step.optimizer.kind == "sgd" ? momentum(step, e) : adam(step, e);
}

void add(const Weights& from, Weights& to)
{
    for (const auto& [name, values] : from) {
        Values& sum = to[name];
        sum.resize(values.size());
        for (std::size_t i = 0; i < values.size(); ++i) {
            sum[i] += values[i];
        }
    }
}

}  // namespace

OptimizerState::OptimizerState(protocol::Optimizer optimizer, Variant variant, int threads)
    : optimizer_(std::move(optimizer)), variant_(std::move(variant)), threads_(threads)
{
}

void OptimizerState::keep(const Weights& gradients)
{
    add(gradients, kept_);
}

void OptimizerState::update(const Weights& gradients, Weights& weights)
{
    const bool keeps = variant_.gradients_kept || variant_.gradients_kept_from_check;
    if (keeps) {
        keep(gradients);
    }
    ++steps_;
    const double beta1 = variant_.adam == AdamForm::no_momentum ? 0.0 : optimizer_.beta1;
    const Step step{optimizer_,
                    variant_,
                    steps_,
                    beta1,
                    1.0 - std::pow(beta1, steps_),
                    1.0 - std::pow(optimizer_.beta2, steps_)};
    const bool adams = optimizer_.kind != "sgd";
    for (auto& [name, weight] : weights) {
        const Values& gradient = keeps ? kept_.at(name) : gradients.at(name);
        Values& first = first_[name];
        Values& second = second_[name];
        first.resize(weight.size());
        second.resize(adams ? weight.size() : 0);
        if (!variant_.missing_bias.empty() && name == variant_.missing_bias + ".bias") {
            continue;
        }
        constexpr std::size_t kBlock = 1U << 14U;
        const auto blocks = static_cast<std::int64_t>((weight.size() + kBlock - 1) / kBlock);
        in_parallel(blocks, threads_, [&](std::int64_t block) {
            const std::size_t begin = static_cast<std::size_t>(block) * kBlock;
            for (std::size_t i = begin; i < std::min(begin + kBlock, weight.size()); ++i) {
                Element e{weight[i], gradient[i], first[i], adams ? second[i] : 0.0};
                update_element(step, e);
                weight[i] = e.weight;
                first[i] = e.first;
                if (adams) {
                    second[i] = e.second;
                }
            }
        });
    }
}

}  // namespace lockstep::reference
