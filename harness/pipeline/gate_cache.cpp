// JSON files named by their key.
#include "harness/pipeline/gate_cache.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "harness/base/atomic_file.hpp"
#include "harness/base/digest.hpp"
#include "harness/launch/install_marker.hpp"
#include "protocol/codec.hpp"

namespace lockstep::pipeline {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr int kFormat = 6;  // raised when the exam or its judgement changes

void add_files(Digest& digest, const fs::path& folder)
{
    std::vector<fs::path> files;
    std::error_code ignored;
    for (auto at = fs::recursive_directory_iterator(folder, ignored);
         at != fs::recursive_directory_iterator(); at.increment(ignored)) {
        if (at->path().filename() == "__pycache__" || at->path().filename() == "CMakeFiles") {
            at.disable_recursion_pending();
        } else if (at->is_regular_file(ignored)) {
            files.push_back(at->path());
        }
    }
    std::sort(files.begin(), files.end());
    for (const fs::path& file : files) {
        digest.add(file.filename().string());
        digest.add(digest_of_file(file).value_or(""));
    }
}

// Folders beside the worker's whose names begin with an underscore hold what several workers share.
void add_shared_folders(Digest& digest, const fs::path& beside)
{
    std::vector<fs::path> folders;
    std::error_code ignored;
    for (auto at = fs::directory_iterator(beside, ignored); at != fs::directory_iterator();
         at.increment(ignored)) {
        if (at->is_directory(ignored) && at->path().filename().string().front() == '_') {
            folders.push_back(at->path());
        }
    }
    std::sort(folders.begin(), folders.end());
    for (const fs::path& folder : folders) {
        add_files(digest, folder);
    }
}

}  // namespace

GateCache::GateCache(const record::Plan& plan, const Ground& ground, const Workshop& shop)
    : plan_(plan), ground_(ground), shop_(shop)
{
}

std::string GateCache::key(std::size_t network, const record::Arm& arm, const launch::Manifest& manifest,
                           const launch::Readiness& ready) const
{
    Digest digest;
    digest.add(fmt::format("{} {} {} {} {}\n", kFormat, shop_.environment.lockstep_version,
                           shop_.environment.cpu_model, ground_.dataset.digest, plan_.seed));
    digest.add(protocol::to_json(ground_.networks[network]).dump());
    const protocol::Optimizer& optimizer = plan_.optimizer;
    digest.add(fmt::format("{} {} {} {} {} {}\n", optimizer.kind, optimizer.learning_rate, optimizer.beta1,
                           optimizer.beta2, optimizer.epsilon, optimizer.momentum));
    digest.add(fmt::format("{} {} {} {} {} {} {}\n", arm.framework, arm.batch, arm.threads, arm.tf32,
                           arm.input, arm.device.kind, arm.device.index));
    for (const auto& settings : {arm.env, arm.options}) {
        for (const auto& [name, value] : settings) {
            digest.add(fmt::format("{}={}\n", name, value));
        }
    }
    digest.add(fmt::format("{} {}\n", ready.python.string(), ready.version));
    if (const auto installed = launch::installed(manifest.install.share, shop_.places)) {
        digest.add(installed->digest);
    }
    add_files(digest, manifest.folder);
    add_shared_folders(digest, manifest.folder.parent_path());
    add_files(digest, shop_.places.sdk);
    add_files(digest, shop_.places.bin / manifest.folder.filename());
    return digest.hex();
}

bool GateCache::recall(const std::string& key, GateResult& result, const fs::path& table) const
{
    const Result<std::string> text = read_file(shop_.gate_cache / (key + ".json"));
    const Json json = text ? Json::parse(*text, nullptr, false) : Json();
    if (!json.is_object() || !json.contains("first_loss") || !json.contains("parameters") ||
        !json.contains("furthest_units") || !json.contains("note")) {
        return false;
    }
    std::error_code code;
    if (!fs::copy_file(shop_.gate_cache / (key + ".table.json"), table, fs::copy_options::overwrite_existing,
                       code)) {
        return false;
    }
    result.admission = Admission::agrees;
    result.first_loss = json["first_loss"].get<double>();
    result.parameters = json["parameters"].get<std::int64_t>();
    result.furthest_units = json["furthest_units"].get<double>();
    result.note = json["note"].get<std::string>();
    result.from_cache = true;
    return true;
}

void GateCache::keep(const std::string& key, const GateResult& result, const fs::path& table) const
{
    std::error_code ignored;
    fs::create_directories(shop_.gate_cache, ignored);
    fs::copy_file(table, shop_.gate_cache / (key + ".table.json"), fs::copy_options::overwrite_existing,
                  ignored);
    const Json json{{"first_loss", *result.first_loss},
                    {"parameters", *result.parameters},
                    {"furthest_units", *result.furthest_units},
                    {"note", result.note}};
    [[maybe_unused]] const Result<void> written =
        write_file(shop_.gate_cache / (key + ".json"), json.dump() + "\n");
}

}  // namespace lockstep::pipeline
