// The common ground of a campaign: the data, the networks and the part of the training set that every arm
// gets, staged once.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "harness/base/error.hpp"
#include "harness/data/dataset.hpp"
#include "harness/pipeline/workshop.hpp"
#include "harness/record/plan.hpp"

namespace lockstep::pipeline {

// What predictions are asked of: the test set, or a stratified part of it.
struct TestPart {
    std::optional<std::filesystem::path> images;  // absent: there is nothing to predict
    std::optional<std::filesystem::path> labels;  // absent: accuracy is
    std::vector<std::int64_t> ids;                // of each image: its place in the whole test set, from 1
    std::int64_t count() const { return static_cast<std::int64_t>(ids.size()); }
};

struct Ground {
    data::Dataset dataset;
    TestPart test;
    std::vector<protocol::Network> networks;  // in the plan's order
    std::vector<std::int64_t> part;           // indices of the training images that are used, ascending
};

// Fails on missing or broken data, an unknown or unfit model, a part that cannot be drawn, or a batch that
// the part cannot fill.
Result<Ground> stage_ground(const record::Plan& plan, const Workshop& shop);

// Reads every byte that a run will once, so that no arm pays for the disk.
void warm_page_cache(const Ground& ground);

}  // namespace lockstep::pipeline
