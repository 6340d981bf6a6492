// Trimming and Winsorising of one sorted copy.
#include "harness/stats/trimmed_mean.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numeric>
#include <vector>

#include "harness/stats/finite.hpp"

namespace lockstep::stats {
namespace {

std::size_t cut(std::size_t count, double share)
{
    // The nudge undoes rounding: 0.29 * 100 is 28.999... and means 29.
    return static_cast<std::size_t>(share * static_cast<double>(count) + 1e-9);
}

bool usable(std::span<const double> values, double share)
{
    return !values.empty() && all_finite(values) && share >= 0.0 && share < 0.5;
}

double mean(std::span<const double> values)
{
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

std::optional<double> trimmed_mean(std::span<const double> values, double share)
{
    if (!usable(values, share)) {
        return std::nullopt;
    }
    std::vector<double> sorted(values.begin(), values.end());
    std::sort(sorted.begin(), sorted.end());
    const std::size_t each = cut(sorted.size(), share);
    return mean(std::span(sorted).subspan(each, sorted.size() - 2 * each));
}

std::optional<Interval> trimmed_mean_interval(std::span<const double> values, double level, double share)
{
    if (!usable(values, share) || !is_level(level)) {
        return std::nullopt;
    }
    const std::size_t each = cut(values.size(), share);
    const std::size_t left = values.size() - 2 * each;
    if (left < 2) {
        return std::nullopt;
    }
    std::vector<double> winsorised(values.begin(), values.end());
    std::sort(winsorised.begin(), winsorised.end());
    const double centre = mean(std::span(winsorised).subspan(each, left));
    for (std::size_t i = 0; i < each; ++i) {
        winsorised[i] = winsorised[each];
        winsorised[winsorised.size() - 1 - i] = winsorised[winsorised.size() - 1 - each];
    }
    const double middle = mean(winsorised);
    double squares = 0.0;
    for (const double value : winsorised) {
        squares += (value - middle) * (value - middle);
    }
    const double count = static_cast<double>(values.size());
    const double deviation = std::sqrt(squares / (count - 1.0));
    const double error = deviation / ((1.0 - 2.0 * share) * std::sqrt(count));
    const boost::math::students_t t(static_cast<double>(left - 1));
    const double reach = boost::math::quantile(boost::math::complement(t, (1.0 - level) / 2.0)) * error;
    return Interval{centre - reach, centre + reach};
}

}  // namespace lockstep::stats
