// One allocation for everything that a built network needs: parameters, moments, activations, gradients,
// scratch. Slots whose lifetimes do not meet share their bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::onednn {

class Arena {
public:
    // Moments of a training step, in order; a slot is alive from `first` to `last`, both included.
    struct Lifetime {
        int first = 0;
        int last = 0;
    };
    static constexpr Lifetime kAlways{0, 1 << 30};

    struct Slot {
        std::int64_t index = -1;
        bool exists() const { return index >= 0; }
    };

    Arena() = default;
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;
    ~Arena();

    // Before allocate(). A slot of no bytes is allowed.
    Slot request(std::int64_t bytes, Lifetime alive);
    Slot request_floats(std::int64_t count, Lifetime alive) { return request(count * 4, alive); }

    // Once, after the last request. The memory is zero. Throws std::bad_alloc.
    void allocate();

    // After allocate(); aligned to 64 bytes. Null for a slot that does not exist.
    void* at(Slot slot) const;
    float* floats(Slot slot) const { return static_cast<float*>(at(slot)); }

    std::int64_t bytes() const { return total_; }
    // Where a slot lies, in bytes from the start; for tests.
    std::int64_t offset(Slot slot) const { return places_[static_cast<std::size_t>(slot.index)].offset; }

private:
    struct Place {
        std::int64_t bytes = 0;
        Lifetime alive;
        std::int64_t offset = 0;
    };
    std::vector<Place> places_;
    void* memory_ = nullptr;
    std::int64_t total_ = 0;
};

}  // namespace lockstep::onednn
