// Processes and their keepers: what a process gets, how it ends, and that nothing of it is left.
#include "harness/launch/process.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <functional>
#include <sstream>

#include "tests/unit/launch/scratch.hpp"

namespace lockstep::launch {
namespace {

// Two generations of descendants with sessions of their own; the last one writes its pid once it runs.
const char* const kDaemons =
    "setsid sh -c 'setsid sh -c \"echo \\$\\$ > daemon; while :; do sleep 1; done\" & sleep 1000' &\n"
    "while [ ! -s daemon ]; do sleep 0.01; done\n";

TEST(Process, its_exit_code_and_its_signal_are_told_apart)
{
    const Scratch scratch;
    Result<Process> code = Process::start(scratch.shell("exit 3"));
    ASSERT_TRUE(code) << code.error().what;
    ASSERT_TRUE(code->wait(soon()));
    EXPECT_FALSE(code->status()->signalled);
    EXPECT_EQ(code->status()->value, 3);
    EXPECT_EQ(words(*code->status()), "ended with exit code 3");
    Result<Process> signal = Process::start(scratch.shell("kill -ABRT $$"));
    ASSERT_TRUE(signal && signal->wait(soon()));
    EXPECT_EQ(words(*signal->status()), "stopped with signal 6");
}

TEST(Process, it_gets_its_folder_environment_padding_and_output_and_no_core_file)
{
    rlimit core{};
    ::getrlimit(RLIMIT_CORE, &core);
    const rlimit most{core.rlim_max, core.rlim_max};
    ::setrlimit(RLIMIT_CORE, &most);
    const Scratch scratch;
    ProcessOrder order =
        scratch.shell("pwd; echo $COLOUR; echo ${#LOCKSTEP_PADDING}; ulimit -c; echo err >&2");
    order.folder = scratch.folder();
    order.environment.push_back("COLOUR=blue");
    order.padding = 1234;
    Result<Process> process = Process::start(order);
    ::setrlimit(RLIMIT_CORE, &core);
    ASSERT_TRUE(process && process->wait(soon()));
    EXPECT_EQ(text_of(order.output), scratch.folder().string() + "\nblue\n1234\n0\nerr\n");
}

TEST(Process, it_runs_on_the_cores_asked_for)
{
    cpu_set_t usable;
    ASSERT_EQ(::sched_getaffinity(0, sizeof usable, &usable), 0);
    int last = 0;
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
        last = CPU_ISSET(static_cast<std::size_t>(cpu), &usable) ? cpu : last;
    }
    const Scratch scratch;
    ProcessOrder order = scratch.shell("grep Cpus_allowed_list /proc/self/status");
    order.cpus = {last};
    Result<Process> process = Process::start(order);
    ASSERT_TRUE(process && process->wait(soon()));
    EXPECT_EQ(text_of(order.output), "Cpus_allowed_list:\t" + std::to_string(last) + "\n");
}

TEST(Process, it_inherits_no_descriptor_but_its_own)
{
    const int leaked = ::open("/dev/null", O_RDONLY);
    const Scratch scratch;
    ProcessOrder order = scratch.shell("for fd in /proc/self/fd/*; do [ -e $fd ] && echo ${fd##*/}; done; :");
    order.protocol = true;
    order.command.insert(order.command.begin() + 1, "-e");
    Result<Process> process = Process::start(order);
    ASSERT_TRUE(process && process->wait(soon()));
    ::close(leaked);
    std::istringstream lines(text_of(order.output));
    for (int fd = 0; lines >> fd;) {
        EXPECT_TRUE(fd <= 2 || fd == 4 || fd == 5 || fd == 10) << fd;  // 10: sh's own script
    }
}

TEST(Process, a_command_folder_or_core_that_does_not_exist_is_named)
{
    const Scratch scratch;
    ProcessOrder order;
    order.command = {"/nowhere/program"};
    Result<Process> process = Process::start(order);
    ASSERT_FALSE(process);
    EXPECT_EQ(process.error().what, "/nowhere/program cannot be started: No such file or directory.");
    order = scratch.shell("exit 0");
    order.folder = "/nowhere";
    process = Process::start(order);
    ASSERT_FALSE(process);
    EXPECT_NE(process.error().what.find("in /nowhere"), std::string::npos) << process.error().what;
    order.folder.clear();
    order.cpus = {1023};
    process = Process::start(order);
    ASSERT_FALSE(process);
    EXPECT_NE(process.error().what.find("cores 1023"), std::string::npos) << process.error().what;
    order.cpus.clear();
    order.output = "/nowhere/output";
    process = Process::start(order);
    ASSERT_FALSE(process);
    EXPECT_NE(process.error().what.find("/nowhere/output"), std::string::npos);
}

TEST(Process, a_missing_keeper_is_named)
{
    const Scratch scratch;
    ProcessOrder order = scratch.shell("exit 0");
    order.keeper = scratch.folder() / "keeper";
    const Result<Process> process = Process::start(order);
    ASSERT_FALSE(process);
    EXPECT_NE(process.error().what.find(order.keeper.string()), std::string::npos);
}

TEST(Process, waiting_ends_at_the_deadline_and_at_an_interrupt)
{
    const Scratch scratch;
    Result<Process> process = Process::start(scratch.shell("sleep 1000"));
    ASSERT_TRUE(process);
    EXPECT_FALSE(process->wait(Clock::now() + std::chrono::milliseconds(20)));
    Interrupt interrupt;
    interrupt.raise();
    EXPECT_FALSE(process->wait(soon(), &interrupt));
    EXPECT_FALSE(process->lost());
}

TEST(Process, killing_ends_descendants_with_sessions_of_their_own)
{
    const Scratch scratch;
    ProcessOrder order = scratch.shell(std::string(kDaemons) + "sleep 1000");
    order.folder = scratch.folder();
    Result<Process> process = Process::start(order);
    ASSERT_TRUE(process);
    ASSERT_TRUE(eventually([&] { return !text_of(scratch.folder() / "daemon").empty(); }));
    EXPECT_EQ(process->kill(), 0);
    EXPECT_EQ(processes_with(scratch.token()), std::vector<pid_t>());
    EXPECT_EQ(process->kill(), 0);
}

TEST(Process, what_a_process_leaves_behind_at_its_end_is_ended)
{
    const Scratch scratch;
    ProcessOrder order = scratch.shell(std::string(kDaemons) + "exit 0");
    order.folder = scratch.folder();
    Result<Process> process = Process::start(order);
    ASSERT_TRUE(process);
    ASSERT_TRUE(process->wait(soon()));
    EXPECT_TRUE(process->status()->clean());
    EXPECT_EQ(process->kill(), 0);
    EXPECT_EQ(processes_with(scratch.token()), std::vector<pid_t>());
}

TEST(Process, many_children_that_ignore_sigterm_are_ended)
{
    const Scratch scratch;
    Result<Process> process =
        Process::start(scratch.shell("trap '' TERM\nfor i in 1 2 3 4 5 6 7 8 9 10 11 12; do\n"
                                     "sh -c 'trap \"\" TERM; while :; do sleep 1; done' &\ndone\nwait"));
    ASSERT_TRUE(process);
    ASSERT_TRUE(eventually([&] { return processes_with(scratch.token()).size() > 12; }));
    EXPECT_EQ(process->kill(std::chrono::milliseconds(50)), 0);
    EXPECT_EQ(processes_with(scratch.token()), std::vector<pid_t>());
}

TEST(Process, sigterm_comes_first_when_time_is_given)
{
    const Scratch scratch;
    const std::string polite = "trap 'echo bye; exit 0' TERM; echo ready; while :; do sleep 0.05; done";
    scratch.write("below", polite);
    ProcessOrder order = scratch.shell("setsid sh below &\n" + polite);
    order.folder = scratch.folder();
    Result<Process> process = Process::start(order);
    ASSERT_TRUE(process);
    ASSERT_TRUE(eventually([&] { return text_of(order.output) == "ready\nready\n"; }));
    EXPECT_EQ(process->kill(std::chrono::seconds(30)), 0);
    const std::string said = text_of(order.output);
    EXPECT_NE(said.find("bye\n"), said.rfind("bye\n")) << said;
}

TEST(Process, a_process_that_kills_its_whole_group_does_not_kill_its_keeper)
{
    const Scratch scratch;
    Result<Process> process = Process::start(scratch.shell("kill -KILL 0"));
    ASSERT_TRUE(process);
    ASSERT_TRUE(process->wait(soon()));
    EXPECT_EQ(process->status()->value, SIGKILL);
    EXPECT_FALSE(process->lost());
}

TEST(Process, a_killed_keeper_takes_everything_with_it)
{
    const Scratch scratch;
    ProcessOrder order = scratch.shell(std::string(kDaemons) + "sleep 1000");
    order.folder = scratch.folder();
    Result<Process> process = Process::start(order);
    ASSERT_TRUE(process);
    ASSERT_TRUE(eventually([&] { return !text_of(scratch.folder() / "daemon").empty(); }));
    ::kill(process->keeper(), SIGKILL);
    EXPECT_FALSE(process->wait(soon()));
    EXPECT_TRUE(process->lost());
    EXPECT_EQ(process->kill(), 0);
    EXPECT_EQ(processes_with(scratch.token()), std::vector<pid_t>());
}

TEST(Process, a_stopped_keeper_cannot_keep_a_process_alive)
{
    const Scratch scratch;
    Result<Process> process = Process::start(scratch.shell("sleep 1000"));
    ASSERT_TRUE(process);
    ::kill(process->keeper(), SIGSTOP);
    EXPECT_EQ(process->kill(), 0);
    EXPECT_EQ(processes_with(scratch.token()), std::vector<pid_t>());
}

// Forks a harness that runs `act` and then waits to be killed.
template <class Act>
pid_t fork_harness(Act act)
{
    const pid_t harness = ::fork();
    if (harness == 0) {
        act();
        ::pause();
        ::_exit(1);
    }
    return harness;
}

TEST(Process, a_killed_harness_leaves_nothing_behind)
{
    const Scratch scratch;
    ProcessOrder order = scratch.shell(std::string(kDaemons) + "sleep 1000");
    order.folder = scratch.folder();
    const auto directly = [&] { static Result<Process> process = Process::start(order); };
    // The kernel tells of the end of a thread that has children as of the death of a parent.
    const auto in_a_thread = [&] { std::thread(directly).join(); };
    // A child without exec keeps a copy of every descriptor, so the keeper's own never ends.
    const auto with_a_copy = [&] {
        directly();
        scratch.write("copy", std::to_string(fork_harness([] {})));
    };
    const std::vector<std::function<void()>> ways{directly, in_a_thread, with_a_copy};
    for (const auto& way : ways) {
        std::filesystem::remove(scratch.folder() / "daemon");
        const pid_t harness = fork_harness(way);
        EXPECT_TRUE(eventually([&] { return !text_of(scratch.folder() / "daemon").empty(); }));
        EXPECT_GT(processes_with(scratch.token()).size(), 2u);
        ::kill(harness, SIGKILL);
        ::waitpid(harness, nullptr, 0);
        EXPECT_TRUE(eventually([&] { return processes_with(scratch.token()).empty(); }));
    }
    ::kill(std::atoi(text_of(scratch.folder() / "copy").c_str()), SIGKILL);
}

TEST(Process, a_harness_and_a_keeper_killed_together_take_the_process_with_them)
{
    const Scratch scratch;
    const ProcessOrder order = scratch.shell("exec sleep 1000");
    const pid_t harness = fork_harness([&] {
        static Result<Process> process = Process::start(order);
        scratch.write("keeper", std::to_string(process->keeper()) + "\n");
    });
    ASSERT_TRUE(eventually([&] { return text_of(scratch.folder() / "keeper").ends_with('\n'); }));
    ::kill(harness, SIGSTOP);
    ::kill(std::atoi(text_of(scratch.folder() / "keeper").c_str()), SIGKILL);
    ::kill(harness, SIGKILL);
    ::waitpid(harness, nullptr, 0);
    EXPECT_TRUE(eventually([&] { return processes_with(scratch.token()).empty(); }));
}

TEST(Process, the_end_of_the_thread_that_started_it_is_not_its_end)
{
    const Scratch scratch;
    Result<Process> process = fail("not started", "");
    std::thread([&] { process = Process::start(scratch.shell("sleep 1000")); }).join();
    ASSERT_TRUE(process);
    EXPECT_FALSE(process->wait(Clock::now() + std::chrono::milliseconds(300)));
    EXPECT_FALSE(process->lost());
    EXPECT_EQ(::kill(process->pid(), 0), 0);
}

TEST(Process, its_keeper_is_small)
{
    const Scratch scratch;
    Result<Process> process = Process::start(scratch.shell("sleep 1000"));
    ASSERT_TRUE(process);
    const std::string status = text_of("/proc/" + std::to_string(process->keeper()) + "/status");
    const std::size_t at = status.find("VmHWM:");
    ASSERT_NE(at, std::string::npos);
    EXPECT_LT(std::atoi(status.c_str() + at + 6), 4096) << "kB";
}

}  // namespace
}  // namespace lockstep::launch
