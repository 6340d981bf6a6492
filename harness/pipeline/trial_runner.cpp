// The stages of a run in their order; each either goes on or ends the run with an outcome.
#include "harness/pipeline/trial_runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/base/npy_file.hpp"
#include "harness/observe/clock.hpp"
#include "harness/observe/process_tree.hpp"
#include "harness/pipeline/session.hpp"
#include "harness/pipeline/supplies.hpp"

namespace lockstep::pipeline {
namespace {

using record::Outcome;
using record::OutcomeKind;
using record::Span;
using record::Trial;

constexpr std::int64_t kSilenceMs = 1000;  // how often a training worker is asked to show life

Outcome outcome_of(OutcomeKind kind, const char* stage, std::string reason, std::string remedy = "")
{
    Outcome outcome;
    outcome.kind = kind;
    outcome.stage = stage;
    outcome.reason = std::move(reason);
    outcome.remedy = std::move(remedy);
    return outcome;
}

tl::unexpected<Outcome> lied(const record::Arm& arm, const std::string& what, const char* stage = "train")
{
    return tl::unexpected(outcome_of(OutcomeKind::lied, stage, fmt::format("{} {}.", arm.name, what),
                                     "Correct the worker: its figures cannot be used."));
}

// An error of the harness's own files, on the way of this run.
tl::unexpected<Outcome> broken(const Error& error)
{
    return tl::unexpected(record::failure("supplies", error));
}

void add_phases(Trial& trial, const protocol::Phases& phases)
{
    for (const auto& [name, period] : phases) {
        trial.phases[name] = {period.begin, period.end};
    }
}

class Run {
public:
    Run(const TrialOrder& order, const Workshop& shop)
        : order_(order),
          shop_(shop),
          arm_(order.plan.arms[order.turn.arm]),
          network_(order.ground.networks[order.turn.network])
    {
    }

    Trial make()
    {
        describe();
        const std::int64_t begin = observe::monotonic_ns();
        launch::Answer<void> done =
            open(begin).and_then([&] { return prepare(); }).and_then([&] { return train(); });
        if (session_.worker) {
            done = close(std::move(done));
        }
        trial_.outcome = done ? Outcome{} : done.error();
        return std::move(trial_);
    }

private:
    void describe()
    {
        trial_.model = network_.id;
        trial_.arm = arm_.name;
        trial_.framework = arm_.framework;
        trial_.block = order_.turn.block;
        trial_.position = order_.turn.position;
        trial_.twin = arm_.twin;
        trial_.seed = order_.turn.seed;
        trial_.started_at = observe::wall_time();
        trial_.device = arm_.device.kind == "cpu" ? "cpu" : fmt::format("gpu:{}", arm_.device.index);
        trial_.batch = arm_.batch;
        trial_.threads_asked = arm_.threads;
        trial_.train_samples = static_cast<std::int64_t>(order_.ground.part.size());
        trial_.test_samples = order_.ground.test.count();
        trial_.folder = order_.folder.filename().string();
    }

    launch::Answer<void> open(std::int64_t begin)
    {
        launch::Events events;
        events.progress = [this](const protocol::Progress& progress) {
            if (order_.progress && progress.of > 0) {
                order_.progress(static_cast<double>(progress.done) / static_cast<double>(progress.of));
            }
        };
        events.warning = [this](std::string_view message) { trial_.warnings.emplace_back(message); };
        const SessionOrder session{
            arm_, network_,         order_.plan.optimizer, order_.plan.limits,           arm_.batch,
            true, order_.turn.seed, order_.turn.jitter,    order_.folder / "output.txt", events};
        launch::Answer<Session> opened = open_session(session, shop_);
        if (!opened) {
            return tl::unexpected(opened.error());
        }
        session_ = std::move(*opened);
        if (session_.hello.started < begin || session_.hello.started > observe::monotonic_ns()) {
            return lied(arm_, "says that it started at a time at which it did not", "hello");
        }
        trial_.versions.insert(session_.hello.versions.begin(), session_.hello.versions.end());
        trial_.facts = session_.build.facts;
        trial_.parameters = session_.build.parameters;
        if (!session_.build.step_includes.empty()) {
            trial_.facts["step_includes"] = session_.build.step_includes.front();
        }
        if (session_.build.adam != "epsilon_hat") {
            trial_.facts["adam"] = session_.build.adam;
        }
        trial_.phases["start"] = {begin, session_.hello.started};
        add_phases(trial_, session_.hello.phases);
        add_phases(trial_, session_.build.phases);
        return {};
    }

