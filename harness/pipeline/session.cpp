// Start, hello, can it do this, build.
#include "harness/pipeline/session.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "harness/base/nearest_word.hpp"
#include "harness/base/random.hpp"

namespace lockstep::pipeline {
namespace {

constexpr std::uint64_t kPadding = 4096;  // bytes; MEASUREMENT 5.1: the environment's size shifts the stack

using record::Arm;
using record::Outcome;
using record::OutcomeKind;

tl::unexpected<Outcome> skipped(std::string reason, std::string remedy)
{
    Outcome outcome;
    outcome.kind = OutcomeKind::skipped;
    outcome.reason = std::move(reason);
    outcome.remedy = std::move(remedy);
    outcome.stage = "hello";
    return tl::unexpected(outcome);
}

launch::TimeOuts time_outs(const record::Limits& limits)
{
    const auto milliseconds = [](double seconds) {
        return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
    };
    launch::TimeOuts outs;
    outs.start = milliseconds(limits.start);
    outs.build = milliseconds(limits.build);
    outs.call = milliseconds(limits.build);
    outs.silence = milliseconds(limits.silence);
    return outs;
}

// The environment with the arm's own variables, which win.
std::vector<std::string> with_variables(std::vector<std::string> environment,
                                        const std::map<std::string, std::string>& own)
{
    for (const auto& [name, value] : own) {
        std::erase_if(environment, [&](const std::string& entry) { return entry.starts_with(name + "="); });
        environment.push_back(name + "=" + value);
    }
    return environment;
}

launch::Answer<launch::WorkerOrder> worker_order(const SessionOrder& order, const Workshop& shop)
{
    const auto manifest = shop.catalog.find(order.arm.framework);
    if (!manifest) {
        return skipped(manifest.error().what, manifest.error().remedy);
    }
    const launch::Readiness ready = launch::readiness(**manifest, shop.places, order.arm.python.value_or(""));
    if (!ready.ready) {
        return skipped(ready.missing, ready.remedy);
    }
    auto line = launch::command_line(**manifest, shop.places, ready.python, order.arm.threads);
    if (!line) {
        return skipped(line.error().what, line.error().remedy);
    }
    launch::WorkerOrder worker;
    worker.name = order.arm.name;
    worker.process.command = std::move(line->command);
    worker.process.environment = with_variables(std::move(line->environment), order.arm.env);
    worker.process.output = order.output;
    const std::vector<int>& cores = shop.environment.core_ids;
    worker.process.cpus.assign(
        cores.begin(), cores.begin() + std::min<std::ptrdiff_t>(order.arm.threads, std::ssize(cores)));
    worker.process.padding = static_cast<int>(Random(order.jitter).below(kPadding));
    worker.time_outs = time_outs(order.limits);
    worker.events = order.events;
    return worker;
}

bool holds(const std::vector<std::string>& words, const std::string& word)
{
    return std::find(words.begin(), words.end(), word) != words.end();
}

// Absent when the worker can do all that the arm and the network ask for.
std::optional<std::string> lacking(const SessionOrder& order, const protocol::Abilities& can)
{
    for (const protocol::Layer& layer : order.network.layers) {
        if (!holds(can.layers, protocol::name_of(layer.kind))) {
            return fmt::format("has no layer of kind {}, which {} needs", protocol::name_of(layer.kind),
                               order.network.short_name);
        }
    }
    const struct {
        const std::vector<std::string>& words;
        const std::string& asked;
        const char* what;
    } demands[] = {{can.precisions, order.arm.precision, "precision"},
                   {can.inputs, order.arm.input, "input mode"},
                   {can.devices, order.arm.device.kind, "device"},
                   {can.optimizers, order.optimizer.kind, "optimizer"}};
    for (const auto& demand : demands) {
        if (!holds(demand.words, demand.asked)) {
            return fmt::format("does not have the {} {} (it has {})", demand.what, demand.asked,
                               join_words(demand.words));
        }
    }
    for (const auto& [option, value] : order.arm.options) {
        if (!holds(can.options, option)) {
            const auto near = nearest_word(option, can.options);
            return fmt::format("has no option \"{}\"{}", option,
                               near ? fmt::format("; did you mean \"{}\"", *near) : "");
        }
    }
    return {};
}

}  // namespace

launch::Answer<Session> open_session(const SessionOrder& order, const Workshop& shop)
{
    auto worker = worker_order(order, shop);
    if (!worker) {
        return tl::unexpected(worker.error());
    }
    Session session;
    auto started = launch::Worker::start(std::move(*worker), shop.interrupt);
    if (!started) {
        return tl::unexpected(started.error());
    }
    session.worker = std::move(*started);
    auto hello = session.worker->hello(shop.environment.lockstep_version);
    if (!hello) {
        return tl::unexpected(hello.error());
    }
    session.hello = std::move(*hello);
    if (const auto missing = lacking(order, session.hello.can)) {
        return skipped(fmt::format("{} {}.", order.arm.name, *missing),
                       fmt::format("Leave it out of the arm, or see what {} can do: lockstep frameworks.",
                                   order.arm.framework));
    }
    protocol::BuildRequest request;
    protocol::Job& job = request.job;
    job.network = order.network;
    job.batch = order.batch;
    job.optimizer = order.optimizer;
    job.precision = order.arm.precision;
    job.tf32 = order.arm.tf32;
    job.input = order.arm.input;
    job.threads = order.arm.threads;
    job.device = order.arm.device;
    job.dropout = order.dropout;
    job.seed = order.seed;
    job.options = order.arm.options;
    auto built = session.worker->build(request);
    if (!built) {
        return tl::unexpected(built.error());
    }
    session.build = std::move(*built);
    return session;
}

}  // namespace lockstep::pipeline
