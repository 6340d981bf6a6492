// What the tests of this folder share: a folder that goes away, little shell programs, and a look at which
// processes are left.
#pragma once

#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "harness/launch/process.hpp"

namespace lockstep::launch {

class Scratch {
public:
    Scratch()
    {
        std::string name = (std::filesystem::temp_directory_path() / "lockstep-test-XXXXXX").string();
        folder_ = ::mkdtemp(name.data());
    }
    ~Scratch()
    {
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;

    const std::filesystem::path& folder() const { return folder_; }
    // In the environment of every process of this test.
    std::string token() const { return "LOCKSTEP_TEST_TOKEN=" + folder_.string(); }

    std::filesystem::path write(const std::string& name, const std::string& text) const
    {
        std::filesystem::create_directories((folder_ / name).parent_path());
        std::ofstream(folder_ / name, std::ios::binary) << text;
        return folder_ / name;
    }
    // An order that runs `script` under sh, with its output in "output".
    ProcessOrder shell(const std::string& script) const
    {
        ProcessOrder order;
        order.command = {"sh", write("program", script).string()};
        order.environment = {token(), "PATH=" + std::string(std::getenv("PATH"))};
        order.output = folder_ / "output";
        return order;
    }

private:
    std::filesystem::path folder_;
};

inline std::string text_of(const std::filesystem::path& path)
{
    std::ifstream in(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
}

// Living processes with `entry` in their environment; the dead that nobody has reaped have none.
inline std::vector<pid_t> processes_with(const std::string& entry)
{
    std::vector<pid_t> found;
    std::error_code error;
    for (std::filesystem::directory_iterator at("/proc", error), end; at != end; at.increment(error)) {
        const std::string name = at->path().filename().string();
        if (name.find_first_not_of("0123456789") == std::string::npos &&
            text_of(at->path() / "environ").find(entry) != std::string::npos) {
            found.push_back(std::atoi(name.c_str()));
        }
    }
    return found;
}

// Waits (long, since the machine may be busy) until a condition holds; false when it never does.
template <class Condition>
bool eventually(Condition condition)
{
    for (int i = 0; i < 3000; ++i) {
        if (condition()) {
            return true;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
}

inline Clock::time_point soon()
{
    return Clock::now() + std::chrono::seconds(30);
}

}  // namespace lockstep::launch
