// How a worker that departs reads the parameters that it was handed, and writes those that it returns.
#pragma once

#include <span>
#include <vector>

#include "harness/reference/pass.hpp"

namespace lockstep::reference {

// The weights as the variant computes with them; empty when it takes them as they are.
Weights as_read(const protocol::Network& network, const Variant& variant, const Weights& weights);

// Puts gradients with respect to as_read()'s weights back in the order of the handed memory.
void write_back(const protocol::Network& network, const Variant& variant, Weights& gradients);

// The images as the variant reads them.
Values images_as_read(const protocol::Network& network, const Variant& variant,
                      std::span<const float> images);

// The labels as the variant reads them.
std::vector<std::int32_t> labels_as_read(const protocol::Network& network, const Variant& variant,
                                         std::span<const std::int32_t> labels);

// Rounded to nearest, ties to even, to so many fraction bits; 0 leaves the values alone.
void round_operands(int bits, Values& values);

}  // namespace lockstep::reference
