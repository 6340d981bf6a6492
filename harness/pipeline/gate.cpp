// For each network one exam with its answer, then each arm's worker against it.
#include "harness/pipeline/gate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "harness/base/atomic_file.hpp"
#include "harness/base/digest.hpp"
#include "harness/base/npy_file.hpp"
#include "harness/data/initial_weights.hpp"
#include "harness/judge/agreement.hpp"
#include "harness/judge/diagnosis.hpp"
#include "harness/launch/install.hpp"
#include "harness/pipeline/session.hpp"
#include "harness/pipeline/supplies.hpp"

namespace lockstep::pipeline {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using record::Outcome;
using record::OutcomeKind;

constexpr int kSteps = 5;                              // k of CONTRACT section 3
constexpr std::int64_t kValuesInBatch = 64 * 28 * 28;  // image values of a check's batch: the float64
                                                       // reference then takes seconds at any image size
constexpr int kCacheFormat = 2;

std::int64_t gate_batch(const protocol::Network& network, std::int64_t batch)
{
    const std::int64_t values = network.input[0] * network.input[1] * network.input[2];
    return std::min(batch, std::max<std::int64_t>(2, kValuesInBatch / values));
}

// An exam, and the files in which workers are asked it.
struct Paper {
    judge::Exam exam;
    fs::path images;
    fs::path labels;
    fs::path order;
    fs::path test_images;  // whose classes are asked for at the end: a batch and one image more
};

class Gate {
public:
    Gate(const GateOrder& order, const Workshop& shop)
        : order_(order), shop_(shop), optimizer_(judge::exam_optimizer(order.plan.optimizer))
    {
    }

    GateResult check(std::size_t network, std::size_t arm)
    {
        GateResult result;
        result.network = network;
        result.arm = arm;
        const record::Arm& asked = order_.plan.arms[arm];
        const auto manifest = shop_.catalog.find(asked.framework);
        if (!manifest) {
            result.admission = Admission::skipped;
            result.note = manifest.error().what + " " + manifest.error().remedy;
            return result;
        }
        const launch::Readiness ready =
            launch::readiness(**manifest, shop_.places, asked.python.value_or(""));
        if (!ready.ready) {
            result.admission = Admission::skipped;
            result.note = ready.missing + " " + ready.remedy;
            return result;
        }
        if (!(*manifest)->ranked) {
            result.note = "A control, not a framework: shown, never ranked.";
            return result;
        }
        if (!order_.plan.verify) {
            result.note =
                "Not checked against the reference, as asked (--no-verify): nothing shows that it computes "
                "the same.";
            return result;
        }
        if (asked.precision != "float32") {
            result.note =
                fmt::format("Not checked: {} is outside of the tolerances of float32.", asked.precision);
            return result;
        }
        const std::string digest = digest_of_arm(network, asked, **manifest, ready);
        if (take_cached(digest, result)) {
            return result;
        }
        examine(network, asked, result);
        if (result.admission == Admission::agrees) {
            keep(digest, result);
        }
        return result;
    }

private:
    // Everything that the result depends on: worker's files, interpreter, settings, network, data.
    std::string digest_of_arm(std::size_t network, const record::Arm& arm, const launch::Manifest& manifest,
                              const launch::Readiness& ready)
    {
        Digest digest;
        digest.add(fmt::format("{} {} {} {} {}\n", kCacheFormat, shop_.environment.lockstep_version,
                               shop_.environment.cpu_model, order_.ground.dataset.digest, order_.plan.seed));
        digest.add(protocol::to_json(order_.ground.networks[network]).dump());
        const protocol::Optimizer& optimizer = order_.plan.optimizer;
        digest.add(fmt::format("{} {} {} {} {} {}\n", optimizer.kind, optimizer.learning_rate,
                               optimizer.beta1, optimizer.beta2, optimizer.epsilon, optimizer.momentum));
        digest.add(fmt::format("{} {} {} {} {} {} {}\n", arm.framework, arm.batch, arm.threads, arm.tf32,
                               arm.input, arm.device.kind, arm.device.index));
        for (const auto& settings : {arm.env, arm.options}) {
            for (const auto& [key, value] : settings) {
                digest.add(fmt::format("{}={}\n", key, value));
            }
        }
        digest.add(fmt::format("{} {}\n", ready.python.string(), ready.version));
        if (const auto installed = launch::installed(manifest.install.share, shop_.places)) {
            digest.add(installed->digest);
        }
        add_files(digest, manifest.folder);
        add_files(digest, shop_.places.sdk);
        add_files(digest, shop_.places.bin / manifest.folder.filename());
        return digest.hex();
    }

