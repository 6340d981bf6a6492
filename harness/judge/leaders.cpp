// All pairs, the best by estimate, and who its intervals reach.
#include "harness/judge/leaders.hpp"

#include <algorithm>

#include "harness/judge/contrast.hpp"
#include "harness/stats/finite.hpp"
#include "harness/stats/sign_interval.hpp"
#include "harness/stats/simultaneous.hpp"

namespace lockstep::judge {
namespace {

using Arms = std::span<const std::vector<std::optional<double>>>;

std::optional<Contrast> between(Arms arms, std::size_t baseline, std::size_t arm, double level)
{
    return contrast_of(log_ratios(arms[baseline], arms[arm]), level);
}

// Mean log-ratio to the others; absent when it shares no block with any.
std::optional<double> standing(Arms arms, std::size_t arm, double level)
{
    double sum = 0.0;
    std::size_t count = 0;
    for (std::size_t other = 0; other < arms.size(); ++other) {
        if (other == arm && arms.size() > 1) {
            continue;
        }
        if (const std::optional<Contrast> contrast = between(arms, other, arm, level)) {
            sum += contrast->estimate;
            ++count;
        }
    }
    return count > 0 ? std::optional(sum / static_cast<double>(count)) : std::nullopt;
}

}  // namespace

std::optional<Leaders> leaders(Arms arms, double level)
{
    if (!stats::is_level(level)) {
        return std::nullopt;
    }
    const double each = stats::simultaneous_level(level, arms.size() * (arms.size() - 1) / 2);
    std::vector<std::optional<double>> standings;
    std::optional<std::size_t> best;
    for (std::size_t arm = 0; arm < arms.size(); ++arm) {
        standings.push_back(standing(arms, arm, each));
        if (standings[arm] && (!best || *standings[arm] < *standings[*best])) {
            best = arm;
        }
    }
    if (!best) {
        return std::nullopt;
    }
    Leaders found{*best, {}, false, {}};
    std::size_t rivals = 0;
    for (std::size_t arm = 0; arm < arms.size(); ++arm) {
        if (!standings[arm]) {
            continue;
        }
        rivals += arm != *best ? 1 : 0;
        const std::optional<Contrast> contrast = between(arms, *best, arm, each);
        const bool separated = contrast && contrast->interval && contrast->interval->low > 0.0;
        if (arm != *best && contrast && !contrast->interval) {
            found.blocks_needed = stats::least_count(each);
        }
        if (arm == *best || !separated) {
            found.not_separated.push_back(arm);
        }
    }
    found.fastest = found.not_separated.size() == 1 && rivals > 0;
    return found;
}

}  // namespace lockstep::judge
