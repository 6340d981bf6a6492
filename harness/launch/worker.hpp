// A live worker as typed calls. Whatever it does wrong comes back as an outcome, and its whole process
// tree is ended then.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "harness/launch/interrupt.hpp"
#include "harness/launch/line_channel.hpp"
#include "harness/launch/process.hpp"
#include "harness/record/outcome.hpp"
#include "protocol/codec.hpp"

namespace lockstep::launch {

template <class T>
using Answer = tl::expected<T, record::Outcome>;

struct TimeOuts {
    std::chrono::milliseconds start{120'000};      // from the start of the process to the answer to hello
    std::chrono::milliseconds build{600'000};      // without an event; a first compile may take minutes
    std::chrono::milliseconds silence{120'000};    // in check and train: without an event
    std::chrono::milliseconds call{300'000};       // every other call, without an event
    std::chrono::milliseconds shutdown{10'000};    // from the request to the end of the process
    std::chrono::milliseconds last_breath{5'000};  // from the end of its pipe to the end of the process
};

struct Events {
    std::function<void(const protocol::Progress&)> progress;  // may be empty
    std::function<void(std::string_view)> warning;            // may be empty
};

struct WorkerOrder {
    std::string name;      // as sentences call it: the worker's, or the arm's
    ProcessOrder process;  // `protocol` is set by the worker itself
    TimeOuts time_outs;
    Events events;  // called in the thread that makes the call, between its request and its reply
};

// One thread at a time. Requires the order of verbs that PROTOCOL.md gives; a worker may refuse another.
// Every failure's outcome carries kind, reason, stage (the verb; "start" before the first) and the end of the
// worker's output. After an outcome of kind `skipped` or `failed` the worker still answers; after any other
// its tree is gone and every later call returns the same outcome.
class Worker {
public:
    // Starts the process; does not wait for its first word. `interrupt` may be null; must outlive the worker.
    static Answer<std::unique_ptr<Worker>> start(WorkerOrder order, const Interrupt* interrupt);
    ~Worker();  // kills the tree if it still lives
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    // Checks that both sides speak one version of the protocol.
    Answer<protocol::HelloReply> hello(const std::string& lockstep_version);
    // A parameter count other than the network's is an outcome of kind `lied`.
    Answer<protocol::BuildReply> build(const protocol::BuildRequest& request);
    Answer<protocol::Nothing> weights_in(const protocol::WeightsInRequest& request);
    Answer<protocol::WeightsOutReply> weights_out(const protocol::WeightsOutRequest& request);
    Answer<protocol::DataReply> data(const protocol::DataRequest& request);
    Answer<protocol::Nothing> pixels(const protocol::PixelsRequest& request);
    Answer<protocol::CheckReply> check(const protocol::CheckRequest& request);
    Answer<protocol::TrainReply> train(const protocol::TrainRequest& request);
    Answer<protocol::PredictReply> predict(const protocol::PredictRequest& request);
    Answer<protocol::MemoryReply> memory();
    Answer<protocol::LatencyReply> latency(const protocol::LatencyRequest& request);
    Answer<protocol::ProfileReply> profile(const protocol::ProfileRequest& request);
    Answer<protocol::CollectiveReply> collective(const protocol::CollectiveRequest& request);
    // Asks for the end and waits for it; fails when the process lives on or ends with another code than 0.
    Answer<ExitStatus> shutdown();
    void kill();  // without asking; the whole tree

    const Process& process() const { return process_; }
    pid_t pid() const { return process_.pid(); }

private:
    Worker(WorkerOrder order, Process process, const Interrupt* interrupt);
    template <class Request>
    Answer<typename Request::Reply> call(const Request& request, std::chrono::milliseconds quiet);
    // Sends one request and takes events until its reply. Ends at `deadline`, or after `quiet` without an
    // event.
    Answer<protocol::Json> ask(std::string_view line, std::chrono::milliseconds quiet,
                               Clock::time_point deadline);
    Answer<protocol::Json> receive(std::chrono::milliseconds quiet, Clock::time_point deadline);
    bool event(const protocol::FromWorker& message);  // false when it was none
    tl::unexpected<record::Outcome> refused(const protocol::Refusal& refusal);
    tl::unexpected<record::Outcome> broken(LineState state, std::chrono::milliseconds waited);
    tl::unexpected<record::Outcome> closed();
    // Kills the tree and remembers why.
    tl::unexpected<record::Outcome> end(record::OutcomeKind kind, std::string reason,
                                        std::string remedy = {});
    record::Outcome outcome(record::OutcomeKind kind, std::string reason, std::string remedy) const;
    std::string doing() const;  // "building cnn3"

    WorkerOrder order_;
    Process process_;
    const Interrupt* interrupt_;
    LineChannel channel_;
    std::int64_t last_id_ = 0;
    std::string stage_ = "start";
    std::string network_;  // short name, once known
    std::optional<record::Outcome> dead_;
};

}  // namespace lockstep::launch