    static void add_files(Digest& digest, const fs::path& folder)
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

    bool take_cached(const std::string& digest, GateResult& result) const
    {
        const Result<std::string> text = read_file(shop_.gate_cache / (digest + ".json"));
        const Json json = text ? Json::parse(*text, nullptr, false) : Json();
        if (!json.is_object() || !json.contains("first_loss") || !json.contains("parameters") ||
            !json.contains("furthest_units")) {
            return false;
        }
        result.admission = Admission::agrees;
        result.first_loss = json["first_loss"].get<double>();
        result.parameters = json["parameters"].get<std::int64_t>();
        result.furthest_units = json["furthest_units"].get<double>();
        result.from_cache = true;
        return true;
    }

    void keep(const std::string& digest, const GateResult& result) const
    {
        std::error_code ignored;
        fs::create_directories(shop_.gate_cache, ignored);
        const Json json{{"first_loss", *result.first_loss},
                        {"parameters", *result.parameters},
                        {"furthest_units", *result.furthest_units}};
        // A cache that cannot be written costs the next campaign a check, and nothing else.
        [[maybe_unused]] const Result<void> written =
            write_file(shop_.gate_cache / (digest + ".json"), json.dump() + "\n");
    }

    void examine(std::size_t network, const record::Arm& arm, GateResult& result)
    {
        const std::int64_t batch = gate_batch(order_.ground.networks[network], arm.batch);
        const Result<const Paper*> paper = paper_for(network, batch);
        if (!paper) {
            result.admission = Admission::failed;
            result.note = paper.error().what + " " + paper.error().remedy;
            return;
        }
        const launch::Answer<record::Observation> observed =
            ask(**paper, order_.ground.networks[network], arm, batch, result);
        if (!observed) {
            result.outcome = observed.error();
            result.admission =
                observed.error().kind == OutcomeKind::skipped ? Admission::skipped : Admission::failed;
            result.note = observed.error().reason +
                          (observed.error().remedy.empty() ? "" : " " + observed.error().remedy);
            return;
        }
        const judge::Exam& exam = (*paper)->exam;
        const judge::Agreement agreement = judge::compare(*observed, exam.question, exam.answer);
        result.first_loss = observed->loss;
        result.furthest_units = agreement.furthest_units();
        result.admission = agreement.agrees ? Admission::agrees : Admission::departs;
        if (!agreement.agrees) {
            result.note = judge::sentence(agreement);
            const judge::Diagnosis diagnosis =
                judge::diagnose(*observed, exam.question, exam.answer, agreement);
            result.note += diagnosis.cause ? fmt::format(" Likely cause: {}", diagnosis.cause->sentence)
                                           : std::string(" None of the known causes fits.");
        }
        report(arm, order_.ground.networks[network], agreement);
    }

    // The exam of a network at a batch size; set once, since the float64 answer takes a while.
    Result<const Paper*> paper_for(std::size_t network, std::int64_t batch)
    {
        const std::string key = fmt::format("{}_{}", order_.ground.networks[network].id, batch);
        if (const auto at = papers_.find(key); at != papers_.end()) {
            return &at->second;
        }
        const data::Dataset& dataset = order_.ground.dataset;
        const Result<NpyFile> images = NpyFile::open(dataset.train_images());
        const Result<NpyFile> labels = NpyFile::open(dataset.train_labels());
        if (!images || !labels) {
            return tl::unexpected(!images ? images.error() : labels.error());
        }
        const protocol::Network& layers = order_.ground.networks[network];
        std::map<std::string, std::vector<float>> weights;
        const std::vector<protocol::Parameter> parameters = protocol::parameters_of(layers);
        for (std::size_t i = 0; i < parameters.size(); ++i) {
            weights[parameters[i].name] = data::initial_values(layers, i, order_.plan.seed);
        }
        judge::ExamSettings settings;
        settings.batch = batch;
        settings.steps = kSteps;
        settings.seed = order_.plan.seed;
        Paper paper;
        paper.exam =
            judge::set_exam(layers, optimizer_, weights,
                            {images->values<std::uint8_t>(), labels->values<std::int32_t>()}, settings);
        const Result<void> written =
            write_paper(paper, *images, *labels, order_.staging / fmt::format("exam_{}", key));
        if (!written) {
            return tl::unexpected(written.error());
        }
        return &papers_.emplace(key, std::move(paper)).first->second;
    }

