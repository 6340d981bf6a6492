// For each network one exam with its answer, then each arm's worker against it.
#include "harness/pipeline/gate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "harness/base/atomic_file.hpp"
#include "harness/base/npy_file.hpp"
#include "harness/judge/agreement.hpp"
#include "harness/judge/diagnosis.hpp"
#include "harness/pipeline/exam_paper.hpp"
#include "harness/pipeline/gate_cache.hpp"
#include "harness/pipeline/session.hpp"
#include "harness/pipeline/supplies.hpp"

namespace lockstep::pipeline {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using record::Outcome;
using record::OutcomeKind;

constexpr std::string_view kOwnAdam =
    "Adam in the framework's own form, epsilon outside of the root's bias correction.";

constexpr std::int64_t kValuesInBatch = 64 * 28 * 28;  // image values of a check's batch: the float64
                                                       // reference then takes seconds at any image size

std::int64_t gate_batch(const protocol::Network& network, std::int64_t batch)
{
    const std::int64_t values = network.input[0] * network.input[1] * network.input[2];
    return std::min(batch, std::max<std::int64_t>(2, kValuesInBatch / values));
}

class Gate {
public:
    Gate(const GateOrder& order, const Workshop& shop)
        : order_(order), shop_(shop), cache_(order.plan, order.ground, shop)
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
        const std::string key = cache_.key(network, asked, **manifest, ready);
        const fs::path table = table_of(order_.ground.networks[network], asked);
        if (cache_.recall(key, result, table)) {
            return result;
        }
        examine(network, asked, result);
        if (result.admission == Admission::agrees) {
            cache_.keep(key, result, table);
        }
        return result;
    }

private:
    void examine(std::size_t network, const record::Arm& arm, GateResult& result)
    {
        const protocol::Network& described = order_.ground.networks[network];
        const std::int64_t batch = gate_batch(described, arm.batch);
        launch::Answer<Session> session = open(described, arm, batch);
        if (!session) {
            fail_with(session.error(), result);
            return;
        }
        result.parameters = session->build.parameters;
        const bool own_adam = order_.plan.optimizer.kind == "adam" && session->build.adam == "classic";
        const Result<const ExamPaper*> paper = paper_for(network, batch, own_adam);
        if (!paper) {
            fail_with(broken(paper.error()), result);
            return;
        }
        const launch::Answer<record::Observation> observed = ask(**paper, described, arm, *session);
        if (!observed) {
            fail_with(observed.error(), result);
            return;
        }
        compare(**paper, *observed, arm, described, result);
        if (own_adam) {
            result.note = std::string(kOwnAdam) + (result.note.empty() ? "" : " ") + result.note;
        }
    }

    static void fail_with(const Outcome& outcome, GateResult& result)
    {
        result.outcome = outcome;
        result.admission = outcome.kind == OutcomeKind::skipped ? Admission::skipped : Admission::failed;
        result.note = outcome.reason + (outcome.remedy.empty() ? "" : " " + outcome.remedy);
    }

    void compare(const ExamPaper& paper, const record::Observation& observed, const record::Arm& arm,
                 const protocol::Network& network, GateResult& result) const
    {
        const judge::Exam& exam = paper.exam;
        const judge::Agreement agreement = judge::compare(observed, exam.question, exam.answer);
        result.first_loss = observed.loss;
        result.furthest_units = agreement.furthest_units();
        result.admission = agreement.agrees ? Admission::agrees : Admission::departs;
        judge::Diagnosis diagnosis;
        if (!agreement.agrees) {
            diagnosis = judge::diagnose(observed, exam.question, exam.answer, agreement);
            result.note = judge::sentence(agreement);
            result.note += diagnosis.cause ? fmt::format(" Likely cause: {}", diagnosis.cause->sentence)
                                           : std::string(" None of the known causes fits.");
        }
        report(arm, network, exam, agreement, diagnosis);
    }

