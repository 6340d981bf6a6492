// Two arms compared block by block: how much longer does one take than the other?
#pragma once

#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "harness/stats/interval.hpp"

namespace lockstep::judge {

// ln(arm / baseline) of each block in which both have a value; the other blocks are void for this
// pair. A value is the median step time of a run, in any unit, the same for both; one that is not
// finite and above 0 is void too. Blocks past the end of the shorter list are void.
std::vector<double> log_ratios(std::span<const std::optional<double>> baseline,
                               std::span<const std::optional<double>> arm);

// Everything is on the log scale, so that swapping the two arms only changes signs; 0 is "no
// difference", above 0 the arm takes longer.
struct Contrast {
    std::size_t blocks;
    double level;                             // of the interval, 0.95 for 95 %
    double estimate;                          // median
    std::optional<stats::Interval> interval;  // for the median; absent when there are too few blocks
    double hodges_lehmann;
    double trimmed_mean;  // 20 % cut from each end
    double sigma;         // robust, of one block's log-ratio
    double p;             // exact sign test
    bool shape;           // the three centres lie further apart than the half-width: look at the data

    double ratio() const { return std::exp(estimate); }
    std::optional<stats::Interval> ratio_interval() const;
    std::optional<double> half_width() const;
};

// Absent when the list is empty, holds a value that is not finite, or not 0 < level < 1.
std::optional<Contrast> contrast_of(std::span<const double> log_ratios, double level);

}  // namespace lockstep::judge
