// Dropout scatters results by their own size, low precision by a part in a thousand, and nothing else known
// by anything between: in trials the logarithms below were under 0.6 for the right cause, over 3 for a wrong
// one.
#include "harness/judge/noise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/reference/observe.hpp"

namespace lockstep::judge {
namespace {

using record::ExactObservation;
using reference::Variant;

// Departures that are noise are known by their size in every tensor: within these factors, as logarithms, of
// what the variant's own noise is, beyond what its draws differ among each other.
constexpr double kNoiseMean = 0.8;
constexpr double kNoiseMost = 1.8;

// A worker of low precision may round its outputs too, and where that turns a unit some tensors are far off.
// In 36 trials the right precision came to 0.09..0.63 and a wrong one to 0.68 and more; what lies above the
// bound is left to the sizes.
constexpr double kNearInPrecision = 0.5;

// Noise has no values to fit, only a size in each tensor.
struct NoiseSize {
    double size = 0.0;    // root mean square over some draws
    double spread = 0.0;  // largest factor, as a logarithm, between a draw and that: much for a small bias,
                          // which Adam moves one way or the other, little for a kernel
};

std::vector<NoiseSize> sizes_of_noise(const Inquiry& inquiry, Stage stage, const KnownCause& known)
{
    const ExactObservation& plain = inquiry.plain().exact;
    const std::uint64_t draws = known.variants.front().dropout_seed ? 6 : 1;
    std::vector<std::vector<double>> found;  // of each tensor
    for (std::uint64_t draw = 1; draw <= draws; ++draw) {
        Variant variant = known.variants.front();
        if (variant.dropout_seed) {
            variant.dropout_seed = draw;
        }
        std::size_t tensor = 0;
        for_each_distance(stage, reference::observe(inquiry.question(), variant, inquiry.threads()), plain,
                          plain, [&](double apart, double) {
                              found.resize(std::max(found.size(), tensor + 1));
                              found[tensor++].push_back(apart);
                          });
    }
    std::vector<NoiseSize> sizes;
    for (const std::vector<double>& tensor : found) {
        NoiseSize one;
        for (const double apart : tensor) {
            one.size += apart * apart / static_cast<double>(draws);
        }
        one.size = std::sqrt(one.size);
        for (const double apart : tensor) {
            one.spread = std::max(one.spread, apart > 0.0 ? std::abs(std::log(apart / one.size)) : 0.0);
        }
        sizes.push_back(one);
    }
    return sizes;
}

}  // namespace

void try_noise(Inquiry& inquiry, Stage stage, const KnownCause& known)
{
    const double nearness =
        inquiry.nearness(reference::observe(inquiry.question(), known.variants.front(), inquiry.threads()));
    inquiry.note(known.cause, {known.cause.id, nearness, false});
    inquiry.settle_for_the_nearest();
    if (!inquiry.found() && !known.variants.front().dropout_seed && nearness < kNearInPrecision) {
        inquiry.name(known.cause, fmt::format("The reference with this departure lies {:.1f} times nearer to "
                                              "the worker than without it.",
                                              1.0 / nearness));
    }
    if (inquiry.found()) {
        return;
    }
    const std::vector<NoiseSize> sizes = sizes_of_noise(inquiry, stage, known);
    // Losses are a few numbers: their distances say little about their size.
    const std::size_t losses = stage == Stage::pass ? 1 : 0;
    double sum = 0.0;
    double most = 0.0;
    double count = 0.0;
    std::size_t next = 0;
    for_each_distance(
        stage, inquiry.seen(), inquiry.plain().exact, inquiry.plain().exact, [&](double apart, double) {
            const std::size_t tensor = next++;
            if (tensor == losses || apart <= 0.0 || sizes[tensor].size <= 0.0) {
                return;
            }
            const double factor =
                std::max(0.0, std::abs(std::log(apart / sizes[tensor].size)) - sizes[tensor].spread);
            sum += factor;
            most = std::max(most, factor);
            count += 1.0;
        });
    if (count > 0.0 && sum / count < kNoiseMean && most < kNoiseMost) {
        inquiry.name(known.cause,
                     "The results are off by as much in each tensor as this departure makes them.");
    }
}

}  // namespace lockstep::judge