    // The exam of a network at a batch size; set once for each form of Adam, since the float64 answer takes a
    // while.
    Result<const ExamPaper*> paper_for(std::size_t network, std::int64_t batch, bool own_adam)
    {
        const std::string key =
            fmt::format("{}_{}{}", order_.ground.networks[network].id, batch, own_adam ? "_classic" : "");
        if (const auto at = papers_.find(key); at != papers_.end()) {
            return &at->second;
        }
        Result<ExamPaper> paper =
            set_paper(order_.plan, order_.ground.networks[network], order_.ground.dataset, batch,
                      own_adam ? reference::AdamForm::classic : reference::AdamForm::epsilon_hat,
                      order_.staging / ("exam_" + key));
        if (!paper) {
            return tl::unexpected(paper.error());
        }
        return &papers_.emplace(key, std::move(*paper)).first->second;
    }

    launch::Answer<Session> open(const protocol::Network& network, const record::Arm& arm, std::int64_t batch)
    {
        const protocol::Optimizer optimizer = judge::exam_optimizer(order_.plan.optimizer, network);
        return open_session({arm,
                             network,
                             optimizer,
                             order_.plan.limits,
                             batch,
                             false,
                             order_.plan.seed,
                             order_.plan.seed,
                             order_.folder / fmt::format("{}_{}.txt", network.short_name, arm.name),
                             {}},
                            shop_);
    }

    launch::Answer<record::Observation> ask(const ExamPaper& paper, const protocol::Network& network,
                                            const record::Arm& arm, Session& session)
    {
        const std::string name = fmt::format("{}_{}", network.short_name, arm.name);
        const fs::path folder = order_.staging / ("check_" + name);
        std::error_code code;
        fs::create_directories(folder, code);
        const auto weights =
            supply_weights(network, session.hello.layouts, paper.exam.question.weights, folder / "weights");
        if (!weights) {
            return tl::unexpected(broken(weights.error()));
        }
        launch::Worker& worker = *session.worker;
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
                    return worker.check({paper.order.string(), paper.exam.question.steps, folder.string()});
                });
        if (!reply) {
            return tl::unexpected(reply.error());
        }
        if (const auto ended = worker.shutdown(); !ended) {
            return tl::unexpected(ended.error());
        }
        launch::Answer<record::Observation> observation =
            collect(*reply, network, session.hello.layouts, arm);
        fs::remove_all(folder, code);
        return observation;
    }

    static Outcome broken(const Error& error) { return record::failure("check", error); }

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

    fs::path table_of(const protocol::Network& network, const record::Arm& arm) const
    {
        return order_.folder / fmt::format("{}_{}.json", network.short_name, arm.name);
    }

    // The table of departures, for who wants to see it.
    void report(const record::Arm& arm, const protocol::Network& network, const judge::Exam& exam,
                const judge::Agreement& agreement, const judge::Diagnosis& diagnosis) const
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
        Json json{{"arm", arm.name}, {"network", network.id}, {"agrees", agreement.agrees}};
        json["batch"] = exam.question.batch;
        json["adam"] = exam.answer.variant.adam == reference::AdamForm::classic ? "classic" : "epsilon_hat";
        json["doubtful_units"] = exam.answer.tolerances.doubtful;
        if (!agreement.agrees) {
            json["cause"] = diagnosis.cause ? Json(diagnosis.cause->id) : Json();
            json["grounds"] = diagnosis.grounds;
            Json tried = Json::array();
            for (const judge::Attempt& attempt : diagnosis.attempts) {
                tried.push_back({{"cause", attempt.cause}, {"distance", attempt.distance}});
            }
            json["tried"] = tried;
        }
        json["table"] = rows;
        // Told on the console too; a disk that is full will be met again by the first run.
        [[maybe_unused]] const Result<void> written = write_file(table_of(network, arm), json.dump(2) + "\n");
    }

    const GateOrder& order_;
    const Workshop& shop_;
    GateCache cache_;
    std::map<std::string, ExamPaper> papers_;
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
