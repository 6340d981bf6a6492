// The fields of every request, reply and event, each listed once for reading and writing. Internal to the
// codec; the words are those of PROTOCOL.md section 4, in its order.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "protocol/archive.hpp"
#include "protocol/codec.hpp"
#include "protocol/job_fields.hpp"
#include "protocol/messages.hpp"

namespace lockstep::protocol {

template <>
struct NamesOf<FailureKind> {
    static constexpr std::array<const char*, 4> names{"unsupported", "protocol", "resources", "framework"};
};

void describe(auto&, Nothing&) {}

// --- hello ---

void describe(auto& a, HelloRequest& m)
{
    a("protocol", m.protocol);
    a("lockstep", m.lockstep);
}

void describe(auto& a, SeenDevice& m)
{
    a("kind", m.kind);
    a("index", m.index);
    a("name", m.name);
}

void describe(auto& a, Abilities& m)
{
    a("layers", m.layers);
    a("optimizers", m.optimizers);
    a("precisions", m.precisions);
    a("inputs", m.inputs);
    a("devices", m.devices);
    a("options", m.options);
    a("verbs", m.verbs);
}

void describe(auto& a, HelloReply& m)
{
    a("protocol", m.protocol);
    a("worker", m.worker);
    a("versions", m.versions);
    a("layouts", m.layouts);
    a("can", m.can);
    a("devices", m.devices);
    a("started", m.started);
    a.maybe("phases", m.phases);
}

// --- build ---

void describe(auto& a, Rendezvous& m)
{
    a("address", m.address);
    a("folder", m.folder);
}

void describe(auto& a, BuildRequest& m)
{
    describe(a, m.job);
    a.maybe("rendezvous", m.rendezvous);
    a.check(m.rendezvous.has_value() == (m.job.world > 1), "rendezvous",
            "is there without a world above 1, or the other way round");
}

void describe(auto& a, TensorShape& m)
{
    a("name", m.name);
    a("shape", m.shape);
}

void describe(auto& a, BuildReply& m)
{
    a("parameters", m.parameters);
    a("tensors", m.tensors);
    a("facts", m.facts);
    a("adam", m.adam);
    a.check(one_of(m.adam, {"epsilon_hat", "classic"}), "adam", "is neither epsilon_hat nor classic");
    a("step_includes", m.step_includes);
    a.maybe("phases", m.phases);
}

// --- weights, data, pixels ---

void describe(auto& a, WeightsInRequest& m)
{
    a("files", m.files);
}
void describe(auto& a, WeightsOutRequest& m)
{
    a("folder", m.folder);
}
void describe(auto& a, WeightsOutReply& m)
{
    a("files", m.files);
}

void describe(auto& a, DataRequest& m)
{
    a.group("train", [&](auto& train) {
        train("images", m.train_images);
        train("labels", m.train_labels);
    });
    a.group("test", [&](auto& test) { test("images", m.test_images); });
    a("scale", m.scale);
}
void describe(auto& a, DataReply& m)
{
    a.maybe("phases", m.phases);
}

void describe(auto& a, PixelsRequest& m)
{
    a("count", m.count);
    a.check(m.count >= 1, "count", kBelowOne);
    a("file", m.file);
    a("input", m.input);
}

// --- check, train, predict, memory ---

void describe(auto& a, CheckRequest& m)
{
    a("order", m.order);
    a("steps", m.steps);
    a.check(m.steps >= 1, "steps", kBelowOne);
    a("folder", m.folder);
}
void describe(auto& a, CheckReply& m)
{
    a("loss", m.loss);
    a("losses", m.losses);
    a("files", m.files);
}

void describe(auto& a, TrainRequest& m)
{
    a("epochs", m.epochs);
    a.check(m.epochs >= 1, "epochs", kBelowOne);
    a("orders", m.orders);
    a.check(static_cast<std::int64_t>(m.orders.size()) == m.epochs, "orders", "are not one an epoch");
    a("stamps", m.stamps);
    a("evaluate", m.evaluate);
    if (m.evaluate) {
        a("predictions", m.predictions);
    } else {
        a.maybe("predictions", m.predictions);
    }
    a("silence_ms", m.silence_ms);
    a.check(m.silence_ms >= 1, "silence_ms", kBelowOne);
    a.maybe("limit", m.limit);
    a.check(m.limit.value_or(1) >= 1, "limit", kBelowOne);
}
void describe(auto& a, Epoch& m)
{
    a("begin", m.begin);
    a("end", m.end);
    a.check(m.begin <= m.end, "end", "is before the begin");
    a("steps", m.steps);
    a.check(m.steps >= 0, "steps", "is below 0");
    a("loss", m.loss);
}
void describe(auto& a, TrainReply& m)
{
    a("epochs", m.epochs);
    a("stamps", m.stamps);
    a.maybe("losses", m.losses);
    a.maybe("predictions", m.predictions);
    a("evaluations", m.evaluations);
    a.maybe("phases", m.phases);
}

void describe(auto& a, PredictRequest& m)
{
    a("file", m.file);
}
void describe(auto& a, PredictReply& m)
{
    a("file", m.file);
    a.maybe("phases", m.phases);
}

void describe(auto&, MemoryRequest&) {}
void describe(auto& a, MemoryReply& m)
{
    a("allocators", m.allocators);
}

// --- verbs that not every worker has ---

void describe(auto& a, LatencyRequest& m)
{
    a("batch", m.batch);
    a.check(m.batch >= 1, "batch", kBelowOne);
    a("repeats", m.repeats);
    a.check(m.repeats >= 1, "repeats", kBelowOne);
    a("warm_up", m.warm_up);
    a.check(m.warm_up >= 0, "warm_up", "is below 0");
    a("stamps", m.stamps);
}
void describe(auto& a, LatencyReply& m)
{
    a("stamps", m.stamps);
}

void describe(auto& a, LayerTime& m)
{
    a("layer", m.layer);
    a("direction", m.direction);
    a.check(
        one_of(m.direction, {"forward", "gradient_input", "gradient_weights", "optimizer", "input", "other"}),
        "direction", "is not one of the six that the protocol names");
    a("nanoseconds", m.nanoseconds);
    a("calls", m.calls);
}
void describe(auto& a, ProfileRequest& m)
{
    a("steps", m.steps);
    a.check(m.steps >= 1, "steps", kBelowOne);
    a("folder", m.folder);
}
void describe(auto& a, ProfileReply& m)
{
    a("layers", m.layers);
    a("trace", m.trace);
}

void describe(auto& a, CollectiveRequest& m)
{
    a("values", m.values);
    a.check(m.values >= 1, "values", kBelowOne);
    a("repeats", m.repeats);
    a.check(m.repeats >= 1, "repeats", kBelowOne);
    a("stamps", m.stamps);
}
void describe(auto& a, CollectiveReply& m)
{
    a("stamps", m.stamps);
}

void describe(auto&, ShutdownRequest&) {}

// --- failures and events ---

void describe(auto& a, Failure& m)
{
    a("kind", m.kind);
    a("message", m.message);
    a.maybe("layer", m.layer);
}
void describe(auto& a, Progress& m)
{
    a("done", m.done);
    a("of", m.of);
    a.maybe("epoch", m.epoch);
}
void describe(auto& a, Warning& m)
{
    a("message", m.message);
}
void describe(auto&, Alive&) {}

}  // namespace lockstep::protocol
