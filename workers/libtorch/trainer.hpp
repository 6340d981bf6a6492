// The worker for LibTorch, behind the SDK's interface, so that torch's headers are compiled once.
#pragma once

#include <memory>

#include "workers/sdk/cpp/trainer.hpp"

namespace lockstep::libtorch_worker {

std::unique_ptr<sdk::Trainer> make_trainer();

}  // namespace lockstep::libtorch_worker
