// Runs the stages of a plan and updates the parameters.
#include "workers/onednn/engine.hpp"

#include <omp.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <stdexcept>

#include "workers/onednn/loss.hpp"
#include "workers/onednn/parallel.hpp"

namespace lockstep::onednn {

namespace {

double now()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::unique_ptr<Stage> make_stage(Workshop& shop, std::size_t number)
{
    const StagePlan& plan = shop.stage(number);
    switch (plan.kind) {
        case StageKind::input:
            return make_input(shop, number);
        case StageKind::convolution:
            switch (plan.method) {
                case Method::first_layer:
                    return make_first_layer(shop, number);
                case Method::winograd:
                    return make_winograd(shop, number);
                default:
                    return make_convolution(shop, number);
            }
        case StageKind::pool:
            return make_pool(shop, number);
        case StageKind::dense:
            return make_dense(shop, number);
        case StageKind::dropout:
            return make_dropout(shop, number);
    }
    throw std::logic_error("unknown stage");
}

int threads_really_used(int wanted)
{
    int used = 0;
#pragma omp parallel num_threads(wanted)
    {
#pragma omp single
        used = omp_get_num_threads();
    }
    return used;
}

// Calls visit(canonical index, stored index, length) for each row of a parameter.
template <class Visit>
void rows_of(const ParameterPlan& parameter, const Visit& visit)
{
    for (std::int64_t group = 0; group < parameter.groups; ++group) {
        for (std::int64_t row = 0; row < parameter.rows; ++row) {
            visit((group * parameter.rows + row) * parameter.columns,
                  parameter.offset +
                      (group * parameter.stored_rows() + row) * kernels::padded(parameter.columns),
                  parameter.columns);
        }
    }
}

}  // namespace

Engine::Engine(const protocol::Job& job, Preference preference)
    : job_(job),
      plan_(make_plan(job_, preference)),
      shop_{job_, plan_, arena_, library_, preference != Preference::direct, {}, {}, {}, {}}
{
    omp_set_num_threads(job_.threads);
    const std::int64_t floats = plan_.parameter_floats;
    shop_.parameters = arena_.request_floats(floats, Arena::kAlways);
    shop_.gradients = arena_.request_floats(floats, Arena::kAlways);
    first_moment_ = arena_.request_floats(floats, Arena::kAlways);
    if (job_.optimizer.kind == "adam") {
        second_moment_ = arena_.request_floats(floats, Arena::kAlways);
    } else if (job_.optimizer.kind != "sgd") {
        throw std::invalid_argument("the optimizer " + job_.optimizer.kind + " is unknown");
    }
    for (const TensorPlan& tensor : plan_.tensors) {
        const std::int64_t size = job_.batch * tensor.features();
        shop_.tensors.push_back(
            {arena_.request_floats(size, tensor.value), arena_.request_floats(size, tensor.gradient)});
    }
    losses_ = arena_.request(job_.batch * static_cast<std::int64_t>(sizeof(double)), Arena::kAlways);
    for (std::size_t i = 0; i < plan_.stages.size(); ++i) {
        stages_.push_back(make_stage(shop_, i));
    }
    arena_.allocate();
    for (const std::unique_ptr<Stage>& stage : stages_) {
        stage->bind();
    }
    shop_.facts["threads"] = std::to_string(threads_really_used(job_.threads));
    shop_.facts["memory_bytes"] = std::to_string(arena_.bytes());
}

Engine::~Engine() = default;

void Engine::set_parameter(std::size_t index, std::span<const float> values)
{
    const ParameterPlan& parameter = plan_.parameters[index];
    const std::int64_t size = parameter.groups * parameter.rows * parameter.columns;
    if (static_cast<std::int64_t>(values.size()) != size) {
        throw std::invalid_argument(parameter.canonical.name + " has " + std::to_string(size) +
                                    " values, but " + std::to_string(values.size()) + " were given");
    }
    float* stored = arena_.floats(shop_.parameters);
    rows_of(parameter, [&](std::int64_t from, std::int64_t to, std::int64_t length) {
        std::copy_n(values.data() + from, length, stored + to);
    });
}

namespace {

std::vector<float> unpacked(const ParameterPlan& parameter, const float* stored)
{
    std::vector<float> values(
        static_cast<std::size_t>(parameter.groups * parameter.rows * parameter.columns));
    rows_of(parameter, [&](std::int64_t to, std::int64_t from, std::int64_t length) {
        std::copy_n(stored + from, length, values.data() + to);
    });
    return values;
}

}  // namespace

std::vector<float> Engine::parameter_values(std::size_t index) const
{
    return unpacked(plan_.parameters[index], arena_.floats(shop_.parameters));
}

std::vector<float> Engine::gradient_values(std::size_t index) const
{
    return unpacked(plan_.parameters[index], arena_.floats(shop_.gradients));
}

void Engine::reset_optimizer()
{
    updates_ = 0;
    std::fill_n(arena_.floats(first_moment_), plan_.parameter_floats, 0.0f);
    if (second_moment_.exists()) {
        std::fill_n(arena_.floats(second_moment_), plan_.parameter_floats, 0.0f);
    }
}

void Engine::lap(std::size_t phase, double& since)
{
    if (profiling_) {
        const double moment = now();
        phases_[phase].seconds += moment - since;
        since = moment;
    }
}

void Engine::forward(const Pass& pass)
{
    double since = profiling_ ? now() : 0.0;
    for (std::size_t i = 0; i < stages_.size(); ++i) {
        stages_[i]->forward(pass);
        lap(i, since);
    }
}

void Engine::backward(const Pass& pass)
{
    double since = profiling_ ? now() : 0.0;
    for (std::size_t i = stages_.size(); i-- > 0;) {
        stages_[i]->backward(pass);
        lap(static_cast<std::size_t>(plan_.backward(i)), since);
    }
}

double Engine::loss(std::span<const std::int32_t> labels)
{
    const TensorSlots& logits = shop_.tensors.back();
    return softmax_cross_entropy(arena_.floats(logits.value), labels, job_.network.classes, job_.threads,
                                 static_cast<double*>(arena_.at(losses_)), arena_.floats(logits.gradient));
}

void Engine::take_logits(std::int64_t count, std::span<float> logits) const
{
    const float* values = arena_.floats(shop_.tensors.back().value);
    const std::int64_t classes = job_.network.classes;
    for (std::int64_t n = 0; n < count; ++n) {
        std::copy_n(values + n * kernels::padded(classes), classes, logits.data() + n * classes);
    }
}

double Engine::gradients(std::span<const float> images, std::span<const std::int32_t> labels,
                         std::span<float> logits)
{
    omp_set_num_threads(job_.threads);
    const Pass pass{job_.batch, images.data(), true, false, 0};
    forward(pass);
    take_logits(job_.batch, logits);
    const double mean = loss(labels);
    backward(pass);
    return mean;
}

float Engine::step(std::span<const float> images, std::span<const std::int32_t> labels)
{
    omp_set_num_threads(job_.threads);
    const Pass pass{job_.batch, images.data(), true, job_.dropout, steps_++};
    forward(pass);
    double since = profiling_ ? now() : 0.0;
    const double mean = loss(labels);
    lap(static_cast<std::size_t>(plan_.loss_moment()), since);
    backward(pass);
    since = profiling_ ? now() : 0.0;
    update();
    lap(phases_.empty() ? 0 : phases_.size() - 1, since);
    return static_cast<float>(mean);
}

void Engine::predict(std::span<const float> images, std::int64_t count, std::span<float> logits)
{
    omp_set_num_threads(job_.threads);
    forward({count, images.data(), false, false, 0});
    take_logits(count, logits);
}

void Engine::update()
{
    ++updates_;
    const protocol::Optimizer& rule = job_.optimizer;
    float* parameters = arena_.floats(shop_.parameters);
    const float* gradients = arena_.floats(shop_.gradients);
    float* first = arena_.floats(first_moment_);
    float* second = arena_.floats(second_moment_);
    const double t = static_cast<double>(updates_);
    const double correction = std::sqrt(1.0 - std::pow(rule.beta2, t)) / (1.0 - std::pow(rule.beta1, t));
    const kernels::Adam adam{static_cast<float>(rule.learning_rate * correction),
                             static_cast<float>(rule.beta1),
                             static_cast<float>(1.0 - rule.beta1),
                             static_cast<float>(rule.beta2),
                             static_cast<float>(1.0 - rule.beta2),
                             static_cast<float>(rule.epsilon)};
    const std::int64_t groups = plan_.parameter_floats / kernels::kGroup;
    in_shares(job_.threads, groups, [&](int, std::int64_t begin, std::int64_t end) {
        const std::int64_t from = begin * kernels::kGroup, count = (end - begin) * kernels::kGroup;
        if (second != nullptr) {
            kernels::adam(adam, parameters + from, gradients + from, first + from, second + from, count);
        } else {
            kernels::momentum(static_cast<float>(rule.learning_rate), static_cast<float>(rule.momentum),
                              parameters + from, gradients + from, first + from, count);
        }
    });
}

void Engine::profile()
{
    phases_.assign(2 * plan_.stages.size() + 2, {});
    const auto name = [&](std::size_t i) {
        return plan_.stages[i].kind == StageKind::input ? std::string("input") : plan_.stages[i].layer.name;
    };
    for (std::size_t i = 0; i < plan_.stages.size(); ++i) {
        phases_[i].name = name(i) + " forward";
        phases_[static_cast<std::size_t>(plan_.backward(i))].name = name(i) + " backward";
    }
    phases_[static_cast<std::size_t>(plan_.loss_moment())].name = "loss";
    phases_.back().name = "update";
    profiling_ = true;
}

}  // namespace lockstep::onednn
