// The optimizer's forms, cheaply: only the updates are computed anew.
#pragma once

#include <vector>

#include "harness/judge/inquiry.hpp"
#include "harness/record/observation.hpp"
#include "harness/reference/pass.hpp"
#include "harness/reference/question.hpp"
#include "harness/reference/variant.hpp"

namespace lockstep::judge {

// The parameters after the steps when the gradients are those of the plain reference at each step: cheap, and
// near enough to rank the optimizer's forms.
class Replay {
public:
    // The question must outlive this object. Runs the reference of `plain`, the variant that is expected,
    // through it once.
    Replay(const reference::Question& question, const reference::Variant& plain, int threads);

    // The parameters that a variant of the optimizer reaches; losses as in `plain`.
    record::ExactObservation with(const reference::Variant& variant,
                                  const record::ExactObservation& plain) const;

private:
    const reference::Question& question_;
    int threads_;
    std::vector<reference::Weights> gradients_;  // of each step
};

// `variant` with the weight decay, within a factor of ten, whose replay comes nearest to the worker.
reference::Variant with_fitted_decay(const Inquiry& inquiry, const Replay& replay,
                                     reference::Variant variant);

}  // namespace lockstep::judge
