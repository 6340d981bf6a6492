// What may be said about one contrast, in fixed words.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "harness/judge/contrast.hpp"

namespace lockstep::judge {

// With margin E the band of "too small to matter" is [1/(1+E), 1+E], so that swapping the two arms
// swaps "faster" and "slower" and nothing else.
enum class Word {
    faster,                   // whole interval below the band
    slower,                   // whole interval above the band
    faster_size_uncertain,    // below 1, but reaches into the band
    slower_size_uncertain,    // above 1, but reaches into the band
    different_within_margin,  // without 1, wholly inside the band
    no_difference,            // with 1, wholly inside the band
    inconclusive,             // with 1, and beyond the band
    too_few_blocks,           // no interval of this level exists
    control_failed,           // the twin of the baseline came out different: nothing is claimed
    below_control,            // smaller than what the twin leaves open: not called
};

struct Verdict {
    Word word;
    double margin;                             // E: 0.03 for 3 %
    std::size_t blocks;                        // that went in
    std::optional<double> half_width;          // of the log-ratio's interval; absent without one
    std::optional<std::size_t> blocks_needed;  // in all, for an answer; with inconclusive and too_few_blocks
};

// The word of the contrast's interval. A value on an edge is not beyond it: an interval that touches 1
// contains it, one that touches the band's edge from inside is inside.
// Blocks needed when inconclusive: for the half-width at which an interval around this estimate
// excludes 1 or fits the band, from the planner and from the interval's own width (shrinking as one
// over the root of the blocks), whichever is more. Absent when that exceeds a billion.
// Requires margin > 0.
Verdict verdict_of(const Contrast& contrast, double margin);

// The bare word(s), for columns and files: "slower, size uncertain".
std::string_view name(Word word);

// The verdict as a reader sees it: "no difference beyond 3 %", "inconclusive: +-4.1 % after 24 blocks,
// about 80 would settle it". Never "not significant".
std::string text(const Verdict& verdict);

}  // namespace lockstep::judge