    launch::Answer<void> prepare()
    {
        const auto weights =
            supply_weights(network_, session_.hello.layouts, order_.turn.seed, order_.staging);
        const auto orders = supply_orders(order_.ground.part, arm_.batch, order_.turn.seed,
                                          order_.plan.epochs, order_.staging);
        if (!weights || !orders) {
            return broken(!weights ? weights.error() : orders.error());
        }
        orders_ = *orders;
        const std::int64_t begin = observe::monotonic_ns();
        if (const auto taken = session_.worker->weights_in({*weights}); !taken) {
            return tl::unexpected(taken.error());
        }
        trial_.phases["weights"] = {begin, observe::monotonic_ns()};
        const data::Dataset& dataset = order_.ground.dataset;
        protocol::DataRequest request;
        request.train_images = dataset.train_images().string();
        request.train_labels = dataset.train_labels().string();
        request.test_images = order_.ground.test.images.value_or(dataset.train_images()).string();
        const auto loaded = session_.worker->data(request);
        if (!loaded) {
            return tl::unexpected(loaded.error());
        }
        add_phases(trial_, loaded->phases);
        return {};
    }

    launch::Answer<void> train()
    {
        const pid_t pid = session_.worker->pid();
        const auto before = observe::read_tree(pid);
        observe::reset_peak(pid);
        protocol::TrainRequest request;
        request.epochs = order_.plan.epochs;
        request.orders = orders_;
        request.stamps = (order_.folder / "stamps.npy").string();
        request.evaluate = order_.ground.test.images.has_value();
        request.predictions = (order_.folder / "predictions_{epoch}.npy").string();
        request.silence_ms = kSilenceMs;
        const std::int64_t begin = observe::monotonic_ns();
        const auto reply = session_.worker->train(request);
        if (!reply) {
            return tl::unexpected(reply.error());
        }
        const std::int64_t end = observe::monotonic_ns();
        note_usage(before, observe::read_tree(pid));
        if (const auto memory = session_.worker->memory()) {
            trial_.usage.allocator_bytes = memory->allocators;
        }
        add_phases(trial_, reply->phases);
        return take_training(*reply, begin, end);
    }

    void note_usage(const std::optional<observe::TreeReading>& before,
                    const std::optional<observe::TreeReading>& after)
    {
        if (!before || !after) {
            return;
        }
        trial_.usage.resident_before_bytes = before->resident_bytes;
        trial_.usage.resident_peak_bytes = std::max(before->resident_peak_bytes, after->resident_peak_bytes);
        trial_.usage.cpu_seconds = after->cpu_seconds;
        trial_.usage.train_cpu_seconds = after->cpu_seconds - before->cpu_seconds;
        trial_.usage.threads = after->threads;
    }

    launch::Answer<void> take_training(const protocol::TrainReply& reply, std::int64_t begin,
                                       std::int64_t end)
    {
        const std::int64_t steps_an_epoch = trial_.train_samples / arm_.batch;
        if (std::ssize(reply.epochs) != order_.plan.epochs) {
            return lied(arm_, fmt::format("reported {} epochs where {} were asked for", reply.epochs.size(),
                                          order_.plan.epochs));
        }
        const Result<NpyFile> stamps = NpyFile::open(reply.stamps);
        const std::int64_t steps = steps_an_epoch * order_.plan.epochs;
        if (!stamps || stamps->type() != NpyType::i64 || stamps->shape() != Shape{steps, 2}) {
            return lied(arm_, fmt::format("left no stamps of {} steps", steps));
        }
        const auto values = stamps->values<std::int64_t>();
        std::int64_t last = begin;
        for (const std::int64_t stamp : values) {
            if (stamp < last || stamp > end) {
                return lied(arm_, "reported step stamps that run backwards or lie outside of its training");
            }
            last = stamp;
        }
        for (std::size_t i = 0; i + 1 < values.size(); i += 2) {
            trial_.steps.push_back({values[i], values[i + 1]});
        }
        if (reply.losses) {
            std::error_code ignored;
            std::filesystem::rename(*reply.losses, order_.folder / "losses.npy", ignored);
        }
        trial_.warm_up_steps = std::min(order_.plan.warm_up_steps, steps / 2);
        trial_.phases["first_step"] = {trial_.steps.front().begin, trial_.steps.front().end};
        return take_epochs(reply, steps_an_epoch, {begin, end});
    }

    // An epoch holds its own steps and no evaluation, and all of it lies within the call of train.
    bool spans_are_true(const protocol::TrainReply& reply, std::int64_t steps_an_epoch,
                        const Span& call) const
    {
        std::int64_t last = call.begin;
        for (std::size_t i = 0; i < reply.epochs.size(); ++i) {
            const protocol::Epoch& epoch = reply.epochs[i];
            const record::Step& first_step = trial_.steps[i * static_cast<std::size_t>(steps_an_epoch)];
            const record::Step& last_step =
                trial_.steps[(i + 1) * static_cast<std::size_t>(steps_an_epoch) - 1];
            if (epoch.begin < last || epoch.begin > first_step.begin || epoch.end < last_step.end) {
                return false;
            }
            last = epoch.end;
            if (i < reply.evaluations.size()) {
                if (reply.evaluations[i].begin < last ||
                    reply.evaluations[i].end < reply.evaluations[i].begin) {
                    return false;
                }
                last = reply.evaluations[i].end;
            }
        }
        return last <= call.end;
    }

