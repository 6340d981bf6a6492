// Dropout scatters results by their own size, low precision by a part in a thousand, and nothing else known
// by anything between: in trials the logarithms below were under 0.6 for the right cause, over 3 for a wrong
// one.
#include "harness/judge/noise.hpp"

#include <algorithm>
#include <cmath>

#include "harness/reference/observe.hpp"

namespace lockstep::judge {
namespace {

using record::ExactObservation;
using reference::Variant;

// Departures that are noise are known by their size in every tensor: within these factors, as logarithms, of
// what the variant's own noise is.
constexpr double kNoiseMean = 0.8;
constexpr double kNoiseMost = 1.8;

// Noise has no values to fit, only a size in each tensor: the root mean square over some draws of it.
std::vector<double> sizes_of_noise(const Inquiry& inquiry, Stage stage, const KnownCause& known)
{
    const ExactObservation& plain = inquiry.plain().exact;
    const std::uint64_t draws = known.variants.front().dropout_seed ? 4 : 1;
    std::vector<double> squares;
    for (std::uint64_t draw = 1; draw <= draws; ++draw) {
        Variant variant = known.variants.front();
        if (variant.dropout_seed) {
            variant.dropout_seed = draw;
        }
        std::size_t tensor = 0;
        for_each_distance(stage, reference::observe(inquiry.question(), variant, inquiry.threads()), plain,
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

}  // namespace

void try_noise(Inquiry& inquiry, Stage stage, const KnownCause& known)
{
    const double nearness =
        inquiry.nearness(reference::observe(inquiry.question(), known.variants.front(), inquiry.threads()));
    inquiry.note(known.cause, {known.cause.id, nearness, false});
    inquiry.settle_for_the_nearest();
    if (inquiry.found()) {
        return;
    }
    const std::vector<double> sizes = sizes_of_noise(inquiry, stage, known);
    // Losses are a few numbers: their distances say little about their size.
    const std::size_t losses = stage == Stage::pass ? 1 : 0;
    double sum = 0.0;
    double most = 0.0;
    double count = 0.0;
    std::size_t next = 0;
    for_each_distance(stage, inquiry.seen(), inquiry.plain().exact, inquiry.plain().exact,
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
        inquiry.name(known.cause,
                     "The results are off by as much in each tensor as this departure makes them.");
    }
}

}  // namespace lockstep::judge
