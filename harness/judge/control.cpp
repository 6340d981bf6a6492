// What a control allows.
#include "harness/judge/control.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "harness/stats/sign_test.hpp"

namespace lockstep::judge {
namespace {

bool claims_difference(Word word)
{
    switch (word) {
        case Word::faster:
        case Word::slower:
        case Word::faster_size_uncertain:
        case Word::slower_size_uncertain:
        case Word::different_within_margin:
            return true;
        default:
            return false;
    }
}

}  // namespace

TwinControl twin_control(const Contrast& twin, double margin)
{
    if (!twin.interval) {
        return {twin, false, std::numeric_limits<double>::infinity()};
    }
    const bool passed = twin.interval->contains(0.0) && std::abs(twin.estimate) <= std::log1p(margin);
    return {twin, passed, std::max(std::abs(twin.interval->low), std::abs(twin.interval->high))};
}

Verdict under_control(Verdict verdict, const Contrast& contrast, const TwinControl& control)
{
    const bool difference = claims_difference(verdict.word);
    if (!control.passed && (difference || verdict.word == Word::no_difference)) {
        verdict.word = Word::control_failed;
    } else if (difference && std::abs(contrast.estimate) < control.floor) {
        verdict.word = Word::below_control;
    }
    return verdict;
}

bool one_sided(std::size_t positive, std::size_t negative)
{
    return stats::sign_test(positive, negative, 0) < 0.001;
}

}  // namespace lockstep::judge
