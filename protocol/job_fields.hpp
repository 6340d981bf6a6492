// The fields of a job: network, layers, optimizer, device; and of the layouts. Internal to the codec.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/archive.hpp"
#include "protocol/codec.hpp"
#include "protocol/messages.hpp"
#include "protocol/shapes.hpp"

namespace lockstep::protocol {

template <>
struct NamesOf<LayerKind> {
    static constexpr std::array<const char*, 5> names{"convolution", "max_pool", "flatten", "dense",
                                                      "dropout"};
};
template <>
struct NamesOf<Padding> {
    static constexpr std::array<const char*, 2> names{"same", "valid"};
};
template <>
struct NamesOf<Activation> {
    static constexpr std::array<const char*, 2> names{"none", "relu"};
};

inline constexpr std::string_view kBelowOne = "is below 1";

inline bool one_of(std::string_view text, std::initializer_list<std::string_view> words)
{
    return std::find(words.begin(), words.end(), text) != words.end();
}

// Filters and units are a layer's last output size; JSON states them too, for readers and for workers.
void describe_outputs(auto& a, const char* key, const Layer& m)
{
    std::int64_t outputs = m.output.empty() ? 0 : m.output.back();
    a(key, outputs);
    a.check(!m.output.empty() && outputs == m.output.back(), key, "is not the last size of the output");
}

template <class Archive>
void describe(Archive& a, Layer& m)
{
    a("kind", m.kind);
    a("name", m.name);
    a("input", m.input);
    a("output", m.output);
    switch (m.kind) {
        case LayerKind::convolution: {
            std::array<std::int64_t, 2> kernel{m.kernel_height, m.kernel_width};
            a("kernel", kernel);
            if constexpr (Archive::kReads) {
                m.kernel_height = kernel[0];
                m.kernel_width = kernel[1];
            }
            describe_outputs(a, "filters", m);
            a("padding", m.padding);
            a("activation", m.activation);
            break;
        }
        case LayerKind::max_pool:
            a("window", m.window);
            break;
        case LayerKind::dense:
            describe_outputs(a, "units", m);
            a("activation", m.activation);
            break;
        case LayerKind::dropout:
            a("rate", m.rate);
            break;
        case LayerKind::flatten:
            break;
    }
}

template <class Archive>
void describe(Archive& a, Network& m)
{
    a("id", m.id);
    a("short", m.short_name);
    a("input", m.input);
    a("classes", m.classes);
    a("layers", m.layers);
    if constexpr (Archive::kReads) {
        if (const std::optional<Flaw> flaw = flaw_in(m)) {
            a.check(false, flaw->where, flaw->why);
        }
    }
}

void describe(auto& a, Optimizer& m)
{
    a("kind", m.kind);
    a.check(one_of(m.kind, {"adam", "sgd"}), "kind", "is neither adam nor sgd");
    a("learning_rate", m.learning_rate);
    if (m.kind == "adam") {
        a("beta1", m.beta1);
        a("beta2", m.beta2);
        a("epsilon", m.epsilon);
    } else {
        a("momentum", m.momentum);
    }
}

void describe(auto& a, Device& m)
{
    a("kind", m.kind);
    a("index", m.index);
    a.check(m.index >= 0, "index", "is below 0");
}

void describe(auto& a, Job& m)
{
    a("network", m.network);
    a("batch", m.batch);
    a.check(m.batch >= 1, "batch", kBelowOne);
    a("optimizer", m.optimizer);
    a("precision", m.precision);
    a("tf32", m.tf32);
    a("input", m.input);
    a("threads", m.threads);
    a.check(m.threads >= 1, "threads", kBelowOne);
    a("device", m.device);
    a("replicas", m.replicas);
    a.check(m.replicas >= 1, "replicas", kBelowOne);
    a("rank", m.rank);
    a("world", m.world);
    a.check(m.world >= 1, "world", kBelowOne);
    a.check(m.rank >= 0 && m.rank < m.world, "rank", "is not from 0 to world - 1");
    a("dropout", m.dropout);
    a("seed", m.seed);
    a("options", m.options);
}

void describe(auto& a, Layouts& m)
{
    a("convolution", m.convolution);
    a.check(one_of(m.convolution, {"HWIO", "OIHW"}), "convolution", "is neither HWIO nor OIHW");
    a("flipped", m.flipped);
    a("dense", m.dense);
    a.check(one_of(m.dense, {"in_out", "out_in"}), "dense", "is neither in_out nor out_in");
    a("flatten", m.flatten);
    a.check(one_of(m.flatten, {"HWC", "CHW"}), "flatten", "is neither HWC nor CHW");
}

}  // namespace lockstep::protocol
