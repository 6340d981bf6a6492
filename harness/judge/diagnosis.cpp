// Two stages: what departs already in the forward and backward pass is looked for there, with one pass for
// each variant; only when all of that agrees is the optimizer suspected.
#include "harness/judge/diagnosis.hpp"

#include <algorithm>
#include <cmath>

#include "harness/judge/causes.hpp"
#include "harness/judge/inquiry.hpp"
#include "harness/judge/noise.hpp"
#include "harness/judge/replay.hpp"
#include "harness/reference/observe.hpp"
#include "harness/reference/pass.hpp"

namespace lockstep::judge {
namespace {

using record::ExactObservation;
using record::Observation;
using reference::Question;
using reference::Variant;

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

// Could this variant explain the logits? Costs a forward pass only.
bool logits_may_fit(const Inquiry& inquiry, const Variant& variant)
{
    const reference::Weights weights = reference::weights_of(inquiry.question());
    const reference::Pass pass = reference::forward({inquiry.question().network, variant, inquiry.threads()},
                                                    weights, reference::images_of(inquiry.question(), 0));
    const reference::Values logits = reference::shown_logits(variant, pass);
    const double limit =
        inquiry.plain().tolerances.logits.rms * std::sqrt(static_cast<double>(logits.size()));
    const double apart = distance(inquiry.seen().logits, logits);
    // Ten: the variant's own tolerance may be larger than the plain reference's.
    return apart <=
           std::max(10.0 * limit, 0.5 * distance(inquiry.seen().logits, inquiry.plain().exact.logits));
}

// The decay that explains most of the gradients' distance: (g_seen - g) . w / w . w
double fitted_decay(const Inquiry& inquiry)
{
    double along = 0.0;
    double own = 0.0;
    for (const auto& [name, weights] : inquiry.question().weights) {
        const std::vector<float>& seen = inquiry.seen().gradients.at(name);
        const std::vector<double>& exact = inquiry.plain().exact.gradients.at(name);
        for (std::size_t i = 0; i < weights.size(); ++i) {
            const double weight = static_cast<double>(weights[i]);
            along += (static_cast<double>(seen[i]) - exact[i]) * weight;
            own += weight * weight;
        }
    }
    return own > 0.0 ? along / own : 0.0;
}

Diagnosis diagnose_pass(Inquiry inquiry, bool logits_depart)
{
    std::vector<KnownCause> causes = causes_for(inquiry.question(), inquiry.plain().variant);
    for (const KnownCause& known : causes) {
        for (const Variant& variant : known.variants) {
            if (known.stage != Stage::pass || (logits_depart && !logits_may_fit(inquiry, variant))) {
                continue;
            }
            if (inquiry.try_out(known.cause, variant)) {
                return inquiry.finish();
            }
        }
    }
    Variant decay;
    decay.weight_decay = fitted_decay(inquiry);
    decay.decay_shown = true;
    if (!logits_depart && inquiry.try_out(decay_cause(), decay)) {
        return inquiry.finish();
    }
    inquiry.settle_for_the_nearest();
    for (const KnownCause& known : causes) {
        if (known.stage == Stage::noise && !inquiry.found()) {
            try_noise(inquiry, Stage::pass, known);
        }
    }
    return inquiry.finish();
}

struct Candidate {
    double distance;
    Cause cause;
    Variant variant;
};

// A worker may do right when it is asked for gradients and wrong when it trains. The first step's loss then
// tells which of the causes are worth a full run.
bool try_training_only(Inquiry& inquiry)
{
    if (inquiry.question().steps == 0) {
        return false;
    }
    const double seen = inquiry.seen().losses.front();
    const double limit = inquiry.plain().tolerances.losses.front();
    if (std::abs(seen - inquiry.plain().exact.losses.front()) <= limit) {
        return false;
    }
    Question pass = only_pass(inquiry.question());
    const std::vector<KnownCause> causes = causes_for(inquiry.question(), inquiry.plain().variant);
    for (const KnownCause& known : causes) {
        for (const Variant& variant : known.variants) {
            if (known.stage == Stage::pass &&
                std::abs(reference::observe(pass, variant, inquiry.threads()).loss - seen) <= 10.0 * limit &&
                inquiry.try_out(known.cause, variant)) {
                return true;
            }
        }
    }
    for (const KnownCause& known : causes) {
        if (known.stage == Stage::noise && !inquiry.found()) {
            try_noise(inquiry, Stage::steps, known);
        }
    }
    return inquiry.found();
}

Diagnosis diagnose_steps(Inquiry inquiry)
{
    const Replay replay(inquiry.question(), inquiry.plain().variant, inquiry.threads());
    std::vector<Candidate> candidates;  // the nearest variant of each cause; of decay both kinds
    for (const KnownCause& known : causes_for(inquiry.question(), inquiry.plain().variant)) {
        for (const Variant& variant : known.variants) {
            if (known.stage != Stage::steps) {
                continue;
            }
            const double apart = inquiry.nearness(replay.with(variant, inquiry.plain().exact));
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
        if (inquiry.try_out(candidate.cause, candidate.variant)) {
            return inquiry.finish();
        }
    }
    for (const Candidate& candidate : candidates) {
        if (candidate.variant.weight_decay > 0.0 &&
            inquiry.try_out(candidate.cause, with_fitted_decay(inquiry, replay, candidate.variant))) {
            return inquiry.finish();
        }
    }
    if (!try_training_only(inquiry)) {
        inquiry.settle_for_the_nearest();
    }
    return inquiry.finish();
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
