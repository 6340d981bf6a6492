// Two stages: what departs already in the forward and backward pass is looked for there, with one pass for
// each variant; only when all of that agrees is the optimizer suspected.
#include "harness/judge/diagnosis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "harness/judge/causes.hpp"
#include "harness/reference/observe.hpp"
#include "harness/reference/optimizer.hpp"

namespace lockstep::judge {
namespace {

using record::ExactObservation;
using record::Observation;
using reference::Question;
using reference::Variant;

// A variant this much nearer than the plain reference is the cause, even where the worker adds rounding that
// the variant's tolerances do not know (low precision, a decay that was fitted).
constexpr double kFarNearer = 0.1;
// Departures that are noise are known by their size in every tensor: within these factors, as logarithms, of
// what the variant's own noise is.
constexpr double kNoiseMean = 0.5;
constexpr double kNoiseMost = 1.2;

template <class Real, class Other>
double distance(const std::vector<Real>& a, const std::vector<Other>& b)
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

// Calls visit(distance between a and b, distance between a and the plain reference) for logits, loss and
// gradients, or for the parameters and losses of the steps.
template <class Seen>
void for_each_distance(Stage stage, const Seen& a, const ExactObservation& b, const ExactObservation& plain,
                       const std::function<void(double, double)>& visit)
{
    const auto one = [&](const auto& of) { visit(distance(of(a), of(b)), distance(of(a), of(plain))); };
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

bool usable(const Agreement& agreement)
{
    return std::none_of(agreement.table.begin(), agreement.table.end(),
                        [](const Departure& d) { return !d.note.empty(); });
}

bool pass_departs(const Agreement& agreement)
{
    return std::any_of(agreement.table.begin(), agreement.table.end(),
                       [](const Departure& d) { return d.departs() && d.part <= Part::loss; });
}

Question only_pass(const Question& question)
{
    Question pass = question;
    pass.steps = 0;
    pass.images.resize(reference::images_of(question, 0).size());
    pass.labels.resize(static_cast<std::size_t>(question.batch));
    pass.prediction_images.clear();
    return pass;
}

class Search {
public:
    Search(const Observation& observation, const Question& question, const Answer& answer, Stage stage,
           int threads)
        : seen_(observation), question_(question), plain_(answer), stage_(stage), threads_(threads)
    {
    }

    // Mean over the tensors of nearness to the variant; those that both references fit do not count.
    double nearness(const ExactObservation& exact) const
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

    // Full comparison with one variant; true ends the search.
    bool try_out(const Cause& cause, const Variant& variant)
    {
        const Answer answer = judge::answer(question_, variant, threads_);
        Attempt attempt{cause.id, nearness(answer.exact), compare(seen_, question_, answer).agrees};
        note(cause, attempt);
        return attempt.agrees;
    }

    void note(const Cause& cause, const Attempt& attempt)
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

    void name(const Cause& cause, std::string grounds)
    {
        diagnosis_.cause = cause;
        diagnosis_.grounds = std::move(grounds);
    }

    void settle_for_the_nearest()
    {
        if (!diagnosis_.cause && nearest_ < kFarNearer) {
            name(nearest_cause_, fmt::format("The reference with this departure lies {:.0f} times nearer to "
                                             "the worker than without it.",
                                             1.0 / std::max(nearest_, 1e-6)));
        }
    }

    Diagnosis finish()
    {
        if (!diagnosis_.cause) {
            diagnosis_.grounds = fmt::format("None of {} known departures fits.", diagnosis_.attempts.size());
        }
        return std::move(diagnosis_);
    }

    const Observation& seen() const { return seen_; }
    const Question& question() const { return question_; }
    const Answer& plain() const { return plain_; }
    int threads() const { return threads_; }
    bool found() const { return diagnosis_.cause.has_value(); }

private:
    const Observation& seen_;
    const Question& question_;
    const Answer& plain_;
    Stage stage_;
    int threads_;
    Diagnosis diagnosis_;
    double nearest_ = 1.0;
    Cause nearest_cause_;
};

// Could this variant explain the logits? Costs a forward pass only.
bool logits_may_fit(const Search& search, const Variant& variant)
{
    const reference::Weights weights = reference::weights_of(search.question());
    const reference::Pass pass = reference::forward({search.question().network, variant, search.threads()},
                                                    weights, reference::images_of(search.question(), 0));
    const reference::Values logits = reference::shown_logits(variant, pass);
    const double limit = search.plain().tolerances.logits.rms * std::sqrt(static_cast<double>(logits.size()));
    const double apart = distance(search.seen().logits, logits);
    // Ten: the variant's own tolerance may be larger than the plain reference's.
    return apart <= std::max(10.0 * limit, 0.5 * distance(search.seen().logits, search.plain().exact.logits));
}

// The decay that explains most of the gradients' distance: (g_seen - g) . w / w . w
double fitted_decay(const Search& search)
{
    double along = 0.0;
    double own = 0.0;
    for (const auto& [name, weights] : search.question().weights) {
        const std::vector<float>& seen = search.seen().gradients.at(name);
        const std::vector<double>& exact = search.plain().exact.gradients.at(name);
        for (std::size_t i = 0; i < weights.size(); ++i) {
            const double weight = static_cast<double>(weights[i]);
            along += (static_cast<double>(seen[i]) - exact[i]) * weight;
            own += weight * weight;
        }
    }
    return own > 0.0 ? along / own : 0.0;
}

// Noise has no values to fit, only a size in each tensor: the root mean square over some draws of it.
std::vector<double> noise_sizes(const Search& search, Stage stage, const KnownCause& known)
{
    const ExactObservation& plain = search.plain().exact;
    const std::uint64_t draws = known.variants.front().dropout_seed ? 4 : 1;
    std::vector<double> squares;
    for (std::uint64_t draw = 1; draw <= draws; ++draw) {
        Variant variant = known.variants.front();
        if (variant.dropout_seed) {
            variant.dropout_seed = draw;
        }
        std::size_t tensor = 0;
        for_each_distance(stage, reference::observe(search.question(), variant, search.threads()), plain,
                          plain, [&](double apart, double) {
                              squares.resize(std::max(squares.size(), tensor + 1));
                              squares[tensor++] += apart * apart / static_cast<double>(draws);
                          });
    }
    for (double& square : squares) {
        square = std::sqrt(square);
    }
    return squares;
}

void try_noise(Search& search, Stage stage, const KnownCause& known)
{
    const double nearness =
        search.nearness(reference::observe(search.question(), known.variants.front(), search.threads()));
    if (nearness < kFarNearer) {
        search.note(known.cause, {known.cause.id, nearness, false});
        return;
    }
    const std::vector<double> sizes = noise_sizes(search, stage, known);
    // Losses are a few numbers: their distances say little about their size.
    const std::size_t losses = stage == Stage::pass ? 1 : 0;
    double sum = 0.0;
    double most = 0.0;
    double count = 0.0;
    std::size_t next = 0;
    for_each_distance(stage, search.seen(), search.plain().exact, search.plain().exact,
                      [&](double apart, double) {
                          const std::size_t tensor = next++;
                          if (tensor == losses || apart <= 0.0 || sizes[tensor] <= 0.0) {
                              return;
                          }
                          const double factor = std::abs(std::log(apart / sizes[tensor]));
                          sum += factor;
                          most = std::max(most, factor);
                          count += 1.0;
                      });
    if (count > 0.0 && sum / count < kNoiseMean && most < kNoiseMost) {
        search.name(known.cause,
                    "The results are off by as much in each tensor as this departure makes them.");
    }
    search.note(known.cause, {known.cause.id, nearness, false});
}

Diagnosis diagnose_pass(Search search, bool logits_depart)
{
    std::vector<KnownCause> causes = causes_for(search.question());
    for (const KnownCause& known : causes) {
        for (const Variant& variant : known.variants) {
            if (known.stage != Stage::pass || (logits_depart && !logits_may_fit(search, variant))) {
                continue;
            }
            if (search.try_out(known.cause, variant)) {
                return search.finish();
            }
        }
    }
    Variant decay;
    decay.weight_decay = fitted_decay(search);
    decay.decay_shown = true;
    if (!logits_depart && search.try_out(decay_cause(), decay)) {
        return search.finish();
    }
    search.settle_for_the_nearest();
    for (const KnownCause& known : causes) {
        if (known.stage == Stage::noise && !search.found()) {
            try_noise(search, Stage::pass, known);
        }
    }
    search.settle_for_the_nearest();
    return search.finish();
}

// The parameters after the steps when the gradients are those of the plain reference at each step: cheap, and
// near enough to rank the optimizer's forms.
class Replay {
public:
    Replay(const Question& question, int threads) : question_(question), threads_(threads)
    {
        const Variant plain;
        reference::Weights weights = reference::weights_of(question);
        reference::OptimizerState optimizer(question.optimizer, plain, threads);
        for (int step = 0; step < question.steps; ++step) {
            const reference::Setting setting{question.network, plain, threads};
            reference::Pass pass = reference::forward(setting, weights, reference::images_of(question, step));
            reference::backward(setting, weights, reference::labels_of(question, step), pass);
            optimizer.update(pass.gradients, weights);
            gradients_.push_back(std::move(pass.gradients));
        }
    }

    ExactObservation with(const Variant& variant, const ExactObservation& plain) const
    {
        ExactObservation result;
        result.losses = plain.losses;
        result.parameters = reference::weights_of(question_);
        reference::OptimizerState optimizer(question_.optimizer, variant, threads_);
        if (variant.gradients_kept_from_check) {
            optimizer.keep(gradients_.front());
        }
        for (const reference::Weights& gradients : gradients_) {
            optimizer.update(gradients, result.parameters);
        }
        return result;
    }

private:
    const Question& question_;
    int threads_;
    std::vector<reference::Weights> gradients_;
};

struct Candidate {
    double distance;
    Cause cause;
    Variant variant;
};

// The decay whose replay comes nearest, by golden section over its logarithm.
Variant fitted_decay_of_steps(const Search& search, const Replay& replay, Variant variant)
{
    constexpr double kGolden = 0.618033988749895;
    constexpr int kRounds = 24;  // narrows a factor of 100 to one of 1.00005
    const auto apart = [&](double logarithm) {
        variant.weight_decay = std::exp(logarithm);
        return search.nearness(replay.with(variant, search.plain().exact));
    };
    double low = std::log(variant.weight_decay / 10.0);
    double high = std::log(variant.weight_decay * 10.0);
    double left = high - kGolden * (high - low);
    double right = low + kGolden * (high - low);
    double at_left = apart(left);
    double at_right = apart(right);
    for (int round = 0; round < kRounds; ++round) {
        if (at_left < at_right) {
            high = right;
            right = left;
            at_right = at_left;
            left = high - kGolden * (high - low);
            at_left = apart(left);
        } else {
            low = left;
            left = right;
            at_left = at_right;
            right = low + kGolden * (high - low);
            at_right = apart(right);
        }
    }
    variant.weight_decay = std::exp((low + high) / 2.0);
    return variant;
}

// A worker may do right when it is asked for gradients and wrong when it trains. The first step's loss then
// tells which of the causes are worth a full run.
bool try_training_only(Search& search)
{
    const double seen = search.seen().losses.front();
    const double limit = search.plain().tolerances.losses.front();
    if (std::abs(seen - search.plain().exact.losses.front()) <= limit) {
        return false;
    }
    Question pass = only_pass(search.question());
    const std::vector<KnownCause> causes = causes_for(search.question());
    for (const KnownCause& known : causes) {
        for (const Variant& variant : known.variants) {
            if (known.stage == Stage::pass &&
                std::abs(reference::observe(pass, variant, search.threads()).loss - seen) <= 10.0 * limit &&
                search.try_out(known.cause, variant)) {
                return true;
            }
        }
    }
    for (const KnownCause& known : causes) {
        if (known.stage == Stage::noise && !search.found()) {
            try_noise(search, Stage::steps, known);
        }
    }
    return search.found();
}

Diagnosis diagnose_steps(Search search)
{
    const Replay replay(search.question(), search.threads());
    std::vector<Candidate> candidates;  // the nearest variant of each cause; of decay both kinds
    for (const KnownCause& known : causes_for(search.question())) {
        for (const Variant& variant : known.variants) {
            if (known.stage != Stage::steps) {
                continue;
            }
            const double apart = search.nearness(replay.with(variant, search.plain().exact));
            const auto same = std::find_if(candidates.begin(), candidates.end(), [&](const Candidate& c) {
                return c.cause.id == known.cause.id && c.variant.decay_decoupled == variant.decay_decoupled;
            });
            if (same == candidates.end()) {
                candidates.push_back({apart, known.cause, variant});
            } else if (apart < same->distance) {
                *same = {apart, known.cause, variant};
            }
        }
    }
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const Candidate& a, const Candidate& b) { return a.distance < b.distance; });
    for (const Candidate& candidate : candidates) {
        if (search.try_out(candidate.cause, candidate.variant)) {
            return search.finish();
        }
    }
    for (const Candidate& candidate : candidates) {
        if (candidate.variant.weight_decay > 0.0 &&
            search.try_out(candidate.cause, fitted_decay_of_steps(search, replay, candidate.variant))) {
            return search.finish();
        }
    }
    if (!try_training_only(search)) {
        search.settle_for_the_nearest();
    }
    return search.finish();
}

// Where the flattened image feeds a dense layer whose kernel came back with as many rows as pooling by ceil
// would give.
bool sizes_are_those_of_ceil(const Question& question, const Observation& observation)
{
    std::vector<std::int64_t> shape = question.network.input;
    bool flattened = false;
    for (const protocol::Layer& layer : question.network.layers) {
        if (layer.kind == protocol::LayerKind::dense && flattened) {
            const auto found = observation.gradients.find(layer.name + ".kernel");
            const std::int64_t rows = shape[0] * shape[1] * shape[2];
            return rows != layer.input.back() && found != observation.gradients.end() &&
                   static_cast<std::int64_t>(found->second.size()) == rows * layer.output.back();
        }
        if (layer.kind == protocol::LayerKind::convolution) {
            const bool valid = layer.padding == protocol::Padding::valid;
            shape = {shape[0] - (valid ? layer.kernel_height - 1 : 0),
                     shape[1] - (valid ? layer.kernel_width - 1 : 0), layer.output.back()};
        } else if (layer.kind == protocol::LayerKind::max_pool) {
            shape = {(shape[0] + layer.window - 1) / layer.window,
                     (shape[1] + layer.window - 1) / layer.window, shape[2]};
        }
        flattened = flattened || layer.kind == protocol::LayerKind::flatten;
    }
    return false;
}

}  // namespace

Diagnosis diagnose(const Observation& observation, const Question& question, const Answer& answer,
                   const Agreement& agreement, int threads)
{
    if (!usable(agreement)) {
        Diagnosis diagnosis{{}, sentence(agreement), {}};
        if (sizes_are_those_of_ceil(question, observation)) {
            diagnosis.cause = causes_for(question).front().cause;
        }
        return diagnosis;
    }
    if (!pass_departs(agreement)) {
        return diagnose_steps({observation, question, answer, Stage::steps, threads});
    }
    const Question pass = only_pass(question);
    const bool logits_depart =
        std::any_of(agreement.table.begin(), agreement.table.end(),
                    [](const Departure& d) { return d.departs() && d.part == Part::logits; });
    Observation seen = observation;
    seen.losses.clear();
    seen.parameters.clear();
    seen.predictions.clear();
    return diagnose_pass({seen, pass, answer, Stage::pass, threads}, logits_depart);
}

}  // namespace lockstep::judge
