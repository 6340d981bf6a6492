// lockstep-keeper: starts one process, and sees to it that nothing of it is left, whatever ends the
// harness or the process. A program of its own, linked statically and small, because a process that is
// forked from a big one inherits its peak memory figures, and because what must outlive a SIGKILL of the
// harness cannot be part of it.
//
// lockstep-keeper PARENT FOLDER CPUS PROTOCOL COMMAND...
//   PARENT    pid of the harness
//   FOLDER    working folder; "" for this one
//   CPUS      "0,1": where the process may run; "" for anywhere
//   PROTOCOL  "1": descriptors 4 and 5 go to the process
// Standard input, output and error and the environment are the process's own. Words: message.hpp.
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <vector>

#include "harness/launch/keeper/message.hpp"

using namespace lockstep::launch;

namespace {

constexpr std::int64_t kPatienceMs = 10'000;  // until `gone` is said although something is left
constexpr int kRoundMs = 2;  // between two rounds of killing: what dies needs a moment to be reaped

pid_t worker = -1;

std::int64_t now_ms()
{
    timespec at{};
    ::clock_gettime(CLOCK_MONOTONIC, &at);
    return std::int64_t{at.tv_sec} * 1000 + at.tv_nsec / 1'000'000;
}

void say(KeeperWord word, int value, KeeperStep step = KeeperStep::fork, std::int64_t cpu = 0)
{
    KeeperMessage message;
    message.word = word;
    message.value = value;
    message.step = step;
    message.cpu_microseconds = cpu;
    ::send(kControlDescriptor, &message, sizeof message, MSG_NOSIGNAL);
}

struct Relation {
    pid_t pid;
    pid_t parent;
    bool found;
};

// pid and parent from /proc/PID/stat; the command's name between them may hold blanks and brackets.
bool read_relation(const char* pid, Relation& relation)
{
    char path[64];
    std::snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
    const int fd = ::open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return false;
    }
    char text[512];
    const ssize_t size = ::read(fd, text, sizeof text - 1);
    ::close(fd);
    if (size <= 0) {
        return false;
    }
    text[size] = '\0';
    const char* name_end = std::strrchr(text, ')');
    char state = 0;
    relation.found = false;
    relation.pid = std::atoi(pid);
    return name_end != nullptr && std::sscanf(name_end + 1, " %c %d", &state, &relation.parent) == 2;
}

// The keeper is the subreaper of all its descendants, so each of them hangs from it in the tree of
// parents, whatever sessions and groups they made.
void signal_descendants(int signal)
{
    std::vector<Relation> all;
    DIR* proc = ::opendir("/proc");
    if (proc == nullptr) {
        ::kill(worker, signal);
        return;
    }
    while (const dirent* entry = ::readdir(proc)) {
        Relation relation{};
        if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9' && read_relation(entry->d_name, relation)) {
            all.push_back(relation);
        }
    }
    ::closedir(proc);
    std::vector<pid_t> open{::getpid()};
    while (!open.empty()) {
        const pid_t parent = open.back();
        open.pop_back();
        for (Relation& relation : all) {
            if (relation.parent == parent && !relation.found) {
                relation.found = true;
                open.push_back(relation.pid);
                ::kill(relation.pid, signal);
            }
        }
    }
}

// Reaps all that has ended, and tells of the worker's end. False when no child is left.
bool reap()
{
    for (;;) {
        int status = 0;
        rusage usage{};
        const pid_t pid = ::wait4(-1, &status, WNOHANG | __WALL, &usage);
        if (pid == 0) {
            return true;
        }
        if (pid < 0) {
            return errno != ECHILD;
        }
        if (pid == worker) {
            const std::int64_t cpu =
                (std::int64_t{usage.ru_utime.tv_sec} + usage.ru_stime.tv_sec) * 1'000'000 +
                usage.ru_utime.tv_usec + usage.ru_stime.tv_usec;
            worker = -1;
            if (WIFSIGNALED(status)) {
                say(KeeperWord::signalled, WTERMSIG(status), KeeperStep::fork, cpu);
            } else {
                say(KeeperWord::exited, WEXITSTATUS(status), KeeperStep::fork, cpu);
            }
        }
    }
}

int children_left()
{
    int count = 0;
    DIR* proc = ::opendir("/proc");
    while (const dirent* entry = proc == nullptr ? nullptr : ::readdir(proc)) {
        Relation relation{};
        if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9' && read_relation(entry->d_name, relation) &&
            relation.parent == ::getpid()) {
            ++count;
        }
    }
    if (proc != nullptr) {
        ::closedir(proc);
    }
    return count;
}

// Ends every descendant and then the keeper itself. Stopping all before killing them keeps a process that
// forks in a loop from running ahead.
[[noreturn]] void end_all(int grace_ms)
{
    if (grace_ms > 0) {
        signal_descendants(SIGTERM);
        signal_descendants(SIGCONT);
        for (const std::int64_t until = now_ms() + grace_ms; now_ms() < until && reap();) {
            ::poll(nullptr, 0, kRoundMs);
        }
    }
    const std::int64_t until = now_ms() + kPatienceMs;
    bool told = false;
    while (reap()) {
        signal_descendants(SIGSTOP);
        signal_descendants(SIGKILL);
        ::poll(nullptr, 0, told ? 1000 : kRoundMs);
        if (!told && now_ms() > until && reap()) {
            say(KeeperWord::gone, children_left());
            told = true;
        }
    }
    if (!told) {
        say(KeeperWord::gone, 0);
    }
    ::_exit(0);
}

