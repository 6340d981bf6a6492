// Signs of life while a request takes long: at most four events a second, without allocation.
#pragma once

#include <cstdint>

#include "workers/sdk/cpp/channel.hpp"

namespace lockstep::sdk {

class Pulse {
public:
    // `begin`: now; the first event comes an interval later.
    Pulse(Channel& channel, std::int64_t begin) : channel_(channel), last_(begin) {}

    // Call between steps, with the stamp just taken. Sends a progress event when one is due, and throws
    // HarnessGone when lockstep has left. epoch counts from 1.
    void step_done(std::int64_t at, std::int64_t done, std::int64_t of, std::int64_t epoch)
    {
        if (at - last_ >= kInterval) {
            send_progress(at, done, of, epoch);
        }
    }
    // The same between batches of a prediction, which has no steps.
    void alive(std::int64_t at)
    {
        if (at - last_ >= kInterval) {
            send_alive(at);
        }
    }

private:
    static constexpr std::int64_t kInterval = 250'000'000;  // PROTOCOL.md: at most four a second

    void send_progress(std::int64_t at, std::int64_t done, std::int64_t of, std::int64_t epoch);
    void send_alive(std::int64_t at);

    Channel& channel_;
    std::int64_t last_;
};

}  // namespace lockstep::sdk
