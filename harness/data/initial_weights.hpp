// Weights made once from a seed for every framework, and the permutations between the canonical layout
// and the one that a worker wants.
//
// Canonical: convolution kernels HWIO, dense kernels in x out, flattened images in height, width,
// channel order (protocol/network.hpp). All functions take one parameter at a time, so that a network
// of 10^8 values never stands in memory as a whole unless the caller wants it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "harness/base/npy_file.hpp"
#include "protocol/job.hpp"
#include "protocol/network.hpp"

namespace lockstep::data {

// Kernels: Glorot uniform, on (-limit, limit) with limit = sqrt(6 / (fan_in + fan_out)), where a
// convolution's fans are its kernel area times its input or output channels (Glorot & Bengio, 2010).
// Biases: zero. Each parameter has a random stream of its own, so its values depend on the seed, its
// index and its shape alone. `index` counts in protocol::parameters_of(network).
std::vector<float> initial_values(const protocol::Network& network, std::size_t index, std::uint64_t seed);

// How one parameter lies in a worker's layout.
class ParameterLayout {
public:
    // Requires: index < parameters_of(network).size(), and layouts with values that protocol/job.hpp
    // names (the protocol's reader has checked them).
    ParameterLayout(const protocol::Network& network, std::size_t index, const protocol::Layouts& layouts);

    const Shape& canonical_shape() const { return canonical_; }
    const Shape& worker_shape() const { return worker_; }
    bool same() const { return same_; }  // true: the bytes are equal in both layouts

    // Require: both spans have elements_of(canonical_shape()) values and do not overlap.
    void to_worker(std::span<const float> canonical, std::span<float> worker) const;
    void from_worker(std::span<const float> worker, std::span<float> canonical) const;

private:
    void convolution(std::span<const float> from, std::span<float> to, bool towards_worker) const;
    void dense(std::span<const float> from, std::span<float> to, bool towards_worker) const;

    enum class Kind { bias, convolution, dense } kind_ = Kind::bias;
    Shape canonical_;
    Shape worker_;
    bool same_ = true;
    bool flipped_ = false;        // convolution: both spatial axes reversed
    bool transposed_ = false;     // convolution: OIHW; dense: out x in
    std::int64_t positions_ = 1;  // dense after a flatten: height x width of the image that was flattened
    std::int64_t channels_ = 0;   // dense after a flatten: its channels; all input features otherwise
};

}  // namespace lockstep::data
