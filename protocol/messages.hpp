// Every message of PROTOCOL.md as a plain struct. Each request names its verb (`kVerb`) and the struct
// of its reply (`Reply`), so that a client can be written once: `call(request) -> Request::Reply`.
// Times are CLOCK_MONOTONIC in nanoseconds; paths are absolute; absent values are std::optional.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "protocol/job.hpp"

namespace lockstep::protocol {

inline constexpr int kVersion = 1;
inline constexpr std::size_t kLongestLine = std::size_t{1} << 20;        // bytes, the newline included
inline constexpr std::string_view kReadVariable = "LOCKSTEP_READ_FD";    // the worker's requests
inline constexpr std::string_view kWriteVariable = "LOCKSTEP_WRITE_FD";  // its replies and events

struct Period {
    std::int64_t begin = 0;
    std::int64_t end = 0;  // not before begin
};
// import, load_data, build, compile, first_step, evaluate; a phase that is not apart is not there.
using Phases = std::map<std::string, Period>;
using Texts = std::map<std::string, std::string>;
using Files = std::map<std::string, std::string>;  // name of a tensor or result -> path

struct Nothing {};  // the reply `{}`

struct SeenDevice {
    std::string kind;  // cpu, gpu
    int index = 0;
    std::string name;
};

struct Abilities {
    std::vector<std::string> layers, optimizers, precisions, inputs, devices, options;
    std::vector<std::string> verbs;  // beyond the compulsory ones
};

struct HelloReply {
    int protocol = kVersion;
    std::string worker;
    std::vector<std::pair<std::string, std::string>> versions;  // in the worker's order: the framework first
    Layouts layouts;
    Abilities can;
    std::vector<SeenDevice> devices;
    std::int64_t started = 0;
    Phases phases;
};
struct HelloRequest {
    static constexpr std::string_view kVerb = "hello";
    using Reply = HelloReply;
    int protocol = kVersion;
    std::string lockstep;  // version of the program that asks
};

struct Rendezvous {
    std::string address;
    std::string folder;
};
struct TensorShape {
    std::string name;                 // "conv1.kernel"
    std::vector<std::int64_t> shape;  // in the declared layout
};
struct BuildReply {
    std::int64_t parameters = 0;  // counted by the framework itself
    std::vector<TensorShape> tensors;
    Texts facts;
    std::string adam = "epsilon_hat";  // epsilon_hat, classic
    std::vector<std::string> step_includes;
    Phases phases;
};
struct BuildRequest {
    static constexpr std::string_view kVerb = "build";
    using Reply = BuildReply;
    Job job;
    std::optional<Rendezvous> rendezvous;  // there exactly when job.world > 1
};

struct WeightsInRequest {
    static constexpr std::string_view kVerb = "weights_in";
    using Reply = Nothing;
    Files files;
};

struct WeightsOutReply {
    Files files;
};
struct WeightsOutRequest {
    static constexpr std::string_view kVerb = "weights_out";
    using Reply = WeightsOutReply;
    std::string folder;
};

struct DataReply {
    Phases phases;
};
struct DataRequest {
    static constexpr std::string_view kVerb = "data";
    using Reply = DataReply;
    std::string train_images, train_labels, test_images;
    double scale = 0.00392156862745098;  // 1/255
};

struct PixelsRequest {
    static constexpr std::string_view kVerb = "pixels";
    using Reply = Nothing;
    std::int64_t count = 0;
    std::string file;
    std::string input = "locked";  // locked, native
};

struct CheckReply {
    std::optional<double> loss;                 // before any update; absent where not finite
    std::vector<std::optional<double>> losses;  // one a step, before its own update
    Files files;  // logits, gradient.<tensor>, after.<tensor>, predictions: the file's name without .npy
};
struct CheckRequest {
    static constexpr std::string_view kVerb = "check";
    using Reply = CheckReply;
    std::string order;
    std::int64_t steps = 0;
    std::string folder;
};

struct Epoch {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::int64_t steps = 0;
    std::optional<double> loss;  // mean of the training losses; absent where not finite
};
struct TrainReply {
    std::vector<Epoch> epochs;
    std::string stamps;
    std::optional<std::string> losses;     // file of float32 step losses
    std::vector<std::string> predictions;  // one an epoch, when asked for
    std::vector<Period> evaluations;
    Phases phases;
};
struct TrainRequest {
    static constexpr std::string_view kVerb = "train";
    using Reply = TrainReply;
    std::int64_t epochs = 0;
    std::vector<std::string> orders;  // one an epoch
    std::string stamps;
    bool evaluate = false;
    std::string predictions;  // holds "{epoch}" (epochs count from 1); may be empty without evaluate
    std::int64_t silence_ms = 0;
    std::optional<std::int64_t> limit;  // steps over all epochs
};

struct PredictReply {
    std::string file;
    Phases phases;
};
struct PredictRequest {
    static constexpr std::string_view kVerb = "predict";
    using Reply = PredictReply;
    std::string file;
};

struct MemoryReply {
    std::map<std::string, std::int64_t> allocators;  // peak bytes under the framework's own names
};
struct MemoryRequest {
    static constexpr std::string_view kVerb = "memory";
    using Reply = MemoryReply;
};

struct LatencyReply {
    std::string stamps;
};
struct LatencyRequest {
    static constexpr std::string_view kVerb = "latency";
    using Reply = LatencyReply;
    std::int64_t batch = 0;
    std::int64_t repeats = 0;
    std::int64_t warm_up = 0;
    std::string stamps;
};

struct LayerTime {
    std::string layer;
    std::string direction;  // forward, gradient_input, gradient_weights, optimizer, input, other
    std::int64_t nanoseconds = 0;
    std::int64_t calls = 0;
};
struct ProfileReply {
    std::vector<LayerTime> layers;
    std::string trace;
};
struct ProfileRequest {
    static constexpr std::string_view kVerb = "profile";
    using Reply = ProfileReply;
    std::int64_t steps = 0;
    std::string folder;
};

struct CollectiveReply {
    std::string stamps;
};
struct CollectiveRequest {
    static constexpr std::string_view kVerb = "collective";
    using Reply = CollectiveReply;
    std::int64_t values = 0;
    std::int64_t repeats = 0;
    std::string stamps;
};

struct ShutdownRequest {
    static constexpr std::string_view kVerb = "shutdown";
    using Reply = Nothing;
};

enum class FailureKind { unsupported, protocol, resources, framework };
struct Failure {
    FailureKind kind = FailureKind::framework;
    std::string message;
    std::optional<std::string> layer;
};

struct Progress {
    std::int64_t done = 0;
    std::int64_t of = 0;
    std::optional<std::int64_t> epoch;  // from 1
};
struct Warning {
    std::string message;
};
struct Alive {};

}  // namespace lockstep::protocol