    Result<void> write_paper(Paper& paper, const NpyFile& images, const NpyFile& labels,
                             const fs::path& folder) const
    {
        std::error_code code;
        fs::create_directories(folder, code);
        Shape shape = images.shape();
        const std::size_t values = static_cast<std::size_t>(images.elements() / shape[0]);
        std::vector<std::uint8_t> bytes;
        std::vector<std::int32_t> classes;
        std::vector<std::int64_t> order;
        for (const std::int64_t image : paper.exam.chosen) {
            const auto from =
                images.values<std::uint8_t>().subspan(static_cast<std::size_t>(image) * values, values);
            bytes.insert(bytes.end(), from.begin(), from.end());
            classes.push_back(labels.values<std::int32_t>()[static_cast<std::size_t>(image)]);
            order.push_back(static_cast<std::int64_t>(order.size()));
        }
        shape[0] = static_cast<std::int64_t>(classes.size());
        paper.images = folder / "images.npy";
        paper.labels = folder / "labels.npy";
        paper.order = folder / "order.npy";
        paper.test_images = folder / "test_images.npy";
        Shape asked = images.shape();
        asked[0] = std::ssize(paper.exam.question.prediction_images) / static_cast<std::int64_t>(values);
        const auto first = images.values<std::uint8_t>().first(static_cast<std::size_t>(elements_of(asked)));
        return write_npy<std::uint8_t>(paper.images, shape, bytes)
            .and_then([&] { return write_npy<std::uint8_t>(paper.test_images, asked, first); })
            .and_then([&] { return write_npy<std::int32_t>(paper.labels, {shape[0]}, classes); })
            .and_then([&] { return write_npy<std::int64_t>(paper.order, {shape[0]}, order); });
    }

    launch::Answer<record::Observation> ask(const Paper& paper, const protocol::Network& network,
                                            const record::Arm& arm, std::int64_t batch, GateResult& result)
    {
        const std::string name = fmt::format("{}_{}", network.short_name, arm.name);
        const SessionOrder order{arm,
                                 network,
                                 optimizer_,
                                 order_.plan.limits,
                                 batch,
                                 false,
                                 order_.plan.seed,
                                 order_.plan.seed,
                                 order_.folder / (name + ".txt"),
                                 {}};
        launch::Answer<Session> session = open_session(order, shop_);
        if (!session) {
            return tl::unexpected(session.error());
        }
        result.parameters = session->build.parameters;
        const fs::path folder = order_.staging / ("check_" + name);
        std::error_code code;
        fs::create_directories(folder, code);
        const auto weights =
            supply_weights(network, session->hello.layouts, paper.exam.question.weights, folder / "weights");
        if (!weights) {
            return tl::unexpected(broken(weights.error()));
        }
        launch::Worker& worker = *session->worker;
        const launch::Answer<protocol::CheckReply> reply =
            worker.weights_in({*weights})
                .and_then([&](const protocol::Nothing&) {
                    protocol::DataRequest data;
                    data.train_images = paper.images.string();
                    data.train_labels = paper.labels.string();
                    data.test_images = paper.test_images.string();
                    return worker.data(data);
                })
                .and_then([&](const protocol::DataReply&) {
                    return worker.check({paper.order.string(), kSteps, folder.string()});
                });
        if (!reply) {
            return tl::unexpected(reply.error());
        }
        if (const auto ended = worker.shutdown(); !ended) {
            return tl::unexpected(ended.error());
        }
        launch::Answer<record::Observation> observation =
            collect(*reply, network, session->hello.layouts, arm);
        fs::remove_all(folder, code);
        return observation;
    }

    static Outcome broken(const Error& error)
    {
        Outcome outcome;
        outcome.kind = OutcomeKind::failed;
        outcome.stage = "check";
        outcome.reason = error.what;
        outcome.remedy = error.remedy;
        return outcome;
    }

