// Places slots largest first, each at the lowest offset that is free during its whole life.
#include "workers/onednn/arena.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <new>
#include <numeric>

namespace lockstep::onednn {

namespace {

constexpr std::int64_t kAlignment = 64;  // a cache line, and the widest vector

bool meet(Arena::Lifetime a, Arena::Lifetime b)
{
    return a.first <= b.last && b.first <= a.last;
}

}  // namespace

Arena::~Arena()
{
    if (memory_ != nullptr) {
        munmap(memory_, static_cast<std::size_t>(total_));
    }
}

Arena::Slot Arena::request(std::int64_t bytes, Lifetime alive)
{
    places_.push_back({(bytes + kAlignment - 1) / kAlignment * kAlignment, alive, 0});
    return {static_cast<std::int64_t>(places_.size()) - 1};
}

void Arena::allocate()
{
    std::vector<std::size_t> order(places_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return places_[a].bytes > places_[b].bytes; });
    std::vector<std::size_t> placed;  // by offset
    for (const std::size_t next : order) {
        Place& place = places_[next];
        std::int64_t offset = 0;
        for (const std::size_t other : placed) {
            const Place& taken = places_[other];
            if (!meet(place.alive, taken.alive)) {
                continue;
            }
            if (offset + place.bytes <= taken.offset) {
                break;
            }
            offset = std::max(offset, taken.offset + taken.bytes);
        }
        place.offset = offset;
        total_ = std::max(total_, offset + place.bytes);
        placed.insert(std::upper_bound(placed.begin(), placed.end(), next,
                                       [&](std::size_t a, std::size_t b) {
                                           return places_[a].offset < places_[b].offset;
                                       }),
                      next);
    }
    total_ = std::max(total_, kAlignment);
    void* memory = mmap(nullptr, static_cast<std::size_t>(total_), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        throw std::bad_alloc();
    }
    // Only a wish: strides of many kilobytes cost fewer page walks. Machines without it run the same.
    madvise(memory, static_cast<std::size_t>(total_), MADV_HUGEPAGE);
    memory_ = memory;
}

void* Arena::at(Slot slot) const
{
    if (!slot.exists()) {
        return nullptr;
    }
    return static_cast<char*>(memory_) + places_[static_cast<std::size_t>(slot.index)].offset;
}

}  // namespace lockstep::onednn
