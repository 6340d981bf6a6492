// Noise for simulated experiments: what happens to a machine over time, six ways. A stream holds the
// disturbance of each run in the order in which the runs take place, as ln(time / quiet time).
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <numeric>
#include <vector>

#include "harness/base/random.hpp"

namespace lockstep::testing {

enum class Noise { gaussian, lognormal_tail, fast_mode, drift, autoregressive, bursts };

inline constexpr std::array kAllNoise{Noise::gaussian, Noise::lognormal_tail, Noise::fast_mode,
                                      Noise::drift,    Noise::autoregressive, Noise::bursts};

inline const char* name(Noise noise)
{
    constexpr std::array kNames{"gaussian", "log-normal tail", "15 % fast mode",
                                "drift",    "AR(1) 0.85",      "bursts"};
    return kNames[static_cast<std::size_t>(noise)];
}

// Box and Muller.
inline double gaussian(Random& random)
{
    const double radius = std::sqrt(-2.0 * std::log(1.0 - random.uniform()));
    return radius * std::cos(2.0 * std::numbers::pi * random.uniform());
}

inline std::vector<double> noise_stream(Noise noise, std::size_t count, Random& random, double scale = 0.035)
{
    std::vector<double> stream(count);
    double state = gaussian(random);
    bool burst = false;
    for (std::size_t i = 0; i < count; ++i) {
        const double white = scale * gaussian(random);
        switch (noise) {
            case Noise::gaussian:
                stream[i] = white;
                break;
            case Noise::lognormal_tail:
                stream[i] = scale * std::exp(gaussian(random));
                break;
            case Noise::fast_mode:
                stream[i] = white - (random.uniform() < 0.15 ? 0.357 : 0.0);
                break;
            case Noise::drift:
                stream[i] = white + 0.3 * static_cast<double>(i) / static_cast<double>(count);
                break;
            case Noise::autoregressive:
                stream[i] = 2.0 * scale * state;
                state = 0.85 * state + std::sqrt(1.0 - 0.85 * 0.85) * gaussian(random);
                break;
            case Noise::bursts:
                burst = random.uniform() < (burst ? 0.85 : 0.05);
                stream[i] = white + (burst ? 0.2 + 0.3 * random.uniform() : 0.0);
                break;
        }
    }
    return stream;
}

// times[arm][block], quiet time exp(effects[arm]): blocks of one run of each arm in random order.
inline std::vector<std::vector<double>> experiment(Noise noise, const std::vector<double>& effects,
                                                   std::size_t blocks, Random& random, double scale = 0.035)
{
    const std::size_t arms = effects.size();
    const std::vector<double> stream = noise_stream(noise, arms * blocks, random, scale);
    std::vector<std::vector<double>> times(arms, std::vector<double>(blocks));
    std::vector<std::size_t> order(arms);
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t block = 0; block < blocks; ++block) {
        shuffle(order, random);
        for (std::size_t place = 0; place < arms; ++place) {
            times[order[place]][block] = std::exp(effects[order[place]] + stream[block * arms + place]);
        }
    }
    return times;
}

// ln(arm 1 / arm 0), block by block.
inline std::vector<double> paired(const std::vector<std::vector<double>>& times)
{
    std::vector<double> ratios;
    for (std::size_t block = 0; block < times[0].size(); ++block) {
        ratios.push_back(std::log(times[1][block] / times[0][block]));
    }
    return ratios;
}

}  // namespace lockstep::testing
