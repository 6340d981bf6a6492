// Both ends from Boost's inverse incomplete beta.
#include "harness/stats/clopper_pearson.hpp"

#include <boost/math/distributions/binomial.hpp>

#include "harness/stats/finite.hpp"

namespace lockstep::stats {

std::optional<Interval> clopper_pearson(std::size_t successes, std::size_t trials, double level)
{
    if (trials == 0 || successes > trials || !is_level(level)) {
        return std::nullopt;
    }
    using boost::math::binomial;
    const double tail = (1.0 - level) / 2.0;
    const double count = static_cast<double>(trials);
    const double found = static_cast<double>(successes);
    return Interval{binomial::find_lower_bound_on_p(count, found, tail),
                    binomial::find_upper_bound_on_p(count, found, tail)};
}

}  // namespace lockstep::stats
