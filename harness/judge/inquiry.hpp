// One diagnosis under way: what the worker showed, and which departures have been held against it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/judge/causes.hpp"
#include "harness/judge/diagnosis.hpp"
#include "harness/record/observation.hpp"
#include "harness/reference/question.hpp"
#include "harness/reference/variant.hpp"

namespace lockstep::judge {

// The root of the sum of squared differences; infinite for sizes that differ.
double distance(const std::vector<float>& a, const std::vector<double>& b);
double distance(const std::vector<double>& a, const std::vector<double>& b);

// For each tensor of a stage its distance from `plain` and from `other`: logits, loss and gradients of the
// pass; the losses and parameters of the steps.
using Visit = std::function<void(double from_other, double from_plain)>;
void for_each_distance(Stage stage, const record::Observation& seen, const record::ExactObservation& other,
                       const record::ExactObservation& plain, const Visit& visit);
void for_each_distance(Stage stage, const record::ExactObservation& seen,
                       const record::ExactObservation& other, const record::ExactObservation& plain,
                       const Visit& visit);

class Inquiry {
public:
    // Observation, question and answer must outlive this object.
    Inquiry(const record::Observation& observation, const reference::Question& question, const Answer& answer,
            Stage stage, int threads)
        : seen_(observation), question_(question), plain_(answer), stage_(stage), threads_(threads)
    {
    }

    // Mean over the tensors of the distance to `exact` over that to the plain reference.
    double nearness(const record::ExactObservation& exact) const;
    // Full comparison with one variant; true when it agrees, and then names it.
    bool try_out(const Cause& cause, const reference::Variant& variant);
    void note(const Cause& cause, const Attempt& attempt);
    void name(const Cause& cause, std::string grounds);
    // Names the nearest of what was noted, if it is far nearer than the plain reference.
    void settle_for_the_nearest();
    Diagnosis finish();

    const record::Observation& seen() const { return seen_; }
    const reference::Question& question() const { return question_; }
    const Answer& plain() const { return plain_; }
    int threads() const { return threads_; }
    bool found() const { return diagnosis_.cause.has_value(); }

private:
    const record::Observation& seen_;
    const reference::Question& question_;
    const Answer& plain_;
    Stage stage_;
    int threads_;
    Diagnosis diagnosis_;
    double nearest_ = 1.0;
    Cause nearest_cause_;
};

}  // namespace lockstep::judge
