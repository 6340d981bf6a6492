// The logarithm is taken of the sum of exponentials, never of a probability, so that no loss is infinite.
#include "harness/reference/loss.hpp"

#include <algorithm>
#include <cmath>

namespace lockstep::reference {
namespace {

double log_of_sum_of_exponentials(std::span<const double> row)
{
    const double largest = *std::max_element(row.begin(), row.end());
    double sum = 0.0;
    for (const double value : row) {
        sum += std::exp(value - largest);
    }
    return largest + std::log(sum);
}

// Sum over the batch; gradients with respect to the logits.
Loss cross_entropy(std::span<const double> logits, std::span<const std::int32_t> labels, std::size_t classes)
{
    Loss loss{0.0, softmax(logits, static_cast<std::int64_t>(classes))};
    for (std::size_t b = 0; b < labels.size(); ++b) {
        const std::size_t right = b * classes + static_cast<std::size_t>(labels[b]);
        loss.value += log_of_sum_of_exponentials(logits.subspan(b * classes, classes)) - logits[right];
        loss.logits_gradient[right] -= 1.0;
    }
    return loss;
}

Loss cross_entropy_of_probabilities(std::span<const double> logits, std::span<const std::int32_t> labels,
                                    std::size_t classes)
{
    const std::vector<double> first = softmax(logits, static_cast<std::int64_t>(classes));
    Loss loss = cross_entropy(first, labels, classes);
    for (std::size_t b = 0; b < labels.size(); ++b) {
        double along = 0.0;
        for (std::size_t i = b * classes; i < (b + 1) * classes; ++i) {
            along += first[i] * loss.logits_gradient[i];
        }
        for (std::size_t i = b * classes; i < (b + 1) * classes; ++i) {
            loss.logits_gradient[i] = first[i] * (loss.logits_gradient[i] - along);
        }
    }
    return loss;
}

Loss per_class(std::span<const double> logits, std::span<const std::int32_t> labels, std::size_t classes)
{
    Loss loss{0.0, std::vector<double>(logits.size())};
    for (std::size_t i = 0; i < logits.size(); ++i) {
        const double target = static_cast<std::size_t>(labels[i / classes]) == i % classes ? 1.0 : 0.0;
        const double x = logits[i];
        loss.value += std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))) - target * x;
        loss.logits_gradient[i] = 1.0 / (1.0 + std::exp(-x)) - target;
    }
    return loss;
}

}  // namespace

std::vector<double> softmax(std::span<const double> logits, std::int64_t classes)
{
    std::vector<double> result(logits.size());
    const auto width = static_cast<std::size_t>(classes);
    for (std::size_t row = 0; row < logits.size(); row += width) {
        const double scale = log_of_sum_of_exponentials(logits.subspan(row, width));
        for (std::size_t i = row; i < row + width; ++i) {
            result[i] = std::exp(logits[i] - scale);
        }
    }
    return result;
}

Loss loss_of(LossForm form, std::span<const double> logits, std::span<const std::int32_t> labels,
             std::int64_t classes)
{
    const auto width = static_cast<std::size_t>(classes);
    Loss loss;
    switch (form) {
        case LossForm::mean:
        case LossForm::sum:
        case LossForm::per_example:
            loss = cross_entropy(logits, labels, width);
            break;
        case LossForm::softmax_twice:
        case LossForm::softmax_twice_hidden:
            loss = cross_entropy_of_probabilities(logits, labels, width);
            break;
        case LossForm::per_class:
            loss = per_class(logits, labels, width);
            break;
    }
    const double mean = 1.0 / static_cast<double>(labels.size());
    if (form != LossForm::sum) {
        loss.value *= mean;
    }
    if (form != LossForm::sum && form != LossForm::per_example) {
        for (double& gradient : loss.logits_gradient) {
            gradient *= mean;
        }
    }
    return loss;
}

}  // namespace lockstep::reference
