// From windows to levels to a class.
#include "harness/stats/steady_state.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "harness/stats/change_points.hpp"
#include "harness/stats/finite.hpp"
#include "harness/stats/quantile.hpp"
#include "harness/stats/spread.hpp"

namespace lockstep::stats {
namespace {

constexpr std::size_t kLeastWindows = 4;
// Standard error of a median of n Gaussian values over sigma / sqrt(n): sqrt(pi / 2).
const double kMedianError = std::sqrt(std::numbers::pi / 2.0);

struct Level {
    std::size_t start;  // first window
    std::size_t end;    // past the last window
    double middle;
};

std::vector<double> logarithms(std::span<const double> durations)
{
    std::vector<double> logs;
    logs.reserve(durations.size());
    for (const double duration : durations) {
        logs.push_back(std::log(duration));
    }
    return logs;
}

bool positive(std::span<const double> durations)
{
    return all_finite(durations) &&
           std::all_of(durations.begin(), durations.end(), [](double value) { return value > 0.0; });
}

std::vector<double> window_medians(std::span<const double> logs, std::size_t window)
{
    std::vector<double> medians;
    for (std::size_t start = 0; start + window <= logs.size(); start += window) {
        medians.push_back(*median(logs.subspan(start, window)));
    }
    return medians;
}

double window_noise(std::span<const double> logs, std::span<const double> windows, std::size_t window)
{
    const double of_values = *noise_sigma(logs) * kMedianError / std::sqrt(static_cast<double>(window));
    return std::max({*noise_sigma(windows), of_values, kSameLevel / 10.0});
}

bool same(const Level& a, const Level& b)
{
    return std::abs(a.middle - b.middle) <= kSameLevel;
}

std::vector<Level> levels_of(std::span<const double> windows, double sigma)
{
    std::vector<std::size_t> bounds =
        change_points(windows, sigma, 15.0 * std::log(static_cast<double>(windows.size())));
    bounds.push_back(windows.size());
    std::vector<Level> levels;
    std::size_t start = 0;
    for (const std::size_t end : bounds) {
        levels.push_back({start, end, *median(windows.subspan(start, end - start))});
        start = end;
    }
    return levels;
}

void drop_bursts(std::vector<Level>& levels)
{
    for (std::size_t i = 1; i + 1 < levels.size();) {
        Level& before = levels[i - 1];
        if (levels[i].end - levels[i].start == 1 && same(before, levels[i + 1])) {
            before.end = levels[i + 1].end;
            levels.erase(levels.begin() + static_cast<std::ptrdiff_t>(i),
                         levels.begin() + static_cast<std::ptrdiff_t>(i) + 2);
        } else {
            ++i;
        }
    }
}

}  // namespace

std::optional<SteadyState> steady_state(std::span<const double> durations)
{
    const std::size_t window = std::max<std::size_t>(5, durations.size() / 20);
    if (durations.size() / window < kLeastWindows || !positive(durations)) {
        return std::nullopt;
    }
    const std::vector<double> logs = logarithms(durations);
    const std::vector<double> windows = window_medians(logs, window);
    std::vector<Level> levels = levels_of(windows, window_noise(logs, windows, window));
    drop_bursts(levels);

    std::size_t steady = levels.size() - 1;
    while (steady > 0 && same(levels[steady - 1], levels.back())) {
        --steady;
    }
    const std::size_t start = levels[steady].start;
    if (start == 0) {
        return SteadyState{SteadyKind::flat, 0};
    }
    if (2 * start > windows.size()) {
        return SteadyState{SteadyKind::none, 0};
    }
    const bool was_lower = std::any_of(levels.begin(), levels.end(), [&](const Level& level) {
        return level.middle < levels.back().middle - kSameLevel;
    });
    return SteadyState{was_lower ? SteadyKind::slowdown : SteadyKind::warm_up, (start + 1) * window};
}

std::optional<HalfShift> half_shift(std::span<const double> durations)
{
    if (durations.size() < 4 || !positive(durations)) {
        return std::nullopt;
    }
    const std::vector<double> logs = logarithms(durations);
    const std::span<const double> all(logs);
    const std::size_t half = logs.size() / 2;
    const double shift = *median(all.last(half)) - *median(all.first(half));
    const double error = kMedianError * *noise_sigma(all) * std::sqrt(2.0 / static_cast<double>(half));
    return HalfShift{shift, error};
}

}  // namespace lockstep::stats