bool bind_to(const char* cpus)
{
    if (*cpus == '\0') {
        return true;
    }
    cpu_set_t set;
    CPU_ZERO(&set);
    for (const char* at = cpus; *at != '\0';) {
        char* end = nullptr;
        const long cpu = std::strtol(at, &end, 10);
        if (end == at || cpu < 0 || cpu >= CPU_SETSIZE) {
            errno = EINVAL;
            return false;
        }
        CPU_SET(static_cast<std::size_t>(cpu), &set);
        at = *end == ',' ? end + 1 : end;
    }
    return ::sched_setaffinity(0, sizeof set, &set) == 0;
}

struct Failure {
    KeeperStep step;
    int code;
};

// In the child. A session of its own keeps a worker that signals its whole group from hitting the keeper.
[[noreturn]] void become_worker(pid_t keeper, const sigset_t& mask, char** argv, int report)
{
    const auto give_up = [report](KeeperStep step) {
        const Failure failure{step, errno};
        [[maybe_unused]] const ssize_t written = ::write(report, &failure, sizeof failure);
        ::_exit(127);
    };
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != keeper) {
        ::_exit(127);
    }
    ::setsid();
    const rlimit no_core{0, 0};
    ::setrlimit(RLIMIT_CORE, &no_core);
    if (*argv[2] != '\0' && ::chdir(argv[2]) != 0) {
        give_up(KeeperStep::folder);
    }
    if (!bind_to(argv[3])) {
        give_up(KeeperStep::cpus);
    }
    ::signal(SIGPIPE, SIG_DFL);
    ::sigprocmask(SIG_SETMASK, &mask, nullptr);
    ::execvp(argv[5], argv + 5);
    give_up(KeeperStep::command);
    ::_exit(127);
}

// True when the process runs; otherwise the harness has been told.
bool start(char** argv, const sigset_t& mask)
{
    int report[2];
    if (::pipe2(report, O_CLOEXEC) != 0) {
        say(KeeperWord::failed, errno);
        return false;
    }
    const pid_t keeper = ::getpid();
    worker = ::fork();
    if (worker < 0) {
        say(KeeperWord::failed, errno);
        return false;
    }
    if (worker == 0) {
        become_worker(keeper, mask, argv, report[1]);
    }
    ::close(report[1]);
    if (*argv[4] == '1') {
        ::close(kRequestDescriptor);
        ::close(kReplyDescriptor);
    }
    Failure failure{};
    ssize_t size = 0;
    do {
        size = ::read(report[0], &failure, sizeof failure);
    } while (size < 0 && errno == EINTR);
    ::close(report[0]);
    if (size == static_cast<ssize_t>(sizeof failure)) {
        ::waitpid(worker, nullptr, 0);
        say(KeeperWord::failed, failure.code, failure.step);
        return false;
    }
    say(KeeperWord::started, worker);
    return true;
}

// SIGTERM comes from a user, from the death of the harness, or from the end of the one thread of the
// harness that started this keeper; the last one is no reason to end.
bool harness_lives(const signalfd_siginfo& info, pid_t parent)
{
    return ::getppid() == parent && info.ssi_pid == static_cast<std::uint32_t>(parent);
}

[[noreturn]] void watch(int signals, pid_t parent)
{
    for (;;) {
        pollfd waits[] = {{kControlDescriptor, POLLIN, 0}, {signals, POLLIN, 0}};
        if (::poll(waits, 2, -1) < 0) {
            continue;
        }
        if (waits[1].revents != 0) {
            signalfd_siginfo info{};
            if (::read(signals, &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
                if (info.ssi_signo != SIGCHLD && !harness_lives(info, parent)) {
                    end_all(0);
                }
            }
            reap();
            if (worker < 0) {
                end_all(0);
            }
        }
        if (waits[0].revents != 0) {
            KeeperMessage message;
            const ssize_t size = ::recv(kControlDescriptor, &message, sizeof message, 0);
            if (size < 0 && errno == EINTR) {
                continue;
            }
            end_all(size == static_cast<ssize_t>(sizeof message) ? message.value : 0);
        }
    }
}

}  // namespace

int main(int argc, char** argv)
{
    if (argc < 6) {
        std::fputs("lockstep-keeper is started by lockstep, not by hand.\n", stderr);
        return 2;
    }
    const pid_t parent = std::atoi(argv[1]);
    ::close_range(*argv[4] == '1' ? kReplyDescriptor + 1 : kControlDescriptor + 1, ~0u, 0);
    ::fcntl(kControlDescriptor, F_SETFD, FD_CLOEXEC);
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    ::setsid();
    sigset_t watched;
    sigset_t before;
    sigemptyset(&watched);
    for (const int signal : {SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGQUIT}) {
        sigaddset(&watched, signal);
    }
    ::sigprocmask(SIG_BLOCK, &watched, &before);
    const int signals = ::signalfd(-1, &watched, SFD_CLOEXEC);
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (signals < 0 || ::getppid() != parent || !start(argv, before)) {
        return 1;
    }
    watch(signals, parent);
}
