// The verbs. Each reads top to bottom as its paragraph in PROTOCOL.md section 4 does.
#include "workers/sdk/cpp/session.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>

#include "workers/sdk/cpp/abilities.hpp"
#include "workers/sdk/cpp/clock.hpp"
#include "workers/sdk/cpp/faults.hpp"
#include "workers/sdk/cpp/npy.hpp"
#include "workers/sdk/cpp/pulse.hpp"

namespace lockstep::sdk {
namespace {

using namespace protocol;

std::optional<double> finite(double value)
{
    return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

// Writes <folder>/<prefix><name>.npy for each tensor and notes it in `files` under its name without .npy.
void write_tensors(const std::string& folder, const std::string& prefix, std::span<const Tensor> tensors,
                   Files& files)
{
    for (const Tensor& tensor : tensors) {
        const std::string name = prefix + tensor.name;
        if (static_cast<std::int64_t>(tensor.values.size()) != elements_of(tensor.shape)) {
            throw std::logic_error(name + ": the trainer gave another number of values than its shape says");
        }
        files[name] = folder + "/" + name + ".npy";
        write_npy<float>(files[name], tensor.shape, tensor.values);
    }
}

}  // namespace

Session::Session(Trainer& trainer, Channel& channel, std::int64_t started, std::int64_t ready)
    : trainer_(trainer), channel_(channel), started_(started), ready_(ready), identity_(trainer.identity())
{
}

template <class Request>
bool Session::take(const Call& call, typename Request::Reply (Session::*verb)(const Request&),
                   std::string& line)
{
    if (call.verb != Request::kVerb) {
        return false;
    }
    const Decoded<Request> request = from_json<Request>(call.fields);
    if (!request) {
        throw BadRequest(call.verb + ": " + request.error());
    }
    line = reply_line(call.id, (this->*verb)(*request));
    return true;
}

std::string Session::answer(const Call& call)
{
    if (call.verb == BuildRequest::kVerb) {
        require_abilities(identity_, call.fields);
    }
    std::string line;
    const bool known = take(call, &Session::hello, line) || take(call, &Session::build, line) ||
                       take(call, &Session::weights_in, line) || take(call, &Session::weights_out, line) ||
                       take(call, &Session::data, line) || take(call, &Session::pixels, line) ||
                       take(call, &Session::check, line) || take(call, &Session::train, line) ||
                       take(call, &Session::predict, line) || take(call, &Session::memory, line) ||
                       take(call, &Session::shutdown, line);
    if (!known) {
        throw BadRequest("the verb \"" + call.verb + "\" is not known to this worker");
    }
    return line;
}

HelloReply Session::hello(const HelloRequest&)
{
    HelloReply reply;
    reply.worker = identity_.name;
    reply.versions.assign(identity_.versions.begin(), identity_.versions.end());
    std::stable_partition(reply.versions.begin(), reply.versions.end(),
                          [&](const auto& version) { return version.first == identity_.name; });
    reply.layouts = identity_.layouts;
    reply.can.layers = identity_.layers;
    reply.can.optimizers = identity_.optimizers;
    reply.can.precisions = identity_.precisions;
    reply.can.inputs = identity_.inputs;
    reply.can.devices = identity_.devices;
    reply.can.options = identity_.options;
    for (const std::string& kind : identity_.devices) {
        reply.devices.push_back({kind, 0, kind});
    }
    reply.started = started_;
    reply.phases["import"] = {started_, ready_};
    return reply;
}

BuildReply Session::build(const BuildRequest& request)
{
    if (build_asked_) {
        throw BadRequest("build: it was asked for before, and comes once");
    }
    build_asked_ = true;
    const std::int64_t begin = now();
    Built built = trainer_.build(request.job);
    const std::int64_t end = now();
    for (const std::string& warning : built.warnings) {
        channel_.send(event_line(Warning{warning}));
    }
    BuildReply reply;
    for (Tensor& tensor : built.parameters) {
        reply.parameters += elements_of(tensor.shape);
        reply.tensors.push_back({tensor.name, tensor.shape});
        tensor.values = {};
    }
    if (const auto form = built.facts.find("adam"); form != built.facts.end()) {
        reply.adam = form->second;
    }
    reply.facts = std::move(built.facts);
    reply.phases["build"] = {begin, end};
    layout_ = std::move(built.parameters);
    job_ = request.job;
    if (request.job.input == "native") {
        reply.step_includes = {"input"};
    }
    if (data_) {
        const std::int64_t handing = now();
        hand_over_native();
        reply.phases["load_data"] = {handing, now()};
    }
    return reply;
}

Nothing Session::weights_in(const WeightsInRequest& request)
{
    require_job();
    if (request.files.size() != layout_.size()) {
        throw BadRequest("weights_in: there must be one file for each of the " +
                         std::to_string(layout_.size()) + " tensors");
    }
    std::vector<Tensor> weights = layout_;
    for (Tensor& tensor : weights) {
        const auto file = request.files.find(tensor.name);
        if (file == request.files.end()) {
            throw BadRequest("weights_in: files." + tensor.name + " is missing");
        }
        const NpyView<float> values(file->second);
        if (values.shape() != tensor.shape) {
            throw BadRequest(file->second + ": the shape is not the one that " + tensor.name +
                             " was declared with");
        }
        tensor.values.assign(values.values().begin(), values.values().end());
    }
    trainer_.load(weights);
    loaded_ = true;
    return {};
}

WeightsOutReply Session::weights_out(const WeightsOutRequest& request)
{
    require_job();
    WeightsOutReply reply;
    ::mkdir(request.folder.c_str(), 0777);
    write_tensors(request.folder, "", trainer_.weights(), reply.files);
    return reply;
}

DataReply Session::data(const DataRequest& request)
{
    const std::int64_t begin = now();
    feeder_.reset();
    data_.emplace(request);
    hand_over_native();
    return {{{"load_data", {begin, now()}}}};
}

Nothing Session::pixels(const PixelsRequest& request)
{
    if (!data_ || request.count > data_->train.count()) {
        throw BadRequest("pixels: so many training images are not mapped");
    }
    if (std::find(identity_.inputs.begin(), identity_.inputs.end(), request.input) ==
        identity_.inputs.end()) {
        throw Unsupported(identity_.name + " does not offer the input mode \"" + request.input + "\"");
    }
    Shape shape = data_->train.size();
    shape.insert(shape.begin(), request.count);
    std::vector<float> images(static_cast<std::size_t>(elements_of(shape)));
    if (request.input == "native") {
        trainer_.native_pixels(data_->training_set(), images);
        write_npy<float>(request.file, shape, images);
        return {};
    }
    for (std::int64_t i = 0; i < request.count; ++i) {
        data_->train.copy(i, data_->scale,
                          images.data() + static_cast<std::size_t>(i) * data_->train.pixels());
    }
    write_npy<float>(request.file, shape, images);
    return {};
}

CheckReply Session::check(const CheckRequest& request)
{
    Workbench bench = workbench();
    if (job_->dropout) {
        throw BadRequest("check: the network was built with dropout");
    }
    const NpyView<std::int64_t> order = feeder_->open_order(request.order);
    const auto batch = static_cast<std::size_t>(job_->batch);
    if (order.values().size() / batch != static_cast<std::size_t>(request.steps)) {
        throw BadRequest("check: the order does not hold " + std::to_string(request.steps) + " batches");
    }
    CheckReply reply;
    Pulse pulse(channel_, now());
    ::mkdir(request.folder.c_str(), 0777);
    const Gradients gradients = trainer_.gradients(feeder_->train_batch(order.values().first(batch)));
    reply.loss = finite(gradients.loss);
    reply.files["logits"] = request.folder + "/logits.npy";
    write_npy<float>(reply.files["logits"], {job_->batch, bench.classes}, gradients.logits);
    write_tensors(request.folder, "gradient.", gradients.tensors, reply.files);

    for (std::size_t step = 0; step < static_cast<std::size_t>(request.steps); ++step) {
        const float loss = trainer_.step(feeder_->train_batch(order.values().subspan(step * batch, batch)));
        reply.losses.push_back(finite(static_cast<double>(loss)));
        pulse.alive(now());
    }
    write_tensors(request.folder, "after.", trainer_.weights(), reply.files);

    const std::vector<std::int32_t> classes = predict_all(bench, pulse);
    reply.files["predictions"] = request.folder + "/predictions.npy";
    write_npy<std::int32_t>(reply.files["predictions"], {static_cast<std::int64_t>(classes.size())}, classes);
    return reply;
}

TrainReply Session::train(const TrainRequest& request)
{
    Workbench bench = workbench();
    return sdk::train(request, bench);
}

PredictReply Session::predict(const PredictRequest& request)
{
    Workbench bench = workbench();
    const std::int64_t begin = now();
    Pulse pulse(channel_, begin);
    const std::vector<std::int32_t> classes = predict_all(bench, pulse);
    const std::int64_t end = now();
    write_npy<std::int32_t>(request.file, {static_cast<std::int64_t>(classes.size())}, classes);
    return {request.file, {{"evaluate", {begin, end}}}};
}

MemoryReply Session::memory(const MemoryRequest&)
{
    return {trainer_.allocator_bytes()};
}
Nothing Session::shutdown(const ShutdownRequest&)
{
    return {};
}

const Job& Session::require_job() const
{
    if (!job_) {
        throw BadRequest("this needs a network: build comes first");
    }
    return *job_;
}

Workbench Session::workbench()
{
    const Job& job = require_job();
    if (!data_) {
        throw BadRequest("this needs images: data comes first");
    }
    if (!loaded_) {
        throw BadRequest("this needs weights: weights_in comes first");
    }
    return {trainer_, feeder(), channel_, job.batch, job.network.classes, job.input == "native"};
}

Feeder& Session::feeder()
{
    if (!feeder_) {
        feeder_.emplace(*data_, *job_, trainer_.reads_images());
    }
    return *feeder_;
}

void Session::hand_over_native()
{
    if (job_ && data_ && job_->input == "native") {
        feeder();
        trainer_.take_native(data_->training_set());
    }
}

}  // namespace lockstep::sdk
