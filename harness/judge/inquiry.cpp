// Distances are compared tensor by tensor, so that a large kernel does not outshout a small bias.
#include "harness/judge/inquiry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace lockstep::judge {
namespace {

using record::ExactObservation;
using record::Observation;
using reference::Variant;

// A variant this much nearer than the plain reference is the cause, even where the worker adds rounding that
// the variant's tolerances do not know (low precision, a decay that was fitted).
constexpr double kFarNearer = 0.1;

template <class Real, class Other>
double distance_of(const std::vector<Real>& a, const std::vector<Other>& b)
{
    if (a.size() != b.size()) {
        return std::numeric_limits<double>::infinity();
    }
    double squares = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double apart = static_cast<double>(a[i]) - static_cast<double>(b[i]);
        squares += apart * apart;
    }
    return std::sqrt(squares);
}

template <class Seen>
void visit_distances(Stage stage, const Seen& a, const ExactObservation& b, const ExactObservation& plain,
                     const Visit& visit)
{
    const auto one = [&](const auto& of) { visit(distance_of(of(a), of(b)), distance_of(of(a), of(plain))); };
    if (stage == Stage::steps) {
        one([](const auto& o) -> const auto& { return o.losses; });
        for (const auto& entry : plain.parameters) {
            one([&](const auto& o) -> const auto& { return o.parameters.at(entry.first); });
        }
        return;
    }
    one([](const auto& o) -> const auto& { return o.logits; });
    one([](const auto& o) { return std::vector<double>{o.loss}; });
    for (const auto& entry : plain.gradients) {
        one([&](const auto& o) -> const auto& { return o.gradients.at(entry.first); });
    }
}

}  // namespace

double distance(const std::vector<float>& a, const std::vector<double>& b)
{
    return distance_of(a, b);
}

double distance(const std::vector<double>& a, const std::vector<double>& b)
{
    return distance_of(a, b);
}

void for_each_distance(Stage stage, const Observation& seen, const ExactObservation& other,
                       const ExactObservation& plain, const Visit& visit)
{
    visit_distances(stage, seen, other, plain, visit);
}

void for_each_distance(Stage stage, const ExactObservation& seen, const ExactObservation& other,
                       const ExactObservation& plain, const Visit& visit)
{
    visit_distances(stage, seen, other, plain, visit);
}

double Inquiry::nearness(const ExactObservation& exact) const
{
    double sum = 0.0;
    double count = 0.0;
    for_each_distance(stage_, seen_, exact, plain_.exact, [&](double apart, double from_plain) {
        const double most = std::max(apart, from_plain);
        if (most > 0.0 && std::isfinite(most)) {
            sum += std::min(10.0, from_plain > 0.0 ? apart / from_plain : 10.0);
            count += 1.0;
        }
    });
    return count > 0.0 ? sum / count : 1.0;
}

bool Inquiry::try_out(const Cause& cause, const Variant& variant)
{
    const Answer answer = judge::answer(question_, variant, threads_);
    Attempt attempt{cause.id, nearness(answer.exact), compare(seen_, question_, answer).agrees};
    note(cause, attempt);
    return attempt.agrees;
}

void Inquiry::note(const Cause& cause, const Attempt& attempt)
{
    diagnosis_.attempts.push_back(attempt);
    if (attempt.agrees || attempt.distance < nearest_) {
        nearest_ = attempt.agrees ? 0.0 : attempt.distance;
        nearest_cause_ = cause;
    }
    if (attempt.agrees) {
        diagnosis_.cause = cause;
        diagnosis_.grounds =
            "The reference with this departure agrees with the worker within float32's rounding.";
    }
}

void Inquiry::name(const Cause& cause, std::string grounds)
{
    diagnosis_.cause = cause;
    diagnosis_.grounds = std::move(grounds);
}

void Inquiry::settle_for_the_nearest()
{
    if (!diagnosis_.cause && nearest_ < kFarNearer) {
        name(nearest_cause_, fmt::format("The reference with this departure lies {:.0f} times nearer to "
                                         "the worker than without it.",
                                         1.0 / std::max(nearest_, 1e-6)));
    }
}

Diagnosis Inquiry::finish()
{
    if (!diagnosis_.cause) {
        diagnosis_.grounds = fmt::format("None of {} known departures fits.", diagnosis_.attempts.size());
    }
    return std::move(diagnosis_);
}

}  // namespace lockstep::judge
