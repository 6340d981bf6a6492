// The two pipes to lockstep, as lines.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace lockstep::sdk {

class Channel {
public:
    // Marks both descriptors to be closed in child processes; does not own them. From here on a write to
    // a closed pipe is an error instead of a signal.
    Channel(int read_descriptor, int write_descriptor);

    // The next line without its newline; absent at the end of file. Of a line that is longer than the
    // protocol allows only the beginning is kept, one byte more than allowed.
    std::optional<std::string> next_line();

    // Writes all of `text`; allocates nothing. Throws HarnessGone when nobody reads any more.
    void send(std::string_view text);

    // Throws HarnessGone when lockstep has closed the request pipe and no request waits in it. Never waits.
    void check_alive() const;

private:
    int read_;
    int write_;
    std::string pending_;  // read, but not yet given out
};

}  // namespace lockstep::sdk
