// The machine as it was: what a later reader needs to judge whether two results may stand side by side.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace lockstep::record {

struct Gpu {
    std::string name;
    std::optional<std::int64_t> memory_bytes;
};

struct Environment {
    std::string cpu_model;
    std::vector<std::string> vector_units;  // avx2, avx512f, amx_tile ...
    int cores_online = 0;
    int cores_usable = 0;               // after affinity and quota, rounded up
    std::vector<int> core_ids;          // that this process may use
    std::optional<double> quota_cores;  // cgroup CPU quota
    std::optional<std::int64_t> memory_bytes;
    std::optional<std::int64_t> memory_limit_bytes;  // cgroup
    std::string kernel;
    std::string system;  // Debian GNU/Linux 12 (bookworm)
    std::string boot_id;
    std::optional<std::string> governor;
    std::optional<bool> turbo;
    std::optional<std::string> hypervisor;
    std::vector<Gpu> gpus;
    std::optional<std::string> gpu_driver;
    std::optional<std::string> cuda;
    std::map<std::string, std::string> variables;  // thread and BLAS settings that were inherited
    std::string lockstep_version;
};

}  // namespace lockstep::record
