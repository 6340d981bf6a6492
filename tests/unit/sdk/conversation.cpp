// The child is forked before anything else is opened, so it holds its own ends of the pipes alone.
#include "tests/unit/sdk/conversation.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <stdexcept>

namespace lockstep::sdk {
namespace {

constexpr int kPatience_ms = 30'000;

}  // namespace

Conversation::Conversation(const std::function<std::unique_ptr<Trainer>()>& make_trainer)
{
    std::array<int, 2> to_worker{};
    std::array<int, 2> from_worker{};
    if (::pipe2(to_worker.data(), O_CLOEXEC) != 0 || ::pipe2(from_worker.data(), O_CLOEXEC) != 0) {
        throw std::runtime_error("no pipe could be made");
    }
    process_ = ::fork();
    if (process_ == 0) {
        ::close(to_worker[1]);
        ::close(from_worker[0]);
        ::setenv(protocol::kReadVariable.data(), std::to_string(to_worker[0]).c_str(), 1);
        ::setenv(protocol::kWriteVariable.data(), std::to_string(from_worker[1]).c_str(), 1);
        const std::unique_ptr<Trainer> trainer = make_trainer();
        ::_exit(serve(0, nullptr, *trainer));
    }
    ::close(to_worker[0]);
    ::close(from_worker[1]);
    requests_ = to_worker[1];
    replies_ = from_worker[0];
}

Conversation::~Conversation()
{
    close_requests();
    ::close(replies_);
    if (process_ > 0) {
        ::kill(process_, SIGKILL);
        ::waitpid(process_, nullptr, 0);
    }
}

void Conversation::send(const std::string& line)
{
    for (std::size_t sent = 0; sent < line.size();) {
        const ssize_t written = ::write(requests_, line.data() + sent, line.size() - sent);
        if (written <= 0) {
            throw std::runtime_error("the worker reads no more");
        }
        sent += static_cast<std::size_t>(written);
    }
}

std::optional<protocol::FromWorker> Conversation::next()
{
    while (true) {
        if (const std::size_t end = pending_.find('\n'); end != std::string::npos) {
            const protocol::Decoded<protocol::FromWorker> message =
                protocol::parse_from_worker(std::string_view(pending_).substr(0, end));
            if (!message) {
                throw std::runtime_error(message.error() + ": " + pending_.substr(0, end));
            }
            pending_.erase(0, end + 1);
            return *message;
        }
        pollfd ready{replies_, POLLIN, 0};
        std::array<char, 4096> chunk;
        const ssize_t got =
            ::poll(&ready, 1, kPatience_ms) > 0 ? ::read(replies_, chunk.data(), chunk.size()) : 0;
        if (got <= 0) {
            return {};
        }
        pending_.append(chunk.data(), static_cast<std::size_t>(got));
    }
}

void Conversation::close_requests()
{
    if (requests_ >= 0) {
        ::close(requests_);
        requests_ = -1;
    }
}

std::optional<int> Conversation::exit_code()
{
    for (int waited = 0; waited < kPatience_ms; waited += 5) {
        int status = 0;
        if (::waitpid(process_, &status, WNOHANG) == process_) {
            process_ = -1;
            return WIFEXITED(status) ? std::optional(WEXITSTATUS(status)) : std::nullopt;
        }
        ::usleep(5'000);
    }
    return {};
}

tl::expected<protocol::Json, protocol::Failure> Conversation::answer(const std::string& line)
{
    send(line);
    while (const std::optional<protocol::FromWorker> message = next()) {
        if (const auto* answered = std::get_if<protocol::Answer>(&*message)) {
            return answered->ok;
        }
        if (const auto* refusal = std::get_if<protocol::Refusal>(&*message)) {
            return tl::unexpected(refusal->failure);
        }
        events.push_back(*message);
    }
    throw std::runtime_error("the worker gave no answer");
}

}  // namespace lockstep::sdk
