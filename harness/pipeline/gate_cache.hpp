// What the check found before, so that an arm which nothing has changed is not asked again.
#pragma once

#include <filesystem>
#include <string>

#include "harness/launch/catalog.hpp"
#include "harness/pipeline/gate.hpp"
#include "harness/pipeline/workshop.hpp"

namespace lockstep::pipeline {

// One small file in the workshop's gate_cache for each arm that agreed. Departures are never kept.
class GateCache {
public:
    // The arguments must outlive the cache.
    GateCache(const record::Plan& plan, const Ground& ground, const Workshop& shop);

    // A digest of everything that the result depends on: the worker's files, those it shares with others, its
    // SDK, interpreter and install, the arm's settings, the network, the data, the seed, the processor.
    std::string key(std::size_t network, const record::Arm& arm, const launch::Manifest& manifest,
                    const launch::Readiness& ready) const;

    // True, with `result` filled, where that key was kept.
    bool recall(const std::string& key, GateResult& result) const;

    // Requires: the arm agreed. A cache that cannot be written costs the next campaign a check, nothing else.
    void keep(const std::string& key, const GateResult& result) const;

private:
    const record::Plan& plan_;
    const Ground& ground_;
    const Workshop& shop_;
};

}  // namespace lockstep::pipeline
