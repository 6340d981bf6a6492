// How large a tensor's values are: all that the tolerances read off it.
#pragma once

#include <cstddef>
#include <vector>

namespace lockstep::judge {

struct Size {
    double rms = 0.0;  // root mean square
    double largest = 0.0;
    double count = 0.0;
};

Size size_of(const std::vector<double>& values, int threads);

// The rms of each column of a matrix with so many columns, row after row.
std::vector<double> column_rms(const std::vector<double>& values, std::size_t columns);

double square(double x);

// The root of the sum of squares.
double length(double a, double b, double c = 0.0, double d = 0.0);

// a / b, and 0 for b = 0.
double over(double a, double b);

}  // namespace lockstep::judge
