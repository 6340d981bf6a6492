// The known ways to depart from the contract, each as variants of the reference.
#pragma once

#include <string>
#include <vector>

#include "harness/judge/diagnosis.hpp"
#include "harness/reference/question.hpp"
#include "harness/reference/variant.hpp"

namespace lockstep::judge {

enum class Stage {
    pass,   // shows in the forward and backward pass
    steps,  // shows only once the optimizer has moved
    noise,  // random or machine-dependent: known by its size, not by its values
};

struct KnownCause {
    Cause cause;
    Stage stage = Stage::pass;
    std::vector<reference::Variant> variants;  // any of them is this cause
};

// Those that can show for this question in a worker that declares to do as `declared`, most telling first.
// Weight decay stands with usual values only; the diagnosis also fits its value.
std::vector<KnownCause> causes_for(const reference::Question& question,
                                   const reference::Variant& declared = {});

// Weight decay's id and sentence.
const Cause& decay_cause();

}  // namespace lockstep::judge
