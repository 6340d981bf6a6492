// What a campaign works with on this machine: where workers, models and caches lie, and the user's wish to
// stop. Holds nothing of any one campaign.
#pragma once

#include <filesystem>
#include <vector>

#include "harness/launch/catalog.hpp"
#include "harness/launch/interrupt.hpp"
#include "harness/launch/places.hpp"
#include "harness/record/environment.hpp"

namespace lockstep::pipeline {

struct Workshop {
    launch::Catalog catalog;
    launch::Places places;
    std::filesystem::path data_cache;
    std::filesystem::path gate_cache;
    std::vector<std::filesystem::path> model_folders;
    record::Environment environment;
    const launch::Interrupt* interrupt = nullptr;
};

}  // namespace lockstep::pipeline
