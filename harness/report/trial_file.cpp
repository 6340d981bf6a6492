// Trial to JSON and back. A key is absent when its value is.
#include "harness/report/trial_file.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "harness/base/atomic_file.hpp"
#include "harness/base/npy_file.hpp"

namespace lockstep::report {
namespace {

using Json = nlohmann::ordered_json;
using record::Epoch;
using record::Span;
using record::Trial;
using record::Usage;

constexpr int kFormat = 1;

template <class T>
void put(Json& json, const char* key, const std::optional<T>& value)
{
    if (value) {
        json[key] = *value;
    }
}

template <class T>
void take(const Json& json, const char* key, std::optional<T>& value)
{
    if (const auto at = json.find(key); at != json.end() && !at->is_null()) {
        value = at->get<T>();
    }
}

Json span_json(const Span& span)
{
    return Json::array({span.begin, span.end});
}
Span span_of(const Json& json)
{
    return {json.at(0).get<std::int64_t>(), json.at(1).get<std::int64_t>()};
}

Json epoch_json(const Epoch& epoch)
{
    Json json{{"span_ns", span_json(epoch.span)}, {"steps", epoch.steps}};
    put(json, "loss", epoch.loss);
    put(json, "accuracy", epoch.accuracy);
    if (epoch.evaluation) {
        json["evaluation_ns"] = span_json(*epoch.evaluation);
    }
    return json;
}

Epoch epoch_of(const Json& json)
{
    Epoch epoch;
    epoch.span = span_of(json.at("span_ns"));
    epoch.steps = json.at("steps");
    take(json, "loss", epoch.loss);
    take(json, "accuracy", epoch.accuracy);
    if (json.contains("evaluation_ns")) {
        epoch.evaluation = span_of(json.at("evaluation_ns"));
    }
    return epoch;
}

Json usage_json(const Usage& usage)
{
    Json json = Json::object();
    put(json, "resident_peak_bytes", usage.resident_peak_bytes);
    put(json, "resident_before_bytes", usage.resident_before_bytes);
    put(json, "cpu_seconds", usage.cpu_seconds);
    put(json, "train_cpu_seconds", usage.train_cpu_seconds);
    put(json, "threads", usage.threads);
    put(json, "gpu_utilisation", usage.gpu_utilisation);
    put(json, "gpu_peak_bytes", usage.gpu_peak_bytes);
    json["allocator_bytes"] = usage.allocator_bytes;
    return json;
}

Usage usage_of(const Json& json)
{
    Usage usage;
    take(json, "resident_peak_bytes", usage.resident_peak_bytes);
    take(json, "resident_before_bytes", usage.resident_before_bytes);
    take(json, "cpu_seconds", usage.cpu_seconds);
    take(json, "train_cpu_seconds", usage.train_cpu_seconds);
    take(json, "threads", usage.threads);
    take(json, "gpu_utilisation", usage.gpu_utilisation);
    take(json, "gpu_peak_bytes", usage.gpu_peak_bytes);
    usage.allocator_bytes = json.at("allocator_bytes").get<std::map<std::string, std::int64_t>>();
    return usage;
}

Json trial_json(const Trial& trial)
{
    Json json{{"format", kFormat},
              {"model", trial.model},
              {"arm", trial.arm},
              {"framework", trial.framework},
              {"block", trial.block},
              {"position", trial.position},
              {"twin", trial.twin},
              {"seed", trial.seed},
              {"started_at", trial.started_at},
              {"device", trial.device},
              {"batch_size", trial.batch},
              {"threads_asked", trial.threads_asked}};
    json["outcome"] = {{"kind", record::word(trial.outcome.kind)},
                       {"stage", trial.outcome.stage},
                       {"reason", trial.outcome.reason},
                       {"remedy", trial.outcome.remedy},
                       {"tail", trial.outcome.tail}};
    put(json, "train_time_sec", trial.train_seconds);
    put(json, "median_step_sec", record::median_step(trial));
    put(json, "accuracy", trial.accuracy);
    put(json, "parameters", trial.parameters);
    json["train_samples"] = trial.train_samples;
    json["test_samples"] = trial.test_samples;
    json["warm_up_steps"] = trial.warm_up_steps;
    json["versions"] = trial.versions;
    json["facts"] = trial.facts;
    json["warnings"] = trial.warnings;
    json["phases_ns"] = Json::object();
    for (const auto& [name, span] : trial.phases) {
        json["phases_ns"][name] = span_json(span);
    }
    json["epochs"] = Json::array();
    for (const Epoch& epoch : trial.epochs) {
        json["epochs"].push_back(epoch_json(epoch));
    }
    json["usage"] = usage_json(trial.usage);
    json["steps_file"] = trial.steps.empty() ? Json() : Json("steps.npy");
    return json;
}

Trial trial_of(const Json& json)
{
    Trial trial;
    trial.model = json.at("model");
    trial.arm = json.at("arm");
    trial.framework = json.at("framework");
    trial.block = json.at("block");
    trial.position = json.at("position");
    trial.twin = json.at("twin");
    trial.seed = json.at("seed");
    trial.started_at = json.at("started_at");
    trial.device = json.at("device");
    trial.batch = json.at("batch_size");
    trial.threads_asked = json.at("threads_asked");
    const Json& outcome = json.at("outcome");
    record::from_word(outcome.at("kind").get<std::string>(), trial.outcome.kind);
    trial.outcome.stage = outcome.at("stage");
    trial.outcome.reason = outcome.at("reason");
    trial.outcome.remedy = outcome.at("remedy");
    trial.outcome.tail = outcome.at("tail");
    take(json, "train_time_sec", trial.train_seconds);
    take(json, "accuracy", trial.accuracy);
    take(json, "parameters", trial.parameters);
    trial.train_samples = json.at("train_samples");
    trial.test_samples = json.at("test_samples");
    trial.warm_up_steps = json.at("warm_up_steps");
    trial.versions = json.at("versions").get<std::map<std::string, std::string>>();
    trial.facts = json.at("facts").get<std::map<std::string, std::string>>();
    trial.warnings = json.at("warnings").get<std::vector<std::string>>();
    for (const auto& [name, span] : json.at("phases_ns").items()) {
        trial.phases[name] = span_of(span);
    }
    for (const Json& epoch : json.at("epochs")) {
        trial.epochs.push_back(epoch_of(epoch));
    }
    trial.usage = usage_of(json.at("usage"));
    return trial;
}

Result<void> write_steps(const std::filesystem::path& file, const Trial& trial)
{
    std::vector<std::int64_t> stamps;
    stamps.reserve(trial.steps.size() * 2);
    for (const record::Step& step : trial.steps) {
        stamps.push_back(step.begin);
        stamps.push_back(step.end);
    }
    return write_npy<std::int64_t>(file, {static_cast<std::int64_t>(trial.steps.size()), 2}, stamps);
}

}  // namespace

Result<void> write_trial(const std::filesystem::path& folder, const Trial& trial)
{
    if (!trial.steps.empty()) {
        if (const Result<void> written = write_steps(folder / "steps.npy", trial); !written) {
            return written;
        }
    }
    return write_file(folder / "record.json",
                      trial_json(trial).dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

Result<Trial> read_trial(const std::filesystem::path& folder)
{
    const Result<std::string> text = read_file(folder / "record.json");
    if (!text) {
        return tl::unexpected(text.error());
    }
    const auto broken = [&](const std::string& why) {
        return fail(fmt::format("{} is not a run's record: {}.", (folder / "record.json").string(), why),
                    "Delete that run's folder and resume the campaign: the run is then made again.");
    };
    try {
        const Json json = Json::parse(*text);
        if (json.at("format") != kFormat) {
            return broken("it has another format");
        }
        Trial trial = trial_of(json);
        trial.folder = folder.filename().string();
        if (!json.at("steps_file").is_null()) {
            const Result<NpyFile> file = NpyFile::open(folder / json.at("steps_file").get<std::string>());
            if (!file) {
                return tl::unexpected(file.error());
            }
            if (file->type() != NpyType::i64 || file->shape().size() != 2 || file->shape()[1] != 2) {
                return broken("its step times have another shape");
            }
            const auto stamps = file->values<std::int64_t>();
            for (std::size_t i = 0; i + 1 < stamps.size(); i += 2) {
                trial.steps.push_back({stamps[i], stamps[i + 1]});
            }
        }
        return trial;
    } catch (const Json::exception& error) {
        return broken(error.what());
    }
}

}  // namespace lockstep::report
