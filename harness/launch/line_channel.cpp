// See the header. Reads and writes do not block; poll() does the waiting.
#include "harness/launch/line_channel.hpp"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <utility>

namespace lockstep::launch {
namespace {

// A write to a closed pipe raises SIGPIPE in the writing thread; blocked here and taken away again, it
// neither ends the program nor needs a setting for the whole of it.
ssize_t write_quietly(int fd, const char* bytes, std::size_t size)
{
    sigset_t pipe_signal;
    sigset_t before;
    sigset_t pending;
    sigemptyset(&pipe_signal);
    sigaddset(&pipe_signal, SIGPIPE);
    sigpending(&pending);
    const bool foreign = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipe_signal, &before);
    const ssize_t written = ::write(fd, bytes, size);
    const int code = errno;
    if (written < 0 && code == EPIPE && !foreign) {
        const timespec at_once{0, 0};
        while (::sigtimedwait(&pipe_signal, nullptr, &at_once) < 0 && errno == EINTR) {
        }
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    errno = code;
    return written;
}

}  // namespace

LineChannel::LineChannel(Descriptor read, Descriptor write, const Interrupt* interrupt, int alive)
    : read_(std::move(read)), write_(std::move(write)), interrupt_(interrupt), alive_(alive)
{
    ::fcntl(read_.get(), F_SETFL, O_NONBLOCK);
    ::fcntl(write_.get(), F_SETFL, O_NONBLOCK);
}

LineState LineChannel::wait(int fd, short events, Clock::time_point deadline)
{
    for (;;) {
        if (interrupt_ != nullptr && interrupt_->raised()) {
            return LineState::interrupted;
        }
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
        if (left <= 0) {
            return LineState::late;
        }
        std::array<pollfd, 3> waits{{{fd, events, 0},
                                     {interrupt_ == nullptr ? -1 : interrupt_->descriptor(), POLLIN, 0},
                                     {alive_, POLLIN, 0}}};
        const int timeout = left > INT_MAX ? INT_MAX : static_cast<int>(left);
        if (::poll(waits.data(), waits.size(), timeout) <= 0) {
            continue;
        }
        if (waits[0].revents != 0) {
            return LineState::ok;
        }
        if (waits[2].revents != 0) {
            return LineState::closed;
        }
    }
}

LineState LineChannel::read(std::string& line, Clock::time_point deadline)
{
    for (;;) {
        const std::size_t end = buffer_.find('\n', searched_);
        if (end != std::string::npos && end < protocol::kLongestLine) {
            line.assign(buffer_, 0, end);
            buffer_.erase(0, end + 1);
            searched_ = 0;
            return LineState::ok;
        }
        searched_ = buffer_.size();
        if (searched_ >= protocol::kLongestLine) {
            return LineState::too_long;
        }
        if (!read_.open()) {
            return LineState::closed;
        }
        const LineState ready = wait(read_.get(), POLLIN, deadline);
        if (ready != LineState::ok && ready != LineState::closed) {
            return ready;
        }
        // After `closed` once more: its last words may have come between the two looks of one poll.
        std::array<char, 65536> block;
        const ssize_t size = ::read(read_.get(), block.data(), block.size());
        const bool again = size < 0 && (errno == EINTR || (errno == EAGAIN && ready == LineState::ok));
        if (size <= 0 && !again) {
            return LineState::closed;
        }
        if (size > 0) {
            buffer_.append(block.data(), static_cast<std::size_t>(size));
        }
    }
}

LineState LineChannel::write(std::string_view line, Clock::time_point deadline)
{
    if (line.size() >= protocol::kLongestLine) {
        return LineState::too_long;
    }
    std::string text(line);
    text += '\n';
    for (std::size_t sent = 0; sent < text.size();) {
        if (!write_.open()) {
            return LineState::closed;
        }
        const LineState ready = wait(write_.get(), POLLOUT, deadline);
        if (ready != LineState::ok) {
            return ready;
        }
        const ssize_t size = write_quietly(write_.get(), text.data() + sent, text.size() - sent);
        if (size < 0 && errno != EINTR && errno != EAGAIN) {
            return LineState::closed;
        }
        sent += size > 0 ? static_cast<std::size_t>(size) : 0;
    }
    return LineState::ok;
}

}  // namespace lockstep::launch
