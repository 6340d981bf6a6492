// Binomial tail of the rarer sign.
#include "harness/stats/sign_test.hpp"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>

namespace lockstep::stats {

double sign_test(std::size_t positive, std::size_t negative, std::size_t ties)
{
    const std::size_t total = positive + negative + ties;
    const std::size_t rarer = std::min(std::min(positive, negative) + ties, total / 2);
    if (total == 0) {
        return 1.0;
    }
    const boost::math::binomial coins(static_cast<double>(total), 0.5);
    return std::min(1.0, 2.0 * boost::math::cdf(coins, static_cast<double>(rarer)));
}

double sign_test(std::span<const double> values)
{
    const auto count = [&](auto sign) {
        return static_cast<std::size_t>(std::count_if(values.begin(), values.end(), sign));
    };
    const std::size_t positive = count([](double value) { return value > 0.0; });
    const std::size_t negative = count([](double value) { return value < 0.0; });
    return sign_test(positive, negative, values.size() - positive - negative);
}

}  // namespace lockstep::stats
