// The common ground of a campaign: the data, the networks and the part of the training set that every arm
// gets, staged once.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/base/error.hpp"
#include "harness/data/dataset.hpp"
#include "harness/pipeline/workshop.hpp"
#include "harness/record/plan.hpp"

namespace lockstep::pipeline {

struct Ground {
    data::Dataset dataset;
    std::vector<protocol::Network> networks;   // in the plan's order
    std::vector<std::int64_t> part;            // indices of the training images that are used, ascending
};

// Fails on missing or broken data, an unknown or unfit model, a part that cannot be drawn, or a batch that
// the part cannot fill.
Result<Ground> stage_ground(const record::Plan& plan, const Workshop& shop);

// Reads every byte of the data set once, so that no arm pays for the disk.
void warm_page_cache(const data::Dataset& dataset);

}  // namespace lockstep::pipeline
