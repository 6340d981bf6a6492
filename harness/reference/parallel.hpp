// Independent pieces of work on several threads.
#pragma once

#include <cstdint>
#include <functional>

namespace lockstep::reference {

// Calls work(0) .. work(pieces - 1), each once, on up to `threads` threads (0: all cores). Requires: no
// piece reads what another writes, so that the result depends neither on their order nor on the threads.
void in_parallel(std::int64_t pieces, int threads, const std::function<void(std::int64_t)>& work);

}  // namespace lockstep::reference
