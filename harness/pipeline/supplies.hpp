// What one run is handed as files: initial weights in the worker's layout and the batch order of each epoch.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "harness/base/error.hpp"
#include "protocol/job.hpp"

namespace lockstep::pipeline {

using Files = std::map<std::string, std::string>;

// Glorot weights of `seed`, a file a parameter. Found again when they are in `folder` already.
Result<Files> supply_weights(const protocol::Network& network, const protocol::Layouts& layouts,
                             std::uint64_t seed, const std::filesystem::path& folder);
// The same for weights that the caller has (canonical, by name).
Result<Files> supply_weights(const protocol::Network& network, const protocol::Layouts& layouts,
                             const std::map<std::string, std::vector<float>>& canonical,
                             const std::filesystem::path& folder);
// One file an epoch, whole batches only.
Result<std::vector<std::string>> supply_orders(std::span<const std::int64_t> part, std::int64_t batch,
                                               std::uint64_t seed, std::int64_t epochs,
                                               const std::filesystem::path& folder);
// A worker's tensor file as canonical values. Fails when its type or shape is not the worker's own.
Result<std::vector<float>> canonical_values(const protocol::Network& network, std::size_t parameter,
                                            const protocol::Layouts& layouts,
                                            const std::filesystem::path& file);

}  // namespace lockstep::pipeline
