// Threads are started for each call: the pieces are thousands of times longer than a start.
#include "harness/reference/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace lockstep::reference {

void in_parallel(std::int64_t pieces, int threads, const std::function<void(std::int64_t)>& work)
{
    const auto cores = static_cast<std::int64_t>(std::max(1U, std::thread::hardware_concurrency()));
    const std::int64_t wanted = std::min(pieces, threads > 0 ? std::int64_t{threads} : cores);
    std::atomic<std::int64_t> next{0};
    const auto take = [&] {
        for (std::int64_t piece = next++; piece < pieces; piece = next++) {
            work(piece);
        }
    };
    std::vector<std::jthread> helpers;
    for (std::int64_t i = 1; i < wanted; ++i) {
        helpers.emplace_back(take);
    }
    take();
}

}  // namespace lockstep::reference
