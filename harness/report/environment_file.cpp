// A key is absent when the machine does not tell its value.
#include "harness/report/environment_file.hpp"

#include <nlohmann/json.hpp>

#include "harness/base/atomic_file.hpp"

namespace lockstep::report {

Result<void> write_environment(const std::filesystem::path& file, const record::Environment& environment)
{
    nlohmann::ordered_json json{{"lockstep", environment.lockstep_version},
                                {"system", environment.system},
                                {"kernel", environment.kernel},
                                {"boot_id", environment.boot_id},
                                {"cpu_model", environment.cpu_model},
                                {"vector_units", environment.vector_units},
                                {"cores_online", environment.cores_online},
                                {"cores_usable", environment.cores_usable},
                                {"core_ids", environment.core_ids}};
    const auto put = [&](const char* key, const auto& value) {
        if (value) {
            json[key] = *value;
        }
    };
    put("quota_cores", environment.quota_cores);
    put("memory_bytes", environment.memory_bytes);
    put("memory_limit_bytes", environment.memory_limit_bytes);
    put("governor", environment.governor);
    put("turbo", environment.turbo);
    put("hypervisor", environment.hypervisor);
    put("gpu_driver", environment.gpu_driver);
    put("cuda", environment.cuda);
    json["gpus"] = nlohmann::ordered_json::array();
    for (const record::Gpu& gpu : environment.gpus) {
        json["gpus"].push_back({{"name", gpu.name}});
        if (gpu.memory_bytes) {
            json["gpus"].back()["memory_bytes"] = *gpu.memory_bytes;
        }
    }
    json["variables"] = environment.variables;
    return write_file(file,
                      json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
}

}  // namespace lockstep::report
