// Means, since a sum of durations is wanted.
#include "harness/pipeline/forecast.hpp"

namespace lockstep::pipeline {

void Forecast::note(const Turn& turn, double seconds)
{
    for (Mean* mean : {&by_kind_[{turn.network, turn.arm}], &all_}) {
        mean->sum += seconds;
        ++mean->count;
    }
}

std::optional<double> Forecast::seconds_of(const Turn& turn) const
{
    if (const auto at = by_kind_.find({turn.network, turn.arm}); at != by_kind_.end()) {
        return at->second.value();
    }
    return all_.count > 0 ? std::optional(all_.value()) : std::nullopt;
}

std::optional<double> Forecast::seconds_left(const std::vector<Turn>& turns, std::size_t next) const
{
    if (all_.count == 0) {
        return {};
    }
    double sum = 0;
    for (std::size_t i = next; i < turns.size(); ++i) {
        sum += *seconds_of(turns[i]);
    }
    return sum;
}

}  // namespace lockstep::pipeline
