// Lines of text over a pair of descriptors, with deadlines. Never waits for ever, never dies of SIGPIPE.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "harness/launch/descriptor.hpp"
#include "harness/launch/interrupt.hpp"
#include "harness/launch/process.hpp"
#include "protocol/messages.hpp"

namespace lockstep::launch {

enum class LineState {
    ok,
    closed,    // the other side closed its end or has ended, between lines or within one
    late,      // nothing whole by the deadline
    too_long,  // more than protocol::kLongestLine without an end
    interrupted,
};

class LineChannel {
public:
    // Makes both descriptors non-blocking. `interrupt` may be null and must outlive the channel. `alive` is a
    // descriptor of the caller's that becomes readable when the other side has ended, since what that left
    // behind may hold its pipes open; -1: none.
    LineChannel(Descriptor read, Descriptor write, const Interrupt* interrupt, int alive = -1);

    // Puts the next line, without its end, into `line`.
    LineState read(std::string& line, Clock::time_point deadline);
    // Sends `line` and an end. `line` holds no line end; too_long when it is longer than allowed.
    LineState write(std::string_view line, Clock::time_point deadline);
    void close_write() { write_.close(); }  // end of file: the other side stops

private:
    LineState wait(int fd, short events, Clock::time_point deadline);

    Descriptor read_;
    Descriptor write_;
    const Interrupt* interrupt_;
    int alive_;
    std::string buffer_;
    std::size_t searched_ = 0;  // no line end before this place of the buffer
};

}  // namespace lockstep::launch