    static launch::Answer<record::Observation> collect(const protocol::CheckReply& reply,
                                                       const protocol::Network& network,
                                                       const protocol::Layouts& layouts,
                                                       const record::Arm& arm)
    {
        constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();
        record::Observation observation;
        observation.loss = reply.loss.value_or(kNotANumber);
        for (const auto& loss : reply.losses) {
            observation.losses.push_back(loss.value_or(kNotANumber));
        }
        const auto file_of = [&](const std::string& name) -> Result<fs::path> {
            const auto at = reply.files.find(name);
            if (at == reply.files.end()) {
                return fail(fmt::format("{} left no file for {}.", arm.name, name),
                            "Correct the worker: its check is not complete.");
            }
            return fs::path(at->second);
        };
        const std::vector<protocol::Parameter> parameters = protocol::parameters_of(network);
        for (std::size_t i = 0; i < parameters.size(); ++i) {
            const std::string& name = parameters[i].name;
            const auto values = [&](const std::string& kind) {
                return file_of(kind + "." + name).and_then([&](const fs::path& file) {
                    return canonical_values(network, i, layouts, file);
                });
            };
            const auto gradient = values("gradient");
            const auto after = values("after");
            if (!gradient || !after) {
                return tl::unexpected(broken(!gradient ? gradient.error() : after.error()));
            }
            observation.gradients[name] = *gradient;
            observation.parameters[name] = *after;
        }
        const auto logits =
            file_of("logits").and_then([](const fs::path& file) { return NpyFile::open(file); });
        const auto predictions =
            file_of("predictions").and_then([](const fs::path& file) { return NpyFile::open(file); });
        if (!logits || !predictions) {
            return tl::unexpected(broken(!logits ? logits.error() : predictions.error()));
        }
        if (logits->type() != NpyType::f32 || predictions->type() != NpyType::i32) {
            return tl::unexpected(broken(
                {fmt::format("{} wrote logits or predictions of another type than the protocol's.", arm.name),
                 "Correct the worker: float32 logits and int32 predictions."}));
        }
        const auto logit_values = logits->values<float>();
        const auto classes = predictions->values<std::int32_t>();
        observation.logits.assign(logit_values.begin(), logit_values.end());
        observation.predictions.assign(classes.begin(), classes.end());
        return observation;
    }

    // gate/<network>_<arm>.json: the table of departures, for who wants to see it.
    void report(const record::Arm& arm, const protocol::Network& network,
                const judge::Agreement& agreement) const
    {
        Json rows = Json::array();
        for (const judge::Departure& row : agreement.table) {
            rows.push_back({{"quantity", row.quantity},
                            {"absolute", row.absolute},
                            {"relative", row.relative},
                            {"units_in_last_place", row.units},
                            {"limit_rms", row.limit_rms},
                            {"limit_largest", row.limit_largest},
                            {"excess", row.excess},
                            {"departs", row.departs()}});
        }
        const Json json{
            {"arm", arm.name}, {"network", network.id}, {"agrees", agreement.agrees}, {"table", rows}};
        // Told on the console too; a disk that is full will be met again by the first run.
        [[maybe_unused]] const Result<void> written = write_file(
            order_.folder / fmt::format("{}_{}.json", network.short_name, arm.name), json.dump(2) + "\n");
    }

    const GateOrder& order_;
    const Workshop& shop_;
    const protocol::Optimizer optimizer_;  // the campaign's, with an exam's figures
    std::map<std::string, Paper> papers_;
};

}  // namespace

std::vector<GateResult> pass_gate(const GateOrder& order, const Workshop& shop)
{
    Gate gate(order, shop);
    std::vector<GateResult> results;
    for (std::size_t network = 0; network < order.ground.networks.size(); ++network) {
        for (std::size_t arm = 0; arm < order.plan.arms.size(); ++arm) {
            if (shop.interrupt && shop.interrupt->raised()) {
                return results;
            }
            results.push_back(gate.check(network, arm));
            if (order.tell) {
                order.tell(results.back());
            }
        }
    }
    return results;
}

std::string_view word(Admission admission)
{
    switch (admission) {
        case Admission::agrees:
            return "agrees";
        case Admission::departs:
            return "departs";
        case Admission::failed:
            return "failed";
        case Admission::skipped:
            return "skipped";
        case Admission::unchecked:
            return "unchecked";
    }
    return "unknown";
}

}  // namespace lockstep::pipeline
