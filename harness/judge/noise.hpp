// Departures without values to fit: dropout's masks are the worker's own, and low precision rounds in an
// order of its own.
#pragma once

#include "harness/judge/causes.hpp"
#include "harness/judge/inquiry.hpp"

namespace lockstep::judge {

// Names the cause when the reference with it lies far nearer, or when the worker is off by as much in each
// tensor as this cause makes it. Requires: known.stage == Stage::noise.
void try_noise(Inquiry& inquiry, Stage stage, const KnownCause& known);

}  // namespace lockstep::judge
