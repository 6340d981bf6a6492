// Parsers for /proc/PID/{status,stat} and /proc/PID/task/TID/children.
#include "harness/observe/process_tree.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace lockstep::observe {
namespace {

std::optional<std::string> slurp(const std::string& path)
{
    std::ifstream in(path);
    if (!in) {
        return {};
    }
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

// The number behind "Key:" in status, as it stands there (kB for memory).
std::optional<std::int64_t> field(const std::string& status, const std::string& key)
{
    const std::size_t at = status.find("\n" + key + ":");
    if (at == std::string::npos) {
        return {};
    }
    const std::size_t digit = status.find_first_of("0123456789", at + key.size() + 2);
    std::int64_t value = 0;
    if (digit == std::string::npos ||
        std::from_chars(status.data() + digit, status.data() + status.size(), value).ec != std::errc()) {
        return {};
    }
    return value;
}

// utime + stime + cutime + cstime of stat, fields 14 to 17 of proc(5), in seconds. The name in brackets may
// hold spaces and brackets, so counting starts behind the last one.
std::optional<double> cpu_seconds(const std::string& stat)
{
    const std::size_t name_end = stat.rfind(')');
    if (name_end == std::string::npos) {
        return {};
    }
    std::istringstream rest(stat.substr(name_end + 1));
    std::string word;
    for (int field_number = 3; field_number < 14; ++field_number) {
        rest >> word;
    }
    std::int64_t ticks = 0;
    for (int i = 0; i < 4; ++i) {
        std::int64_t part = 0;
        rest >> part;
        ticks += part;
    }
    if (!rest) {
        return {};
    }
    return static_cast<double>(ticks) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

void add_descendants(pid_t pid, std::vector<pid_t>& tree)
{
    tree.push_back(pid);
    std::error_code ignored;
    for (const auto& task : std::filesystem::directory_iterator(fmt::format("/proc/{}/task", pid), ignored)) {
        std::istringstream children(slurp(task.path() / "children").value_or(""));
        pid_t child = 0;
        while (children >> child) {
            add_descendants(child, tree);
        }
    }
}

}  // namespace

std::vector<pid_t> process_tree(pid_t root)
{
    std::vector<pid_t> tree;
    if (std::filesystem::exists(fmt::format("/proc/{}", root))) {
        add_descendants(root, tree);
    }
    return tree;
}

std::optional<TreeReading> read_tree(pid_t root)
{
    TreeReading sum;
    bool any = false;
    for (const pid_t pid : process_tree(root)) {
        const auto status = slurp(fmt::format("/proc/{}/status", pid));
        const auto stat = slurp(fmt::format("/proc/{}/stat", pid));
        if (!status || !stat) {
            continue;
        }
        const auto peak = field(*status, "VmHWM");
        const auto resident = field(*status, "VmRSS");
        const auto cpu = cpu_seconds(*stat);
        if (!peak || !resident || !cpu) {
            continue;
        }
        any = true;
        sum.resident_peak_bytes += *peak * 1024;
        sum.resident_bytes += *resident * 1024;
        sum.cpu_seconds += *cpu;
        sum.threads += static_cast<int>(field(*status, "Threads").value_or(0));
    }
    return any ? std::optional(sum) : std::nullopt;
}

bool reset_peak(pid_t root)
{
    bool all = true;
    for (const pid_t pid : process_tree(root)) {
        std::ofstream out(fmt::format("/proc/{}/clear_refs", pid));
        out << "5" << std::flush;
        all = all && out.good();
    }
    return all;
}

}  // namespace lockstep::observe