    launch::Answer<void> take_epochs(const protocol::TrainReply& reply, std::int64_t steps_an_epoch,
                                     const Span& call)
    {
        if (!spans_are_true(reply, steps_an_epoch, call)) {
            return lied(arm_,
                        "reported epochs or evaluations that do not hold their steps, or lie outside of its "
                        "training");
        }
        std::int64_t evaluated = 0;
        for (std::size_t i = 0; i < reply.epochs.size(); ++i) {
            const protocol::Epoch& told = reply.epochs[i];
            if (told.steps != steps_an_epoch) {
                return lied(arm_, fmt::format("reported an epoch of {} steps where there are {}", told.steps,
                                              steps_an_epoch));
            }
            record::Epoch epoch;
            epoch.span = {told.begin, told.end};
            epoch.steps = told.steps;
            epoch.loss = told.loss;
            if (!told.loss) {
                return tl::unexpected(outcome_of(
                    OutcomeKind::not_finite, "train",
                    fmt::format("The loss of {} became NaN or infinite in epoch {}.", arm_.name, i + 1),
                    "Try a smaller learning rate; if other frameworks train well with this one, the worker "
                    "is wrong."));
            }
            if (i < reply.evaluations.size()) {
                epoch.evaluation = Span{reply.evaluations[i].begin, reply.evaluations[i].end};
                evaluated +=
                    i + 1 < reply.epochs.size() ? reply.evaluations[i].end - reply.evaluations[i].begin : 0;
            }
            trial_.epochs.push_back(epoch);
        }
        const Span whole{trial_.epochs.front().span.begin, trial_.epochs.back().span.end};
        trial_.phases["train"] = whole;
        trial_.train_seconds = whole.seconds() - static_cast<double>(evaluated) * 1e-9;
        return order_.ground.test.images ? take_predictions(reply) : launch::Answer<void>{};
    }

    // Accuracy is counted here, from the predictions, and nowhere else.
    launch::Answer<void> take_predictions(const protocol::TrainReply& reply)
    {
        const TestPart& test = order_.ground.test;
        if (reply.predictions.size() != trial_.epochs.size()) {
            return lied(arm_, "left no predictions");
        }
        std::optional<NpyFile> labels;
        if (test.labels) {
            const Result<NpyFile> file = NpyFile::open(*test.labels);
            if (!file) {
                return broken(file.error());
            }
            labels = *file;
        }
        for (std::size_t i = 0; i < trial_.epochs.size(); ++i) {
            const Result<NpyFile> file = NpyFile::open(reply.predictions[i]);
            if (!file || file->type() != NpyType::i32 || file->shape() != Shape{test.count()}) {
                return lied(arm_, fmt::format("left no predictions of {} images", test.count()));
            }
            const auto classes = file->values<std::int32_t>();
            if (std::any_of(classes.begin(), classes.end(),
                            [&](std::int32_t c) { return c < 0 || c >= network_.classes; })) {
                return lied(arm_, fmt::format("predicted a class outside of 0 to {}", network_.classes - 1));
            }
            if (labels) {
                const auto truth = labels->values<std::int32_t>();
                std::int64_t right = 0;
                for (std::size_t image = 0; image < truth.size(); ++image) {
                    right += truth[image] == classes[image] ? 1 : 0;
                }
                trial_.epochs[i].accuracy = static_cast<double>(right) / static_cast<double>(test.count());
            }
        }
        trial_.accuracy = trial_.epochs.back().accuracy;
        return {};
    }

    // A run that fails at its shut-down has measured all it should, but is not to be trusted.
    launch::Answer<void> close(launch::Answer<void> done)
    {
        if (!done) {
            session_.worker->kill();
            return done;
        }
        const std::int64_t begin = observe::monotonic_ns();
        const auto status = session_.worker->shutdown();
        if (!status) {
            return tl::unexpected(status.error());
        }
        trial_.phases["shutdown"] = {begin, observe::monotonic_ns()};
        return done;
    }

    const TrialOrder& order_;
    const Workshop& shop_;
    const record::Arm& arm_;
    const protocol::Network& network_;
    std::vector<std::string> orders_;
    Session session_;
    Trial trial_;
};

}  // namespace

record::Trial run_trial(const TrialOrder& order, const Workshop& shop)
{
    return Run(order, shop).make();
}

}  // namespace lockstep::pipeline
