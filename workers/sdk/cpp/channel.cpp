// Lines over pipes with plain system calls: standard streams would allocate and buffer.
#include "workers/sdk/cpp/channel.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>

#include "protocol/messages.hpp"
#include "workers/sdk/cpp/faults.hpp"

namespace lockstep::sdk {

Channel::Channel(int read_descriptor, int write_descriptor) : read_(read_descriptor), write_(write_descriptor)
{
    ::fcntl(read_, F_SETFD, FD_CLOEXEC);
    ::fcntl(write_, F_SETFD, FD_CLOEXEC);
    ::signal(SIGPIPE, SIG_IGN);
}

std::optional<std::string> Channel::next_line()
{
    std::string line;
    std::array<char, 65536> chunk;
    while (true) {
        const std::size_t newline = pending_.find('\n');
        const std::size_t room = protocol::kLongestLine + 1 - line.size();
        line.append(pending_, 0, newline < room ? newline : room);
        if (newline != std::string::npos) {
            pending_.erase(0, newline + 1);
            return line;
        }
        pending_.clear();
        const ssize_t got = ::read(read_, chunk.data(), chunk.size());
        if (got == 0 || (got < 0 && errno != EINTR)) {
            return {};
        }
        pending_.assign(chunk.data(), got < 0 ? 0 : static_cast<std::size_t>(got));
    }
}

void Channel::send(std::string_view text)
{
    while (!text.empty()) {
        const ssize_t written = ::write(write_, text.data(), text.size());
        if (written < 0 && errno != EINTR) {
            throw HarnessGone{};
        }
        text.remove_prefix(written < 0 ? 0 : static_cast<std::size_t>(written));
    }
}

void Channel::check_alive() const
{
    pollfd request{read_, POLLIN, 0};
    if (::poll(&request, 1, 0) > 0 && (request.revents & POLLHUP) != 0 && (request.revents & POLLIN) == 0) {
        throw HarnessGone{};
    }
}

}  // namespace lockstep::sdk
