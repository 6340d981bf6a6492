// A benchmark of the engine's step on synthetic data, not a test: median step time and the share of each
// phase. bench_onednn THREADS [MODEL SIZE BATCH STEPS [PREFERENCE]], for instance `bench_onednn 2 cnn3 28 64
// 30`.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "workers/onednn/engine.hpp"

namespace {

using namespace lockstep;
using protocol::Layer;
using protocol::LayerKind;

// The two networks of the contract, resolved for square grey images.
protocol::Network network_of(const std::string& model, std::int64_t size)
{
    const bool large = model == "cnn3";
    protocol::Network network;
    network.id = network.short_name = model;
    network.input = {size, size, 1};
    network.classes = 10;
    std::vector<std::int64_t> shape = network.input;
    const auto add = [&](LayerKind kind, const std::string& name, std::vector<std::int64_t> output) {
        Layer layer;
        layer.kind = kind;
        layer.name = name;
        layer.input = shape;
        layer.output = shape = std::move(output);
        network.layers.push_back(layer);
        return &network.layers.back();
    };
    int number = 0;
    for (const std::int64_t channels :
         large ? std::vector<std::int64_t>{64, 128, 256} : std::vector<std::int64_t>{32, 64}) {
        ++number;
        Layer* layer =
            add(LayerKind::convolution, "conv" + std::to_string(number), {shape[0], shape[1], channels});
        layer->kernel_height = layer->kernel_width = 3;
        layer->activation = protocol::Activation::relu;
        add(LayerKind::max_pool, "pool" + std::to_string(number), {shape[0] / 2, shape[1] / 2, channels})
            ->window = 2;
    }
    add(LayerKind::flatten, "flatten", {shape[0] * shape[1] * shape[2]});
    number = 0;
    for (const std::int64_t units :
         large ? std::vector<std::int64_t>{512, 256} : std::vector<std::int64_t>{128}) {
        ++number;
        add(LayerKind::dense, "dense" + std::to_string(number), {units})->activation =
            protocol::Activation::relu;
        if (large) {
            add(LayerKind::dropout, "dropout" + std::to_string(number), {units})->rate = 0.5;
        }
    }
    add(LayerKind::dense, "dense" + std::to_string(number + 1), {10});
    return network;
}

void measure(int threads, const std::string& model, std::int64_t size, std::int64_t batch, int steps,
             onednn::Preference preference)
{
    protocol::Job job;
    job.network = network_of(model, size);
    job.batch = batch;
    job.threads = threads;
    onednn::Engine engine(job, preference);
    std::mt19937 random(1);
    for (std::size_t i = 0; i < engine.parameter_count(); ++i) {
        std::vector<float> values = engine.parameter_values(i);
        const std::vector<std::int64_t>& shape = engine.parameter(i).shape;
        const double inputs = static_cast<double>(values.size()) / static_cast<double>(shape.back());
        std::normal_distribution<float> draw(0.0f, static_cast<float>(1.0 / std::sqrt(inputs)));
        if (shape.size() > 1) {
            std::generate(values.begin(), values.end(), [&] { return draw(random); });
            engine.set_parameter(i, values);
        }
    }
    std::vector<float> images(static_cast<std::size_t>(batch * size * size));
    std::vector<std::int32_t> labels(static_cast<std::size_t>(batch));
    std::generate(images.begin(), images.end(), [&] { return static_cast<float>(random() % 256) / 255.0f; });
    std::generate(labels.begin(), labels.end(), [&] { return static_cast<std::int32_t>(random() % 10); });
    for (int i = 0; i < std::max(3, steps / 10); ++i) {
        engine.step(images, labels);
    }
    engine.profile();
    std::vector<double> times;
    float loss = 0.0f;
    for (int i = 0; i < steps; ++i) {
        const auto start = std::chrono::steady_clock::now();
        loss = engine.step(images, labels);
        times.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    std::sort(times.begin(), times.end());
    const double median = times[times.size() / 2];
    std::printf(
        "%s %ldx%ld batch %ld threads %d: median %.3f ms (best %.3f), %.0f images/s, arena %.1f MB, loss "
        "%.4f\n",
        model.c_str(), size, size, batch, threads, median * 1e3, times.front() * 1e3,
        static_cast<double>(batch) / median, static_cast<double>(engine.memory_bytes()) / 1e6,
        static_cast<double>(loss));
    double total = 0.0;
    for (const onednn::Phase& phase : engine.phases()) {
        total += phase.seconds;
    }
    for (const onednn::Phase& phase : engine.phases()) {
        std::printf("  %-20s %5.1f %%  %8.3f ms\n", phase.name.c_str(), 100.0 * phase.seconds / total,
                    1e3 * phase.seconds / steps);
    }
    for (const auto& [where, what] : engine.facts()) {
        std::printf("  %s: %s\n", where.c_str(), what.c_str());
    }
}

}  // namespace

int main(int argc, char** argv)
{
    const int threads = argc > 1 ? std::atoi(argv[1]) : 1;
    if (argc > 5) {
        const std::string way = argc > 6 ? argv[6] : "auto";
        const onednn::Preference preference = way == "library"    ? onednn::Preference::library
                                              : way == "direct"   ? onednn::Preference::direct
                                              : way == "winograd" ? onednn::Preference::winograd
                                                                  : onednn::Preference::automatic;
        measure(threads, argv[2], std::atoi(argv[3]), std::atoi(argv[4]), std::atoi(argv[5]), preference);
        return 0;
    }
    for (const char* model : {"cnn2", "cnn3"}) {
        measure(threads, model, 28, 64, 50, onednn::Preference::automatic);
        measure(threads, model, 224, 16, 5, onednn::Preference::automatic);
    }
    return 0;
}
