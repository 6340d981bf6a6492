// /proc, /sys and cgroup files (v1, v2 and hybrid) that describe the machine.
#include "harness/observe/environment.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>

#ifndef LOCKSTEP_VERSION
#define LOCKSTEP_VERSION "unknown"
#endif

namespace lockstep::observe {
namespace {

using record::Environment;

std::optional<std::string> first_line(const std::string& path)
{
    std::ifstream in(path);
    std::string line;
    if (!std::getline(in, line)) {
        return {};
    }
    return line;
}

std::optional<std::int64_t> number_in(const std::string& path)
{
    std::ifstream in(path);
    std::int64_t value = 0;
    if (!(in >> value)) {
        return {};
    }
    return value;
}

// The value behind "key<tabs>: " in the first block of /proc/cpuinfo.
std::string cpuinfo(const std::string& key)
{
    std::ifstream in("/proc/cpuinfo");
    std::string line;
    while (std::getline(in, line)) {
        if (line.starts_with(key)) {
            const std::size_t colon = line.find(": ");
            return colon == std::string::npos ? "" : line.substr(colon + 2);
        }
    }
    return "";
}

std::vector<std::string> vector_units()
{
    std::istringstream flags(cpuinfo("flags"));
    std::vector<std::string> units;
    std::string flag;
    while (flags >> flag) {
        if (flag == "avx" || flag == "avx2" || flag == "fma" || flag.starts_with("avx512") ||
            flag.starts_with("amx") || flag == "avx_vnni") {
            units.push_back(flag);
        }
    }
    return units;
}

// This process's path below a cgroup controller's mount; "" stands for version 2.
std::string cgroup_path(const std::string& controller)
{
    std::ifstream in("/proc/self/cgroup");
    std::string line;
    while (std::getline(in, line)) {
        const std::size_t first = line.find(':');
        const std::size_t second = line.find(':', first + 1);
        if (second == std::string::npos) {
            continue;
        }
        const std::string names = "," + line.substr(first + 1, second - first - 1) + ",";
        const bool match =
            controller.empty() ? names == ",," : names.find("," + controller + ",") != std::string::npos;
        if (match) {
            return line.substr(second + 1);
        }
    }
    return "/";
}

std::optional<double> quota_cores()
{
    for (const std::string& path :
         {"/sys/fs/cgroup" + cgroup_path("") + "/cpu.max", std::string("/sys/fs/cgroup/cpu.max")}) {
        std::ifstream in(path);
        std::string quota;
        double period = 0;
        if (in >> quota >> period && quota != "max" && period > 0) {
            return std::strtod(quota.c_str(), nullptr) / period;
        }
    }
    for (const std::string& folder :
         {"/sys/fs/cgroup/cpu" + cgroup_path("cpu"), std::string("/sys/fs/cgroup/cpu")}) {
        const auto quota = number_in(folder + "/cpu.cfs_quota_us");
        const auto period = number_in(folder + "/cpu.cfs_period_us");
        if (quota && period && *quota > 0 && *period > 0) {
            return static_cast<double>(*quota) / static_cast<double>(*period);
        }
    }
    return {};
}

std::optional<std::int64_t> memory_limit()
{
    constexpr std::int64_t kUnlimited = std::int64_t{1} << 60;  // version 1 writes a huge number for none
    for (const std::string& path :
         {"/sys/fs/cgroup" + cgroup_path("") + "/memory.max", std::string("/sys/fs/cgroup/memory.max"),
          "/sys/fs/cgroup/memory" + cgroup_path("memory") + "/memory.limit_in_bytes",
          std::string("/sys/fs/cgroup/memory/memory.limit_in_bytes")}) {
        const auto limit = number_in(path);
        if (limit && *limit < kUnlimited) {
            return limit;
        }
    }
    return {};
}

std::string system_name()
{
    std::ifstream in("/etc/os-release");
    std::string line;
    while (std::getline(in, line)) {
        if (line.starts_with("PRETTY_NAME=\"")) {
            return line.substr(13, line.size() - 14);
        }
    }
    return "unknown";
}

std::optional<bool> turbo()
{
    if (const auto off = number_in("/sys/devices/system/cpu/intel_pstate/no_turbo")) {
        return *off == 0;
    }
    if (const auto on = number_in("/sys/devices/system/cpu/cpufreq/boost")) {
        return *on != 0;
    }
    return {};
}

void read_gpu(Environment& environment)
{
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/driver/nvidia/gpus", ignored)) {
        std::ifstream in(entry.path() / "information");
        std::string line;
        while (std::getline(in, line)) {
            if (line.starts_with("Model:")) {
                environment.gpus.push_back({line.substr(line.find_first_not_of(" \t", 6)), {}});
            }
        }
    }
    if (const auto version = first_line("/proc/driver/nvidia/version")) {
        std::istringstream words(*version);
        std::string word;
        while (words >> word) {
            if (std::isdigit(static_cast<unsigned char>(word[0])) && word.find('.') != std::string::npos) {
                environment.gpu_driver = word;
                break;
            }
        }
    }
}

std::vector<int> allowed_cores()
{
    cpu_set_t set;
    CPU_ZERO(&set);
    std::vector<int> ids;
    if (sched_getaffinity(0, sizeof set, &set) == 0) {
        for (int id = 0; id < CPU_SETSIZE; ++id) {
            if (CPU_ISSET(id, &set)) {
                ids.push_back(id);
            }
        }
    }
    return ids;
}

}  // namespace

int usable_cores()
{
    int cores = std::max(1, static_cast<int>(allowed_cores().size()));
    if (const auto quota = quota_cores()) {
        cores = std::clamp(static_cast<int>(std::ceil(*quota)), 1, cores);
    }
    return cores;
}

record::Environment read_environment()
{
    Environment environment;
    environment.lockstep_version = LOCKSTEP_VERSION;
    environment.cpu_model = cpuinfo("model name");
    environment.vector_units = vector_units();
    environment.cores_online = static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN));
    environment.core_ids = allowed_cores();
    environment.cores_usable = usable_cores();
    environment.quota_cores = quota_cores();
    environment.memory_bytes = ::sysconf(_SC_PHYS_PAGES) * ::sysconf(_SC_PAGESIZE);
    environment.memory_limit_bytes = memory_limit();
    utsname names{};
    if (::uname(&names) == 0) {
        environment.kernel = fmt::format("{} {}", names.sysname, names.release);
    }
    environment.system = system_name();
    environment.boot_id = first_line("/proc/sys/kernel/random/boot_id").value_or("");
    environment.governor = first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
    environment.turbo = turbo();
    if (cpuinfo("flags").find("hypervisor") != std::string::npos) {
        environment.hypervisor = first_line("/sys/class/dmi/id/sys_vendor").value_or("unknown");
    }
    read_gpu(environment);
    for (const char* name :
         {"OMP_NUM_THREADS", "OMP_WAIT_POLICY", "OPENBLAS_NUM_THREADS", "OPENBLAS_CORETYPE",
          "OPENBLAS_L2_SIZE", "MKL_NUM_THREADS", "CUDA_VISIBLE_DEVICES", "LD_PRELOAD"}) {
        if (const char* value = std::getenv(name)) {
            environment.variables[name] = value;
        }
    }
    return environment;
}

}  // namespace lockstep::observe
