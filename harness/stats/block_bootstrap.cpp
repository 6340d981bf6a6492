// Two-level resampling, with the inner level drawn once a run and then reused.
#include "harness/stats/block_bootstrap.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "harness/base/random.hpp"
#include "harness/stats/bca.hpp"
#include "harness/stats/finite.hpp"

namespace lockstep::stats {
namespace {

double mean(std::span<const double> values)
{
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

bool usable(std::span<const double> run)
{
    const bool negative = std::any_of(run.begin(), run.end(), [](double value) { return value < 0.0; });
    return !run.empty() && !negative && all_finite(run) && mean(run) > 0.0 && std::isfinite(mean(run));
}

// The means of one side: of each run as measured, and kResampledMeans of each run resampled.
struct Side {
    std::vector<double> means;
    std::vector<double> resampled;

    void add(std::span<const double> run, Random& random)
    {
        std::array<double, kResampledMeans> drawn{};
        for (double& value : drawn) {
            for (std::size_t i = 0; i < run.size(); ++i) {
                value += run[random.below(run.size())];
            }
            value /= static_cast<double>(run.size());
        }
        means.push_back(mean(run));
        const double shift = means.back() - mean(drawn);
        for (const double value : drawn) {
            resampled.push_back(value + shift);
        }
    }

    double draw(std::size_t block, Random& random) const
    {
        return resampled[block * kResampledMeans + random.below(kResampledMeans)];
    }
};

std::vector<double> without_one(const Side& first, const Side& second)
{
    const double first_sum = std::accumulate(first.means.begin(), first.means.end(), 0.0);
    const double second_sum = std::accumulate(second.means.begin(), second.means.end(), 0.0);
    std::vector<double> ratios;
    for (std::size_t i = 0; i < first.means.size(); ++i) {
        ratios.push_back((second_sum - second.means[i]) / (first_sum - first.means[i]));
    }
    return ratios;
}

}  // namespace

std::optional<RatioEstimate> bootstrap_ratio(std::span<const PairedRuns> blocks, double level,
                                             std::uint64_t seed)
{
    const bool all_usable = std::all_of(blocks.begin(), blocks.end(), [](const PairedRuns& block) {
        return usable(block.first) && usable(block.second);
    });
    if (blocks.size() < 2 || !all_usable) {
        return std::nullopt;
    }
    Random random(seed);
    Side first;
    Side second;
    for (const PairedRuns& block : blocks) {
        first.add(block.first, random);
        second.add(block.second, random);
    }
    std::vector<double> ratios;
    ratios.reserve(kResamples);
    for (std::size_t i = 0; i < kResamples; ++i) {
        double above = 0.0;
        double below = 0.0;
        for (std::size_t j = 0; j < blocks.size(); ++j) {
            const std::size_t block = random.below(blocks.size());
            below += first.draw(block, random);
            above += second.draw(block, random);
        }
        ratios.push_back(above / below);
    }
    const double ratio = mean(second.means) / mean(first.means);
    const std::optional<Interval> interval =
        bca_interval(ratio, std::move(ratios), without_one(first, second), level);
    return interval ? std::optional(RatioEstimate{ratio, *interval}) : std::nullopt;
}

}  // namespace lockstep::stats
