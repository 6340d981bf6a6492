// Which arm is fastest, or which ones cannot be told from the fastest.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace lockstep::judge {

struct Leaders {
    std::size_t best;                        // lowest time as far as the estimates go
    std::vector<std::size_t> not_separated;  // rising, `best` among them
    bool fastest;                            // only `best` is left and there was another to beat
    // Blocks that each pair must share before all intervals can hold together. Present when a pair shares
    // fewer: then `not_separated` says nothing, for such pairs cannot be told apart by any times.
    std::optional<std::size_t> blocks_needed;
};

// arms[i][b]: median step time of arm i in block b; absent or not above 0 is void, as in log_ratios.
// The best arm has the lowest mean, over the others, of the estimated log-ratios to them. An arm is
// separated from it when its interval against the best lies above 1, at the level at which all
// intervals between all pairs hold together; so choosing the best from the same data costs nothing,
// and "fastest" is wrong with a probability of at most 1-level.
// A twin of the baseline does not belong in the list. An arm that shares no block with another is left
// out. Absent when no arm is left, or not 0 < level < 1; a single arm is its own best.
std::optional<Leaders> leaders(std::span<const std::vector<std::optional<double>>> arms, double level);

}  // namespace lockstep::judge
