// The user's wish to stop, seen by everything that waits.
#pragma once

#include <atomic>

namespace lockstep::launch {

class Interrupt {
public:
    Interrupt();  // aborts when the system has no descriptor left
    ~Interrupt();
    Interrupt(const Interrupt&) = delete;
    Interrupt& operator=(const Interrupt&) = delete;

    void raise() noexcept;  // safe in a signal handler and from any thread; for good
    bool raised() const noexcept { return raised_.load(std::memory_order_acquire); }
    int descriptor() const noexcept { return descriptor_; }  // readable once raised; for poll()

private:
    std::atomic<bool> raised_{false};
    int descriptor_ = -1;
};

}  // namespace lockstep::launch
