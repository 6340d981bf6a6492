// Whether a job asks only for what a worker offers; so a trainer meets nothing that it did not declare.
#pragma once

#include "protocol/codec.hpp"
#include "workers/sdk/cpp/trainer.hpp"

namespace lockstep::sdk {

// Looks at the request before its fields are read, so that a layer kind which this version of the
// protocol does not know is unsupported, too, rather than malformed. Throws UnsupportedLayer or
// Unsupported; leaves missing and ill-typed fields to the codec.
void require_abilities(const Identity& identity, const protocol::Json& build);

}  // namespace lockstep::sdk
