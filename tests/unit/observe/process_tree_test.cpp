// What is seen of a process from outside.
#include "harness/observe/process_tree.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <vector>

#include "harness/observe/clock.hpp"
#include "harness/observe/environment.hpp"

namespace lockstep::observe {
namespace {

constexpr std::size_t kMiB = 1024 * 1024;

// A child that touches `megabytes`, optionally keeps them, has a child of its own, and waits to be killed.
class Child {
public:
    Child(std::size_t megabytes, bool keep)
    {
        int ready[2];
        if (::pipe(ready) != 0) {
            ADD_FAILURE() << "no pipe";
            return;
        }
        pid_ = ::fork();
        if (pid_ == 0) {
            std::vector<char> memory(megabytes * kMiB, 1);
            if (!keep) {
                std::vector<char>().swap(memory);
            }
            if (::fork() == 0) {
                ::pause();
            }
            [[maybe_unused]] const ssize_t sent = ::write(ready[1], memory.empty() ? "x" : memory.data(), 1);
            ::pause();
            ::_exit(0);
        }
        char byte = 0;
        [[maybe_unused]] const ssize_t got = ::read(ready[0], &byte, 1);
        ::close(ready[0]);
        ::close(ready[1]);
    }
    ~Child()
    {
        for (const pid_t pid : process_tree(pid_)) {
            ::kill(pid, SIGKILL);
        }
        ::waitpid(pid_, nullptr, 0);
    }
    pid_t pid() const { return pid_; }

private:
    pid_t pid_ = -1;
};

TEST(ProcessTree, holds_the_process_and_its_children)
{
    const Child child(1, true);
    const auto tree = process_tree(child.pid());
    ASSERT_EQ(tree.size(), 2u);
    EXPECT_EQ(tree[0], child.pid());
}

TEST(ProcessTree, a_process_that_is_gone_is_absent)
{
    EXPECT_TRUE(process_tree(0x3fffffff).empty());
    EXPECT_FALSE(read_tree(0x3fffffff));
}

// G9: known allocations within max(1 %, 2 MiB), here of 64 MiB more beside the same child without them.
// Sanitizers hold memory of their own.
TEST(ProcessTree, the_peak_remembers_memory_that_was_given_back)
{
    const Child small(1, true);
    const Child big(65, false);
    const auto low = read_tree(small.pid());
    const auto high = read_tree(big.pid());
    ASSERT_TRUE(low && high);
    const double grown = static_cast<double>(high->resident_peak_bytes - low->resident_peak_bytes);
    EXPECT_NEAR(grown, 64.0 * kMiB, 3.0 * kMiB);
}

TEST(ProcessTree, a_reset_peak_starts_from_what_is_resident)
{
    const Child big(65, false);
    const auto before = read_tree(big.pid());
    if (!reset_peak(big.pid())) {
        GTEST_SKIP() << "this kernel does not let the peak be reset";
    }
    const auto after = read_tree(big.pid());
    ASSERT_TRUE(before && after);
    EXPECT_LT(after->resident_peak_bytes, before->resident_peak_bytes);
}

TEST(Environment, names_this_machine)
{
    const auto environment = read_environment();
    EXPECT_GE(environment.cores_usable, 1);
    EXPECT_LE(environment.cores_usable, environment.cores_online);
    EXPECT_FALSE(environment.kernel.empty());
    EXPECT_EQ(environment.core_ids.size() >= static_cast<std::size_t>(environment.cores_usable), true);
}

TEST(Clock, runs_forward_and_is_the_monotonic_one)
{
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    const std::int64_t stamp = monotonic_ns();
    EXPECT_GE(stamp, now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec);
    EXPECT_LE(stamp, monotonic_ns());
}

TEST(Clock, wall_time_has_the_form_of_the_log)
{
    const std::string text = wall_time();
    ASSERT_EQ(text.size(), 19u);
    EXPECT_EQ(text[10], ' ');
    EXPECT_EQ(text[13], ':');
}

}  // namespace
}  // namespace lockstep::observe
