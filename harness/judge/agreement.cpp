// Every tensor is looked at, also after the first that departs: the table is what a reader argues from.
#include "harness/judge/agreement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace lockstep::judge {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

double over_limit(double distance, double limit)
{
    if (distance == 0.0) {
        return 0.0;
    }
    return limit > 0.0 ? distance / limit : kInfinite;
}

// One unit in the last place of a float32 of this size.
double last_place(double value)
{
    return value > 0.0 ? std::exp2(std::floor(std::log2(value)) - 23.0) : std::exp2(-149.0);
}

Departure unusable(Departure departure, std::string note)
{
    departure.note = std::move(note);
    departure.absolute = departure.relative = departure.units = departure.excess = kInfinite;
    return departure;
}

template <class Seen>
Departure measure(Departure departure, const Seen& seen, const std::vector<double>& exact, const Limit& limit)
{
    departure.limit_rms = limit.rms;
    departure.limit_largest = limit.largest;
    if (seen.size() != exact.size()) {
        return unusable(std::move(departure),
                        fmt::format("has {} values where {} belong", seen.size(), exact.size()));
    }
    double squares = 0.0;
    double own_squares = 0.0;
    for (std::size_t i = 0; i < exact.size(); ++i) {
        const double distance = std::abs(static_cast<double>(seen[i]) - exact[i]);
        if (!std::isfinite(distance)) {
            return unusable(std::move(departure), "has values that are not finite");
        }
        squares += distance * distance;
        own_squares += exact[i] * exact[i];
        departure.absolute = std::max(departure.absolute, distance);
    }
    const double count = static_cast<double>(std::max<std::size_t>(1, exact.size()));
    const double rms = std::sqrt(squares / count);
    const double own = std::sqrt(own_squares / count);
    departure.relative = rms == 0.0 ? 0.0 : (own > 0.0 ? rms / own : kInfinite);
    departure.units = rms / last_place(own);
    departure.excess = std::max(over_limit(rms, limit.rms), over_limit(departure.absolute, limit.largest));
    return departure;
}

std::string layer_of(const std::string& parameter)
{
    return parameter.substr(0, parameter.rfind('.'));
}

// `order`: all parameters' names in forward order. `quantity`: a format with one name to fill in.
void measure_all(const std::map<std::string, std::vector<float>>& seen,
                 const std::map<std::string, std::vector<double>>& exact,
                 const std::map<std::string, Limit>& limits, const std::vector<std::string>& order, Part part,
                 const std::string& quantity, std::vector<Departure>& table)
{
    for (const std::string& parameter : order) {
        if (!exact.contains(parameter)) {
            continue;
        }
        Departure departure{.part = part,
                            .layer = layer_of(parameter),
                            .quantity = fmt::format(fmt::runtime(quantity), parameter)};
        const auto found = seen.find(parameter);
        table.push_back(found == seen.end() ? unusable(std::move(departure), "is missing")
                                            : measure(std::move(departure), found->second,
                                                      exact.at(parameter), limits.at(parameter)));
    }
}

Departure predictions(const record::Observation& observation, const Answer& answer)
{
    Departure departure{.part = Part::predictions, .quantity = "predictions"};
    const std::vector<std::int32_t>& exact = answer.exact.predictions;
    if (observation.predictions.size() != exact.size()) {
        return unusable(std::move(departure),
                        fmt::format("are {} where {} belong", observation.predictions.size(), exact.size()));
    }
    double wrong = 0.0;
    for (std::size_t i = 0; i < exact.size(); ++i) {
        wrong += answer.tolerances.decided[i] && observation.predictions[i] != exact[i] ? 1.0 : 0.0;
    }
    departure.absolute = wrong;
    departure.relative = exact.empty() ? 0.0 : wrong / static_cast<double>(exact.size());
    departure.excess = wrong > 0.0 ? kInfinite : 0.0;
    return departure;
}

Departure one_loss(Part part, std::string quantity, double seen, double exact, double limit)
{
    return measure({.part = part, .quantity = std::move(quantity)}, std::vector<double>{seen}, {exact},
                   {limit, limit});
}

}  // namespace

const Departure* Agreement::first() const
{
    const Departure* first = nullptr;
    for (const Departure& departure : table) {
        if (departure.departs() && (first == nullptr || departure.part < first->part)) {
            first = &departure;
        }
    }
    return first;
}

double Agreement::furthest_units() const
{
    double furthest = 0.0;
    for (const Departure& departure : table) {
        if (departure.part == Part::gradient || departure.part == Part::logits) {
            furthest = std::max(furthest, departure.units);
        }
    }
    return furthest;
}

Agreement compare(const record::Observation& observation, const reference::Question& question,
                  const Answer& answer)
{
    const record::ExactObservation& exact = answer.exact;
    const Tolerances& limits = answer.tolerances;
    std::vector<std::string> order;
    for (const protocol::Parameter& parameter : protocol::parameters_of(question.network)) {
        order.push_back(parameter.name);
    }
    Agreement result;
    std::vector<Departure>& table = result.table;
    table.push_back(
        measure({.part = Part::logits, .layer = question.network.layers.back().name, .quantity = "logits"},
                observation.logits, exact.logits, limits.logits));
    table.push_back(one_loss(Part::loss, "loss", observation.loss, exact.loss, limits.loss));
    measure_all(observation.gradients, exact.gradients, limits.gradients, order, Part::gradient,
                "gradient of {}", table);
    for (std::size_t step = 0; step < exact.losses.size(); ++step) {
        const double seen = step < observation.losses.size() ? observation.losses[step]
                                                             : std::numeric_limits<double>::quiet_NaN();
        table.push_back(one_loss(Part::step_loss, fmt::format("loss of step {}", step + 1), seen,
                                 exact.losses[step], limits.losses[step]));
    }
    measure_all(observation.parameters, exact.parameters, limits.parameters, order, Part::parameter,
                fmt::format("{{}} after {} steps", question.steps), table);
    if (!exact.predictions.empty()) {
        table.push_back(predictions(observation, answer));
    }
    result.agrees = result.first() == nullptr;
    return result;
}

std::string sentence(const Agreement& agreement)
{
    const Departure* first = agreement.first();
    if (first == nullptr) {
        return "All results agree with the reference within the rounding of float32.";
    }
    const std::string where =
        first->layer.empty() ? "" : fmt::format("Layer {} departs first: ", first->layer);
    if (!first->note.empty()) {
        return fmt::format("{}{} {}.", where, first->quantity, first->note);
    }
    if (first->part == Part::predictions) {
        return fmt::format("{} of the predictions differ.", first->absolute);
    }
    return fmt::format(
        "{}{} is off by up to {:.2e}, {:.1e} of its size, {:.3g} units in the last place; that is {:.3g} "
        "times what rounding allows.",
        where, first->quantity, first->absolute, first->relative, first->units, first->excess);
}

}  // namespace lockstep::judge
