// The order of a worker's check: one pass for the gradients, a fresh start, the steps, the predictions.
#include "harness/reference/observe.hpp"

#include <algorithm>

#include "harness/reference/optimizer.hpp"
#include "harness/reference/pass.hpp"

namespace lockstep::reference {

std::vector<std::int32_t> largest_of_rows(const Values& logits, std::int64_t width)
{
    std::vector<std::int32_t> result;
    for (auto row = logits.begin(); row != logits.end(); row += width) {
        result.push_back(static_cast<std::int32_t>(std::max_element(row, row + width) - row));
    }
    return result;
}

record::ExactObservation observe(const Question& question, const Variant& variant, int threads)
{
    const Setting setting{question.network, variant, threads};
    Weights weights = weights_of(question);
    OptimizerState optimizer(question.optimizer, variant, threads);
    record::ExactObservation seen;
    for (int step = 0; step < std::max(1, question.steps); ++step) {
        Pass pass = forward(setting, weights, images_of(question, step));
        backward(setting, weights, labels_of(question, step), pass);
        if (step == 0) {
            seen.logits = shown_logits(variant, pass);
            seen.loss = pass.loss;
            seen.gradients = shown_gradients(variant, weights, pass);
            if (variant.gradients_kept_from_check) {
                optimizer.keep(pass.gradients);
            }
        }
        if (question.steps > 0) {
            seen.losses.push_back(pass.loss);
            optimizer.update(pass.gradients, weights);
        }
    }
    if (!question.prediction_images.empty()) {
        const Pass pass = forward(setting, weights, question.prediction_images);
        seen.predictions = largest_of_rows(pass.logits(), question.network.classes);
    }
    if (question.steps > 0) {
        seen.parameters = std::move(weights);
    }
    return seen;
}

}  // namespace lockstep::reference
