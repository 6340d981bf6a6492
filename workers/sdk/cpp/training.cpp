// Everything that the loop writes to is made, and touched, before the first step.
#include "workers/sdk/cpp/training.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>

#include "workers/sdk/cpp/clock.hpp"
#include "workers/sdk/cpp/faults.hpp"
#include "workers/sdk/cpp/npy.hpp"

namespace lockstep::sdk {
namespace {

using protocol::TrainReply;
using protocol::TrainRequest;

constexpr std::string_view kEpochMark = "{epoch}";

std::optional<double> mean_of(std::span<const float> losses)
{
    double sum = 0.0;
    for (const float loss : losses) {
        sum += static_cast<double>(loss);
    }
    const double mean = sum / static_cast<double>(losses.size());
    return std::isfinite(mean) ? std::optional(mean) : std::nullopt;
}

std::string losses_beside(std::string stamps)
{
    if (stamps.ends_with(".npy")) {
        stamps.resize(stamps.size() - 4);
    }
    return stamps + ".losses.npy";
}

class Training {
public:
    Training(const TrainRequest& request, Workbench& bench)
        : request_(request), bench_(bench), batch_(static_cast<std::size_t>(bench.batch))
    {
        if (request.evaluate && request.epochs > 1 &&
            request.predictions.find(kEpochMark) == std::string::npos) {
            throw BadRequest("train: predictions must hold {epoch} when there is more than one");
        }
        std::int64_t steps = 0;
        for (const std::string& path : request.orders) {
            orders_.push_back(bench.feeder.open_order(path));
            steps += static_cast<std::int64_t>(orders_.back().values().size() / batch_);
        }
        steps_ = static_cast<std::size_t>(
            std::min(steps, request.limit.value_or(std::numeric_limits<std::int64_t>::max())));
        stamps_.assign(2 * steps_, 0);
        losses_.assign(steps_, 0.0F);
    }

    TrainReply run()
    {
        TrainReply reply;
        Pulse pulse(bench_.channel, now());
        for (std::size_t epoch = 0; epoch < orders_.size() && done_ < steps_; ++epoch) {
            reply.epochs.push_back(run_epoch(epoch, pulse));
            if (request_.evaluate) {
                const std::int64_t begin = now();
                reply.predictions.push_back(evaluate(epoch, pulse));
                reply.evaluations.push_back({begin, now()});
            }
        }
        const auto steps = static_cast<std::int64_t>(steps_);
        reply.stamps = request_.stamps;
        write_npy<std::int64_t>(reply.stamps, {steps, 2}, stamps_);
        reply.losses = losses_beside(request_.stamps);
        write_npy<float>(*reply.losses, {steps}, losses_);
        reply.phases["first_step"] = {stamps_[0], stamps_[1]};
        return reply;
    }

private:
    protocol::Epoch run_epoch(std::size_t epoch, Pulse& pulse)
    {
        const std::span<const std::int64_t> order = orders_[epoch].values();
        const std::size_t first = done_;
        const std::size_t last = std::min(steps_, first + order.size() / batch_);
        protocol::Epoch result;
        result.begin = now();
        if (bench_.native) {
            bench_.trainer.begin_native_epoch();
        }
        Batch batch;
        for (; done_ < last; ++done_) {
            if (!bench_.native) {
                batch = bench_.feeder.train_batch(order.subspan((done_ - first) * batch_, batch_));
            }
            const std::int64_t begin = now();
            const float loss = bench_.native ? bench_.trainer.native_step() : bench_.trainer.step(batch);
            const std::int64_t end = now();
            stamps_[2 * done_] = begin;
            stamps_[2 * done_ + 1] = end;
            losses_[done_] = loss;
            pulse.step_done(end, static_cast<std::int64_t>(done_ + 1), static_cast<std::int64_t>(steps_),
                            static_cast<std::int64_t>(epoch + 1));
        }
        result.end = now();
        result.steps = static_cast<std::int64_t>(last - first);
        result.loss = mean_of(std::span(losses_).subspan(first, last - first));
        return result;
    }

    std::string evaluate(std::size_t epoch, Pulse& pulse)
    {
        std::string path = request_.predictions;
        if (const std::size_t mark = path.find(kEpochMark); mark != std::string::npos) {
            path.replace(mark, kEpochMark.size(), std::to_string(epoch + 1));
        }
        const std::vector<std::int32_t> classes = predict_all(bench_, pulse);
        write_npy<std::int32_t>(path, {static_cast<std::int64_t>(classes.size())}, classes);
        return path;
    }

    const TrainRequest& request_;
    Workbench& bench_;
    std::size_t batch_;
    std::vector<NpyView<std::int64_t>> orders_;
    std::size_t steps_ = 0;
    std::size_t done_ = 0;
    std::vector<std::int64_t> stamps_;
    std::vector<float> losses_;
};

}  // namespace

void write_classes(std::span<const float> logits, std::int64_t classes, std::span<std::int32_t> to)
{
    const auto width = static_cast<std::size_t>(classes);
    for (std::size_t i = 0; i < to.size(); ++i) {
        const auto row = logits.subspan(i * width, width);
        to[i] = static_cast<std::int32_t>(std::max_element(row.begin(), row.end()) - row.begin());
    }
}

std::vector<std::int32_t> predict_all(Workbench& bench, Pulse& pulse)
{
    const std::int64_t images = bench.feeder.test_count();
    std::vector<std::int32_t> classes(static_cast<std::size_t>(images));
    std::vector<float> logits(static_cast<std::size_t>(bench.batch * bench.classes));
    for (std::int64_t first = 0; first < images; first += bench.batch) {
        const std::int64_t count = std::min(bench.batch, images - first);
        const auto part = std::span(logits).first(static_cast<std::size_t>(count * bench.classes));
        bench.trainer.predict(bench.feeder.test_batch(first, count), part);
        write_classes(
            part, bench.classes,
            std::span(classes).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count)));
        pulse.alive(now());
    }
    return classes;
}

TrainReply train(const TrainRequest& request, Workbench& bench)
{
    return Training(request, bench).run();
}

}  // namespace lockstep::sdk
