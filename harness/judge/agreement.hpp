// Does a worker compute what the contract says? Its observation beside the reference's answer, tensor by
// tensor, within the tolerances of float32.
#pragma once

#include <string>
#include <vector>

#include "harness/judge/exam.hpp"
#include "harness/record/observation.hpp"

namespace lockstep::judge {

// What was compared, in the order in which a departure is looked for: where gradients depart, their first
// layer in forward order tells more than the logits, in which all layers meet.
enum class Part { gradient, logits, loss, parameter, step_loss, predictions };

// How far one tensor is from the reference. Distances of tensors with wrong sizes, missing or with values
// that are not finite are infinite.
struct Departure {
    Part part = Part::logits;
    std::string layer{};     // "conv1"; the last layer for the logits; empty for losses and predictions
    std::string quantity{};  // "logits", "loss", "gradient of conv1.kernel", "loss of step 2",
                             // "conv1.kernel after 5 steps", "predictions"
    double absolute = 0.0;   // largest distance of an element (predictions: how many differ)
    double relative = 0.0;   // root mean square of the distances over that of the reference's values
    double units = 0.0;      // root mean square of the distances in float32's units in the last place at the
                             // root mean square of the reference's values
    double limit_rms = 0.0;  // the tolerance for the distances' root mean square, absolute
    double limit_largest = 0.0;  // and for the largest
    double excess = 0.0;         // the worse of distance over limit; above 1 the tensor departs
    std::string note{};          // why a distance is infinite: "is missing", "has 10 values where 20 belong"
    bool departs() const { return !(excess <= 1.0); }
};

struct Agreement {
    bool agrees = false;
    // Logits, loss, gradients in forward order, losses of the steps, parameters in forward order,
    // predictions.
    std::vector<Departure> table;
    // The first that departs, by part and then in forward order; null when all agree.
    const Departure* first() const;
    // The largest distance of logits and gradients in units in the last place: how far from float64.
    double furthest_units() const;
};

// `answer` is the reference's to `question`, which the worker answered with `observation`.
Agreement compare(const record::Observation& observation, const reference::Question& question,
                  const Answer& answer);

// One sentence on the first departure: layer, tensor, how far; or that all agree.
std::string sentence(const Agreement& agreement);

}  // namespace lockstep::judge
