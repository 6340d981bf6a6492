// Sums run in blocks of a fixed length, so that they are the same for any number of threads.
#include "harness/judge/size.hpp"

#include <algorithm>
#include <cmath>

#include "harness/reference/parallel.hpp"

namespace lockstep::judge {

double square(double x)
{
    return x * x;
}

double length(double a, double b, double c, double d)
{
    return std::sqrt(a * a + b * b + c * c + d * d);
}

double over(double a, double b)
{
    return b > 0.0 ? a / b : 0.0;
}

Size size_of(const std::vector<double>& values, int threads)
{
    constexpr std::size_t kBlock = 1U << 16U;
    const std::size_t blocks = (values.size() + kBlock - 1) / kBlock;
    std::vector<Size> parts(blocks);
    reference::in_parallel(static_cast<std::int64_t>(blocks), threads, [&](std::int64_t block) {
        Size& part = parts[static_cast<std::size_t>(block)];
        const std::size_t first = static_cast<std::size_t>(block) * kBlock;
        for (std::size_t i = first; i < std::min(first + kBlock, values.size()); ++i) {
            part.rms += values[i] * values[i];
            part.largest = std::max(part.largest, std::abs(values[i]));
        }
    });
    Size all;
    for (const Size& part : parts) {
        all.rms += part.rms;
        all.largest = std::max(all.largest, part.largest);
    }
    all.count = static_cast<double>(values.size());
    all.rms = std::sqrt(over(all.rms, all.count));
    return all;
}

std::vector<double> column_rms(const std::vector<double>& values, std::size_t columns)
{
    std::vector<double> rms(columns);
    std::size_t column = 0;
    for (const double value : values) {
        rms[column] += value * value;
        column = column + 1 == columns ? 0 : column + 1;
    }
    for (double& value : rms) {
        value = std::sqrt(value * static_cast<double>(columns) / static_cast<double>(values.size()));
    }
    return rms;
}

}  // namespace lockstep::judge
