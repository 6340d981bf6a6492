// One request at a time over a LineChannel; every way in which a worker can fail ends in end().
#include "harness/launch/worker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <utility>
#include <variant>

#include "harness/launch/output_tail.hpp"
#include "protocol/network.hpp"

namespace lockstep::launch {
namespace {

using protocol::Json;
using record::Outcome;
using record::OutcomeKind;
using std::chrono::milliseconds;

// How a sentence goes on after "while".
std::string activity(std::string_view stage, const std::string& network)
{
    const std::string what = network.empty() ? "the network" : network;
    if (stage == "build") {
        return "building " + what;
    }
    if (stage == "train") {
        return "training " + what;
    }
    if (stage == "check") {
        return "being checked on " + what;
    }
    if (stage == "profile") {
        return "profiling " + what;
    }
    static const std::map<std::string_view, const char*> others{{"start", "starting"},
                                                                {"hello", "starting"},
                                                                {"weights_in", "taking the weights"},
                                                                {"data", "loading the data"},
                                                                {"pixels", "writing pixels"},
                                                                {"weights_out", "writing its weights"},
                                                                {"predict", "predicting"},
                                                                {"latency", "timing predictions"},
                                                                {"memory", "reporting its memory"},
                                                                {"shutdown", "shutting down"},
                                                                {"collective", "timing an all-reduce"}};
    const auto found = others.find(stage);
    return found == others.end() ? std::string(stage) : found->second;
}

std::string sentence(std::string text)
{
    if (!text.empty() && std::string_view(".!?").find(text.back()) == std::string_view::npos) {
        text += '.';
    }
    return text;
}

std::string seconds(milliseconds time)
{
    return fmt::format("{:g} s", static_cast<double>(time.count()) / 1000.0);
}

std::string remedy_of(const ExitStatus& status)
{
    return status.signalled && status.value == SIGKILL
               ? "Signal 9 often means that memory ran out: try a smaller batch, or look at the system's log."
               : "";
}

}  // namespace

Worker::Worker(WorkerOrder order, Process process, const Interrupt* interrupt)
    : order_(std::move(order)),
      process_(std::move(process)),
      interrupt_(interrupt),
      channel_(process_.take_replies(), process_.take_requests(), interrupt, process_.descriptor())
{
}

Worker::~Worker()
{
    process_.kill();
}

Answer<std::unique_ptr<Worker>> Worker::start(WorkerOrder order, const Interrupt* interrupt)
{
    order.process.protocol = true;
    Result<Process> process = Process::start(order.process);
    if (!process) {
        return tl::unexpected(
            Outcome{OutcomeKind::failed, process.error().what, process.error().remedy, "start", {}});
    }
    return std::unique_ptr<Worker>(new Worker(std::move(order), std::move(*process), interrupt));
}

std::string Worker::doing() const
{
    return activity(stage_, network_);
}

Outcome Worker::outcome(OutcomeKind kind, std::string reason, std::string remedy) const
{
    return {kind, std::move(reason), std::move(remedy), stage_, tail_of(order_.process.output)};
}

tl::unexpected<Outcome> Worker::end(OutcomeKind kind, std::string reason, std::string remedy)
{
    const int left = process_.kill();
    if (left > 0) {
        reason += fmt::format(" {} of its processes cannot be ended.", left);
    }
    dead_ = outcome(kind, std::move(reason), std::move(remedy));
    return tl::unexpected(*dead_);
}

tl::unexpected<Outcome> Worker::closed()
{
    const std::optional<ExitStatus> status =
        process_.wait(Clock::now() + order_.time_outs.last_breath, interrupt_);
    if (status) {
        return end(OutcomeKind::crashed, fmt::format("{} {} while {}.", order_.name, words(*status), doing()),
                   remedy_of(*status));
    }
    if (interrupt_ != nullptr && interrupt_->raised()) {
        return broken(LineState::interrupted, {});
    }
    if (process_.lost()) {
        return end(OutcomeKind::crashed,
                   fmt::format("{} was ended from outside, with its keeper, while {}.", order_.name, doing()),
                   "Look for what kills processes here (memory limits, a job scheduler).");
    }
    return end(OutcomeKind::garbage, fmt::format("{} closed its end of the protocol while {}, but lived on.",
                                                 order_.name, doing()));
}

tl::unexpected<Outcome> Worker::broken(LineState state, milliseconds waited)
{
    switch (state) {
        case LineState::interrupted:
            return end(OutcomeKind::interrupted,
                       fmt::format("{} was stopped while {}.", order_.name, doing()));
        case LineState::too_long:
            return end(OutcomeKind::garbage,
                       fmt::format("{} sent a line longer than 1 MiB while {}.", order_.name, doing()));
        case LineState::late:
            return end(
                OutcomeKind::hung,
                stage_ == "hello"
                    ? fmt::format("{} did not answer within {} of its start.", order_.name, seconds(waited))
                    : fmt::format("{} gave no sign for {} while {}.", order_.name, seconds(waited), doing()),
                "If it was still at work, allow it more time.");
        default:
            return closed();
    }
}

tl::unexpected<Outcome> Worker::refused(const protocol::Refusal& refusal)
{
    const protocol::Failure& failure = refusal.failure;
    std::string message = one_line(failure.message);
    if (failure.layer && message.find(*failure.layer) == std::string::npos) {
        message += fmt::format(" (layer {})", one_line(*failure.layer, 80));
    }
    switch (failure.kind) {
        case protocol::FailureKind::unsupported:
            return tl::unexpected(outcome(OutcomeKind::skipped, sentence(message), {}));
        case protocol::FailureKind::protocol:
            return tl::unexpected(
                outcome(OutcomeKind::failed,
                        sentence(fmt::format("{} did not understand the request while {}: {}", order_.name,
                                             doing(), message)),
                        "Worker and lockstep do not fit together: build and install both from one version."));
        case protocol::FailureKind::resources:
            return tl::unexpected(outcome(
                OutcomeKind::failed,
                sentence(fmt::format("{} ran out of resources while {}: {}", order_.name, doing(), message)),
                "Try a smaller batch."));
        case protocol::FailureKind::framework:
            break;
    }
    return tl::unexpected(outcome(
        OutcomeKind::failed,
        sentence(fmt::format("{} reported an error while {}: {}", order_.name, doing(), message)), {}));
}

bool Worker::event(const protocol::FromWorker& message)
{
    if (const auto* progress = std::get_if<protocol::Progress>(&message)) {
        if (order_.events.progress) {
            order_.events.progress(*progress);
        }
        return true;
    }
    if (const auto* warning = std::get_if<protocol::Warning>(&message)) {
        if (order_.events.warning) {
            order_.events.warning(one_line(warning->message));
        }
        return true;
    }
    return std::holds_alternative<protocol::Alive>(message);
}

Answer<Json> Worker::receive(milliseconds quiet, Clock::time_point deadline)
{
    std::string line;
    for (;;) {
        const LineState state = channel_.read(line, std::min(deadline, Clock::now() + quiet));
        if (state != LineState::ok) {
            return broken(state, quiet);
        }
        const protocol::Decoded<protocol::FromWorker> message = protocol::parse_from_worker(line);
        if (!message) {
            return end(
                OutcomeKind::garbage,
                sentence(fmt::format("{} sent a line that is no message while {} (\"{}\"): {}", order_.name,
                                     doing(), one_line(line, 80), one_line(message.error()))));
        }
        if (event(*message)) {
            continue;
        }
        const auto* answer = std::get_if<protocol::Answer>(&*message);
        const auto* refusal = std::get_if<protocol::Refusal>(&*message);
        const std::int64_t id = answer != nullptr ? answer->id : refusal->id;
        if (id != last_id_ && !(refusal != nullptr && id == 0)) {
            return end(OutcomeKind::garbage,
                       fmt::format("{} answered request {} while {}, which was request {}.", order_.name, id,
                                   doing(), last_id_));
        }
        if (refusal != nullptr) {
            return refused(*refusal);
        }
        return answer->ok;
    }
}

Answer<Json> Worker::ask(std::string_view line, milliseconds quiet, Clock::time_point deadline)
{
    if (!line.empty() && line.back() == '\n') {
        line.remove_suffix(1);
    }
    const LineState state = channel_.write(line, std::min(deadline, Clock::now() + quiet));
    if (state == LineState::too_long) {
        return tl::unexpected(
            outcome(OutcomeKind::failed,
                    fmt::format("The request to {} is longer than 1 MiB while {}.", order_.name, doing()),
                    "Use a smaller network or fewer epochs."));
    }
    if (state != LineState::ok) {
        return broken(state, quiet);
    }
    return receive(quiet, deadline);
}

template <class Request>
Answer<typename Request::Reply> Worker::call(const Request& request, milliseconds quiet)
{
    if (dead_) {
        return tl::unexpected(*dead_);
    }
    stage_ = Request::kVerb;
    const bool first = std::is_same_v<Request, protocol::HelloRequest>;
    const Clock::time_point deadline = first ? process_.started() + quiet : Clock::time_point::max();
    Answer<Json> json = ask(protocol::request_line(++last_id_, request), quiet, deadline);
    if (!json) {
        return tl::unexpected(json.error());
    }
    if constexpr (std::is_same_v<Request, protocol::HelloRequest>) {
        const auto version = json->find("protocol");
        if (version != json->end() && version->is_number_integer() && *version != request.protocol) {
            const bool we = version->template get<std::int64_t>() > request.protocol;
            return end(
                OutcomeKind::garbage,
                fmt::format("{} speaks version {} of the protocol and lockstep version {}: {} is older.",
                            order_.name, version->dump(), request.protocol, we ? "lockstep" : order_.name),
                we ? "Update lockstep." : "Update the worker.");
        }
    }
    protocol::Decoded<typename Request::Reply> reply = protocol::from_json<typename Request::Reply>(*json);
    if (!reply) {
        return end(OutcomeKind::garbage,
                   sentence(fmt::format("{} gave a wrong answer while {}: {}", order_.name, doing(),
                                        one_line(reply.error()))));
    }
    return std::move(*reply);
}

Answer<protocol::HelloReply> Worker::hello(const std::string& lockstep_version)
{
    return call(protocol::HelloRequest{protocol::kVersion, lockstep_version}, order_.time_outs.start);
}

Answer<protocol::BuildReply> Worker::build(const protocol::BuildRequest& request)
{
    network_ =
        request.job.network.short_name.empty() ? request.job.network.id : request.job.network.short_name;
    Answer<protocol::BuildReply> reply = call(request, order_.time_outs.build);
    const std::int64_t expected = protocol::parameter_count(request.job.network);
    if (reply && reply->parameters != expected) {
        return end(OutcomeKind::lied, fmt::format("{} built {} with {} parameters; the model file gives {}.",
                                                  order_.name, network_, reply->parameters, expected));
    }
    return reply;
}

Answer<protocol::Nothing> Worker::weights_in(const protocol::WeightsInRequest& request)
{
    return call(request, order_.time_outs.call);
}

Answer<protocol::WeightsOutReply> Worker::weights_out(const protocol::WeightsOutRequest& request)
{
    return call(request, order_.time_outs.call);
}

Answer<protocol::DataReply> Worker::data(const protocol::DataRequest& request)
{
    return call(request, order_.time_outs.call);
}

Answer<protocol::Nothing> Worker::pixels(const protocol::PixelsRequest& request)
{
    return call(request, order_.time_outs.call);
}

Answer<protocol::CheckReply> Worker::check(const protocol::CheckRequest& request)
{
    return call(request, order_.time_outs.silence);
}

Answer<protocol::TrainReply> Worker::train(const protocol::TrainRequest& request)
{
    return call(request, order_.time_outs.silence);
}

Answer<protocol::PredictReply> Worker::predict(const protocol::PredictRequest& request)
{
    return call(request, order_.time_outs.call);
}

Answer<protocol::MemoryReply> Worker::memory()
{
    return call(protocol::MemoryRequest{}, order_.time_outs.call);
}

Answer<protocol::LatencyReply> Worker::latency(const protocol::LatencyRequest& request)
{
    return call(request, order_.time_outs.call);
}

Answer<protocol::ProfileReply> Worker::profile(const protocol::ProfileRequest& request)
{
    return call(request, order_.time_outs.call);
}

Answer<protocol::CollectiveReply> Worker::collective(const protocol::CollectiveRequest& request)
{
    return call(request, order_.time_outs.call);
}

Answer<ExitStatus> Worker::shutdown()
{
    const Clock::time_point deadline = Clock::now() + order_.time_outs.shutdown;
    const Answer<protocol::Nothing> reply = call(protocol::ShutdownRequest{}, order_.time_outs.shutdown);
    if (!reply) {
        return tl::unexpected(reply.error());
    }
    channel_.close_write();
    const std::optional<ExitStatus> status = process_.wait(deadline, interrupt_);
    if (!status) {
        const bool stopped = interrupt_ != nullptr && interrupt_->raised();
        return stopped || process_.lost()
                   ? closed()
                   : end(OutcomeKind::hung, fmt::format("{} lived on for {} after it was told to shut down.",
                                                        order_.name, seconds(order_.time_outs.shutdown)));
    }
    if (!status->clean()) {
        return closed();
    }
    process_.kill();
    dead_ = Outcome{OutcomeKind::failed, order_.name + " was shut down already.", {}, stage_, {}};
    return *status;
}

void Worker::kill()
{
    if (!dead_) {
        end(OutcomeKind::interrupted, fmt::format("{} was ended while {}.", order_.name, doing()));
    }
}

}  // namespace lockstep::launch
