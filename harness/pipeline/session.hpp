// A worker brought from nothing to a built model: the part that a measured run and an agreement check share.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "harness/launch/worker.hpp"
#include "harness/pipeline/workshop.hpp"
#include "harness/record/plan.hpp"

namespace lockstep::pipeline {

struct SessionOrder {
    const record::Arm& arm;
    const protocol::Network& network;
    const protocol::Optimizer& optimizer;
    const record::Limits& limits;
    std::int64_t batch = 0;
    bool dropout = true;
    std::uint64_t seed = 0;
    std::uint64_t jitter = 0;      // draws the size of the environment
    std::filesystem::path output;  // takes what the framework prints
    launch::Events events;
};

struct Session {
    std::unique_ptr<launch::Worker> worker;
    protocol::HelloReply hello;
    protocol::BuildReply build;
};

// What the arm asks for that the worker says it cannot do is an outcome of kind `skipped`.
launch::Answer<Session> open_session(const SessionOrder& order, const Workshop& shop);

}  // namespace lockstep::pipeline
