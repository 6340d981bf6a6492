// Softmax cross-entropy on integer labels, and the forms in which workers get it wrong.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "harness/reference/variant.hpp"

namespace lockstep::reference {

struct Loss {
    double value = 0.0;
    std::vector<double> logits_gradient;  // batch x classes
};

// Requires: labels within 0..classes-1; logits.size() == labels.size() * classes.
Loss loss_of(LossForm form, std::span<const double> logits, std::span<const std::int32_t> labels,
             std::int64_t classes);

// exp(x - largest x) normalised, for each row of `classes`.
std::vector<double> softmax(std::span<const double> logits, std::int64_t classes);

}  // namespace lockstep::reference
