// What the check found before, so that an arm which nothing has changed is not asked again.
#pragma once

#include <filesystem>
#include <string>

#include "harness/launch/catalog.hpp"
#include "harness/pipeline/gate.hpp"
#include "harness/pipeline/workshop.hpp"

namespace lockstep::pipeline {

// For each arm that agreed its result and its table of distances, in the workshop's gate_cache. Departures
// are never kept.
class GateCache {
public:
    // The arguments must outlive the cache.
    GateCache(const record::Plan& plan, const Ground& ground, const Workshop& shop);

    // A digest of everything that the result depends on: the worker's files, those it shares with others, its
    // SDK, interpreter and install, the arm's settings, the network, the data, the seed, the processor.
    std::string key(std::size_t network, const record::Arm& arm, const launch::Manifest& manifest,
                    const launch::Readiness& ready) const;

    // True, with `result` filled and the table written to `table`, where that key was kept.
    bool recall(const std::string& key, GateResult& result, const std::filesystem::path& table) const;

    // Requires: the arm agreed; `table` holds its table. A cache that cannot be written costs the next
    // campaign a check, nothing else.
    void keep(const std::string& key, const GateResult& result, const std::filesystem::path& table) const;

private:
    const record::Plan& plan_;
    const Ground& ground_;
    const Workshop& shop_;
};

}  // namespace lockstep::pipeline
