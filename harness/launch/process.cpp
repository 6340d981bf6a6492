// Words from the keeper come through one descriptor; everything here waits on it or writes to it.
#include "harness/launch/process.hpp"

#include <dirent.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>
#include <utility>

#include "harness/launch/keeper_spawn.hpp"

namespace lockstep::launch {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kStartTime{30'000};  // fork and exec; long only on a machine that swaps
constexpr milliseconds kKillTime{12'000};   // a keeper says within ten seconds what it could not end
constexpr int kFirstFree = 10;              // above the descriptors that a keeper knows by number

std::string fresh_mark()
{
    static std::atomic<unsigned> counter{0};
    static const unsigned salt = std::random_device{}();
    return fmt::format("LOCKSTEP_MARK={}-{:08x}-{}", ::getpid(), salt, counter++);
}

bool numeric(const char* text)
{
    return *text >= '1' && *text <= '9';
}

bool carries(const char* pid, const std::string& mark)
{
    std::ifstream file(fmt::format("/proc/{}/environ", pid), std::ios::binary);
    const std::string text(std::istreambuf_iterator<char>(file), {});
    const std::size_t at = text.find(mark + '\0');
    return at != std::string::npos && (at == 0 || text[at - 1] == '\0');
}

// SIGKILL to every process whose environment holds `mark`; returns how many there were.
int kill_marked(const std::string& mark)
{
    int count = 0;
    DIR* proc = ::opendir("/proc");
    while (const dirent* entry = proc == nullptr ? nullptr : ::readdir(proc)) {
        if (numeric(entry->d_name) && carries(entry->d_name, mark)) {
            ::kill(std::atoi(entry->d_name), SIGKILL);
            ++count;
        }
    }
    if (proc != nullptr) {
        ::closedir(proc);
    }
    return count;
}

}  // namespace

std::string words(const ExitStatus& status)
{
    return status.signalled ? fmt::format("stopped with signal {}", status.value)
                            : fmt::format("ended with exit code {}", status.value);
}

Result<Process> Process::start(const ProcessOrder& order)
{
    Process process;
    process.mark_ = fresh_mark();
    process.started_ = Clock::now();
    Result<KeeperLink> link = spawn_keeper(order, process.mark_);
    if (!link) {
        return tl::unexpected(link.error());
    }
    process.keeper_ = link->pid;
    process.control_ = std::move(link->control);
    process.requests_ = std::move(link->requests);
    process.replies_ = std::move(link->replies);
    return process.confirm(order).map([&] { return std::move(process); });
}

Result<void> Process::confirm(const ProcessOrder& order)
{
    const Clock::time_point deadline = Clock::now() + kStartTime;
    while (pid_ < 0 && !failure_ && !lost_ && wait_for_word(deadline, nullptr)) {
    }
    if (pid_ > 0) {
        return {};
    }
    const std::string name = order.command.empty() ? std::string() : order.command.front();
    if (!failure_) {
        return fail(fmt::format("{} could not be started: its keeper did not answer.", name),
                    "Look at the machine's free memory and limits on processes.");
    }
    const char* reason = std::strerror(failure_->value);
    switch (failure_->step) {
        case KeeperStep::folder:
            return fail(fmt::format("{} cannot be started in {}: {}.", name, order.folder.string(), reason),
                        "Check that the folder exists.");
        case KeeperStep::cpus:
            return fail(fmt::format("{} cannot be bound to the cores {}: {}.", name,
                                    fmt::join(order.cpus, ","), reason),
                        "Ask for cores that this machine has.");
        case KeeperStep::command:
            return fail(fmt::format("{} cannot be started: {}.", name, reason),
                        "Check that the program is there and may be executed.");
        case KeeperStep::fork:
            break;
    }
    return fail(fmt::format("{} cannot be started: {}.", name, reason),
                "Look at the machine's limits on processes and memory.");
}

Process::Process(Process&& other) noexcept
{
    *this = std::move(other);
}

Process& Process::operator=(Process&& other) noexcept
{
    if (this != &other) {
        kill();
        pid_ = std::exchange(other.pid_, -1);
        keeper_ = std::exchange(other.keeper_, -1);
        started_ = other.started_;
        mark_ = std::move(other.mark_);
        control_ = std::move(other.control_);
        requests_ = std::move(other.requests_);
        replies_ = std::move(other.replies_);
        status_ = other.status_;
        left_ = other.left_;
        failure_ = other.failure_;
        lost_ = other.lost_;
    }
    return *this;
}

Process::~Process()
{
    kill();
}

bool Process::wait_for_word(Clock::time_point deadline, const Interrupt* interrupt)
{
    for (;;) {
        if (interrupt != nullptr && interrupt->raised()) {
            return false;
        }
        const auto left = std::chrono::ceil<milliseconds>(deadline - Clock::now()).count();
        std::array<pollfd, 2> waits{
            {{control_.get(), POLLIN, 0}, {interrupt == nullptr ? -1 : interrupt->descriptor(), POLLIN, 0}}};
        const int timeout = left < 0 ? 0 : left > INT_MAX ? INT_MAX : static_cast<int>(left);
        const int ready = ::poll(waits.data(), waits.size(), timeout);
        if (ready > 0 && waits[0].revents != 0) {
            return receive();
        }
        if (ready == 0 && left <= 0) {
            return false;
        }
    }
}

bool Process::receive()
{
    KeeperMessage message;
    ssize_t size = 0;
    do {
        size = ::recv(control_.get(), &message, sizeof message, 0);
    } while (size < 0 && errno == EINTR);
    if (size != static_cast<ssize_t>(sizeof message)) {
        lose();
        return true;
    }
    switch (message.word) {
        case KeeperWord::started:
            pid_ = message.value;
            break;
        case KeeperWord::failed:
            failure_ = message;
            left_ = 0;
            break;
        case KeeperWord::exited:
        case KeeperWord::signalled:
            status_ = ExitStatus{message.word == KeeperWord::signalled, message.value,
                                 static_cast<double>(message.cpu_microseconds) * 1e-6};
            break;
        case KeeperWord::gone:
            left_ = message.value;
            break;
        case KeeperWord::end:
            break;
    }
    return true;
}

void Process::lose()
{
    lost_ = !status_;
    control_.close();
    const Clock::time_point deadline = Clock::now() + kKillTime;
    int count = 0;
    while ((count = kill_marked(mark_)) > 0 && Clock::now() < deadline) {
        ::poll(nullptr, 0, 2);
    }
    left_ = count;
}

std::optional<ExitStatus> Process::wait(Clock::time_point deadline, const Interrupt* interrupt)
{
    while (!status_ && !left_ && control_.open() && wait_for_word(deadline, interrupt)) {
    }
    return status_;
}

int Process::kill(milliseconds grace)
{
    if (keeper_ < 0) {
        return left_.value_or(0);
    }
    KeeperMessage message;
    message.word = KeeperWord::end;
    message.value = static_cast<std::int32_t>(grace.count());
    if (!left_) {
        ::send(control_.get(), &message, sizeof message, MSG_NOSIGNAL);
    }
    const Clock::time_point deadline = Clock::now() + grace + kKillTime;
    while (!left_ && wait_for_word(deadline, nullptr)) {
    }
    if (!left_) {
        ::kill(keeper_, SIGKILL);
        lose();
    }
    const bool keeper_ends = *left_ == 0 || !control_.open();
    requests_.close();
    replies_.close();
    control_.close();
    if (keeper_ends) {
        ::waitpid(keeper_, nullptr, 0);
    }
    keeper_ = -1;
    return *left_;
}

}  // namespace lockstep::launch
