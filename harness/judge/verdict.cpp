// The table of words, and its sentences.
#include "harness/judge/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/stats/planner.hpp"
#include "harness/stats/sign_interval.hpp"

namespace lockstep::judge {
namespace {

Word word_of(const stats::Interval& interval, double edge)
{
    const stats::Interval band{-edge, edge};
    if (interval.contains(0.0)) {
        return interval.inside(band) ? Word::no_difference : Word::inconclusive;
    }
    if (interval.inside(band)) {
        return Word::different_within_margin;
    }
    if (interval.low > 0.0) {
        return interval.low > edge ? Word::slower : Word::slower_size_uncertain;
    }
    return interval.high < -edge ? Word::faster : Word::faster_size_uncertain;
}

std::optional<std::size_t> blocks_to_settle(const Contrast& contrast, double edge)
{
    const double apart = std::abs(contrast.estimate);
    const double wanted = std::max(apart, edge - apart);
    const std::optional<std::size_t> planned =
        stats::blocks_for_half_width(contrast.sigma, wanted, contrast.level);
    const double shrink = *contrast.half_width() / wanted;
    const double scaled = std::ceil(static_cast<double>(contrast.blocks) * shrink * shrink);
    if (!planned || !(scaled <= 1e9)) {
        return std::nullopt;
    }
    return std::max({*planned, static_cast<std::size_t>(scaled), contrast.blocks + 1});
}

std::string percent(double share)
{
    return fmt::format("{:.3g} %", 100.0 * share);
}

std::string more_blocks(const Verdict& verdict)
{
    return verdict.blocks_needed ? fmt::format(", about {} would settle it", *verdict.blocks_needed)
                                 : std::string(", too wide for any number of blocks");
}

}  // namespace

Verdict verdict_of(const Contrast& contrast, double margin)
{
    const double edge = std::log1p(margin);
    Verdict verdict{.word = Word::too_few_blocks,
                    .margin = margin,
                    .blocks = contrast.blocks,
                    .half_width = contrast.half_width(),
                    .blocks_needed = std::nullopt};
    if (!contrast.interval) {
        verdict.blocks_needed = stats::least_count(contrast.level);
        return verdict;
    }
    verdict.word = word_of(*contrast.interval, edge);
    if (verdict.word == Word::inconclusive) {
        verdict.blocks_needed = blocks_to_settle(contrast, edge);
    }
    return verdict;
}

std::string_view name(Word word)
{
    switch (word) {
        case Word::faster:
            return "faster";
        case Word::slower:
            return "slower";
        case Word::faster_size_uncertain:
            return "faster, size uncertain";
        case Word::slower_size_uncertain:
            return "slower, size uncertain";
        case Word::different_within_margin:
            return "different but within the margin";
        case Word::no_difference:
            return "no difference beyond the margin";
        case Word::inconclusive:
            return "inconclusive";
        case Word::too_few_blocks:
            return "too few blocks";
        case Word::control_failed:
            return "control failed";
        case Word::below_control:
            return "below the control's bound";
    }
    return "unknown";
}

std::string text(const Verdict& verdict)
{
    switch (verdict.word) {
        case Word::different_within_margin:
            return fmt::format("different but within the margin of {}", percent(verdict.margin));
        case Word::no_difference:
            return fmt::format("no difference beyond {}", percent(verdict.margin));
        case Word::inconclusive:
            return fmt::format("inconclusive: +-{:.1f} % after {} blocks{}",
                               100.0 * verdict.half_width.value_or(0.0), verdict.blocks,
                               more_blocks(verdict));
        case Word::too_few_blocks:
            return fmt::format("too few blocks: {}, at least {} are needed", verdict.blocks,
                               verdict.blocks_needed.value_or(0));
        case Word::control_failed:
            return "control failed: the baseline's twin differs from the baseline";
        case Word::below_control:
            return "smaller than what the baseline's twin leaves open: not called";
        default:
            return std::string(name(verdict.word));
    }
}

}  // namespace lockstep::judge
