// A closed interval of numbers: what is still believed about a quantity.
#pragma once

namespace lockstep::stats {

// Requires low <= high. Both ends belong to the interval.
struct Interval {
    double low;
    double high;

    double half_width() const { return (high - low) / 2.0; }
    bool contains(double value) const { return low <= value && value <= high; }
    bool inside(const Interval& outer) const { return outer.low <= low && high <= outer.high; }
    friend bool operator==(const Interval&, const Interval&) = default;
};

}  // namespace lockstep::stats
