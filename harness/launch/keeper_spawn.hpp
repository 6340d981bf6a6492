// Starting a keeper (see keeper/main.cpp) with everything that its process needs.
#pragma once

#include <sys/types.h>

#include <string>

#include "harness/base/error.hpp"
#include "harness/launch/descriptor.hpp"
#include "harness/launch/process.hpp"

namespace lockstep::launch {

struct KeeperLink {
    pid_t pid = -1;
    Descriptor control;   // words of keeper/message.hpp
    Descriptor requests;  // the protocol's pipes, when the order asks for them
    Descriptor replies;
};

// `mark` ("NAME=value") becomes part of the environment of the keeper and of every descendant. Returns as
// soon as the keeper runs; whether the command could be started is its first word.
Result<KeeperLink> spawn_keeper(const ProcessOrder& order, const std::string& mark);

}  // namespace lockstep::launch
