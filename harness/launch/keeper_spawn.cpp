// posix_spawn shares this process's memory until the keeper's exec, so a big harness is not copied, and
// the worker is then forked from the small keeper.
#include "harness/launch/keeper_spawn.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spawn.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include "protocol/messages.hpp"

namespace lockstep::launch {
namespace {

constexpr int kFirstFree = 10;  // above the descriptors that a keeper knows by number

Error system_error(std::string_view doing, int code)
{
    const char* remedy = code == EMFILE || code == ENFILE
                             ? "Close other programs, or raise the limit (ulimit -n)."
                         : code == ENOSPC ? "Free some disk space, then run the same command again."
                                          : "Look at the machine's limits on processes and memory.";
    return {fmt::format("{} failed: {}.", doing, std::strerror(code)), remedy};
}

// Moves a descriptor above those that the keeper knows by number, so that dup2 in the child hits none.
Descriptor lifted(int fd)
{
    Descriptor low(fd);
    return Descriptor(fd < 0 ? -1 : ::fcntl(fd, F_DUPFD_CLOEXEC, kFirstFree));
}

struct Pair {
    Descriptor ours;
    Descriptor theirs;
};

Pair control_pair()
{
    std::array<int, 2> fds{-1, -1};
    ::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds.data());
    return {lifted(fds[0]), lifted(fds[1])};
}

// Pipes, not sockets: a worker may want to open /proc/self/fd/N.
Pair pipe_pair(bool we_read)
{
    std::array<int, 2> fds{-1, -1};
    if (::pipe2(fds.data(), O_CLOEXEC) != 0) {
        return {};
    }
    return {lifted(fds[we_read ? 0 : 1]), lifted(fds[we_read ? 1 : 0])};
}

std::vector<std::string> environment_of(const ProcessOrder& order, const std::string& mark)
{
    std::vector<std::string> all = order.environment;
    all.push_back(mark);
    if (order.protocol) {
        all.push_back(fmt::format("{}={}", protocol::kReadVariable, kRequestDescriptor));
        all.push_back(fmt::format("{}={}", protocol::kWriteVariable, kReplyDescriptor));
    }
    if (order.padding > 0) {
        all.push_back("LOCKSTEP_PADDING=" + std::string(static_cast<std::size_t>(order.padding), 'x'));
    }
    return all;
}

std::vector<char*> pointers(std::vector<std::string>& texts)
{
    std::vector<char*> list;
    for (std::string& text : texts) {
        list.push_back(text.data());
    }
    list.push_back(nullptr);
    return list;
}

struct Streams {
    Descriptor input;
    Descriptor output;
    Pair control;
    Pair requests;
    Pair replies;
};

// Returns errno, 0 when the keeper runs.
int spawn(const std::filesystem::path& keeper, const ProcessOrder& order,
          std::vector<std::string> environment, const Streams& streams, pid_t& pid)
{
    std::vector<std::string> arguments{keeper.string(), std::to_string(::getpid()), order.folder.string(),
                                       fmt::format("{}", fmt::join(order.cpus, ",")),
                                       order.protocol ? "1" : "0"};
    arguments.insert(arguments.end(), order.command.begin(), order.command.end());
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, streams.input.get(), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, streams.output.get(), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, streams.output.get(), STDERR_FILENO);
    posix_spawn_file_actions_adddup2(&actions, streams.control.theirs.get(), kControlDescriptor);
    if (order.protocol) {
        posix_spawn_file_actions_adddup2(&actions, streams.requests.theirs.get(), kRequestDescriptor);
        posix_spawn_file_actions_adddup2(&actions, streams.replies.theirs.get(), kReplyDescriptor);
    }
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t none;
    sigset_t all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    const int code = ::posix_spawn(&pid, keeper.c_str(), &actions, &attributes, pointers(arguments).data(),
                                   pointers(environment).data());
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return code;
}

Result<Streams> open_streams(const ProcessOrder& order)
{
    Streams streams;
    streams.input = lifted(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    const char* output = order.output.empty() ? "/dev/null" : order.output.c_str();
    const int emptied = order.append ? 0 : O_TRUNC;
    streams.output = lifted(::open(output, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | emptied, 0644));
    if (!streams.output.open()) {
        return fail(fmt::format("{} cannot be written: {}.", output, std::strerror(errno)),
                    "Check that the folder exists and that you may write to it.");
    }
    streams.control = control_pair();
    if (order.protocol) {
        streams.requests = pipe_pair(false);
        streams.replies = pipe_pair(true);
    }
    const bool pipes = !order.protocol || (streams.requests.theirs.open() && streams.replies.theirs.open());
    if (!streams.input.open() || !streams.control.theirs.open() || !pipes) {
        return tl::unexpected(system_error("Opening a pipe to a new process", errno));
    }
    return streams;
}

}  // namespace

Result<std::filesystem::path> find_keeper()
{
    if (const char* given = std::getenv("LOCKSTEP_KEEPER"); given != nullptr && *given != '\0') {
        return given;
    }
    std::error_code ignored;
    const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", ignored);
    const std::filesystem::path beside = self.parent_path() / "lockstep-keeper";
    for (const std::filesystem::path& candidate :
         {beside, self.parent_path().parent_path() / "lockstep-keeper"}) {
        if (::access(candidate.c_str(), X_OK) == 0) {
            return candidate;
        }
    }
    return fail(fmt::format("{} is missing.", beside.string()),
                "Build lockstep again (cmake --build), or name the program in LOCKSTEP_KEEPER.");
}

Result<KeeperLink> spawn_keeper(const ProcessOrder& order, const std::string& mark)
{
    const Result<std::filesystem::path> keeper = order.keeper.empty() ? find_keeper() : order.keeper;
    if (!keeper) {
        return tl::unexpected(keeper.error());
    }
    Result<Streams> streams = open_streams(order);
    if (!streams) {
        return tl::unexpected(streams.error());
    }
    KeeperLink link;
    const int code = spawn(*keeper, order, environment_of(order, mark), *streams, link.pid);
    if (code != 0) {
        return fail(fmt::format("{} cannot be started: {}.", keeper->string(), std::strerror(code)),
                    "Build lockstep again (cmake --build), or name the program in LOCKSTEP_KEEPER.");
    }
    link.control = std::move(streams->control.ours);
    link.requests = std::move(streams->requests.ours);
    link.replies = std::move(streams->replies.ours);
    return link;
}

}  // namespace lockstep::launch
