// One function a kind of line.
#include "harness/report/log_file.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>

namespace lockstep::report {
namespace {

using record::Epoch;
using record::Trial;

constexpr std::int64_t kFirstSteps = 10;  // of an epoch, for step_time_avg

class Log {
public:
    Log(const Trial& trial, std::int64_t wall_offset_ns) : trial_(trial), offset_(wall_offset_ns) {}

    void line(std::int64_t stamp, const std::string& text)
    {
        const std::time_t seconds = (stamp + offset_) / 1'000'000'000;
        text_ += fmt::format("[{:%Y-%m-%d %H:%M:%S}] {}\n", fmt::localtime(seconds), text);
    }
    void plain(const std::string& text) { text_ += text + "\n"; }
    std::string memory(const std::optional<std::int64_t>& resident) const
    {
        std::string text = resident ? fmt::format("CPU={:.2f}GB", static_cast<double>(*resident) / 1e9) : "";
        if (trial_.usage.gpu_peak_bytes) {
            text += fmt::format("{}GPU:{}={:.0f}MB", text.empty() ? "" : ", ",
                                trial_.device.substr(trial_.device.find(':') + 1),
                                static_cast<double>(*trial_.usage.gpu_peak_bytes) / 1e6);
        }
        return text;
    }
    std::string take() { return std::move(text_); }

private:
    const Trial& trial_;
    std::int64_t offset_;
    std::string text_;
};

// Begin of the first phase that is known, for lines before training.
std::int64_t begin_of(const Trial& trial, const char* phase, std::int64_t otherwise)
{
    const auto at = trial.phases.find(phase);
    return at == trial.phases.end() ? otherwise : at->second.begin;
}

void write_epoch(Log& log, const Trial& trial, std::size_t index, std::size_t first_step)
{
    const Epoch& epoch = trial.epochs[index];
    const std::size_t steps = static_cast<std::size_t>(epoch.steps);
    const std::size_t first = std::min<std::size_t>(kFirstSteps, steps);
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < first; ++i) {
        sum += trial.steps[first_step + i].end - trial.steps[first_step + i].begin;
    }
    const std::string utilisation =
        trial.usage.gpu_utilisation ? fmt::format(", gpu_util={:.0f}%", *trial.usage.gpu_utilisation * 100)
                                    : "";
    const double average = first == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(first) * 1e-9;
    log.line(epoch.span.begin,
             fmt::format("EPOCH_{}_START: step_time_avg={:.6f}s{}", index + 1, average, utilisation));
    for (std::size_t i = 0; i < steps; ++i) {
        const record::Step& step = trial.steps[first_step + i];
        log.plain(
            fmt::format("[STEP_{}] time={:.6f}s", i + 1, static_cast<double>(step.end - step.begin) * 1e-9));
    }
    const std::string accuracy = epoch.accuracy ? fmt::format("accuracy={:.4f}", *epoch.accuracy) : "";
    const std::string loss = epoch.loss ? fmt::format("loss={:.4f}", *epoch.loss) : "";
    log.line(epoch.span.end, fmt::format("EPOCH_{}_END: {}{}{}", index + 1, accuracy,
                                         accuracy.empty() || loss.empty() ? "" : ", ", loss));
}

}  // namespace

std::string log_text(const Trial& trial, const record::Environment& environment, std::int64_t wall_offset_ns)
{
    Log log(trial, wall_offset_ns);
    const std::int64_t start = begin_of(trial, "start", -wall_offset_ns);
    log.line(start, fmt::format("START TRAINING: {}", trial.arm));
    log.line(start, fmt::format("ENV: GPU={}, CPU_CORES={}, CUDA_VERSION={}", environment.gpus.size(),
                                environment.cores_usable, environment.cuda.value_or("none")));
    log.line(begin_of(trial, "build", start), fmt::format("MODEL: {}", trial.model));
    log.line(begin_of(trial, "load_data", start),
             fmt::format("DATA: train_samples={}, test_samples={}, batch_size={}", trial.train_samples,
                         trial.test_samples, trial.batch));
    const std::int64_t train = begin_of(trial, "train", start);
    if (const std::string memory = log.memory(trial.usage.resident_before_bytes); !memory.empty()) {
        log.line(train, "MEMORY_PRE: " + memory);
    }
    for (const std::string& warning : trial.warnings) {
        log.plain("WARNING: " + warning);
    }
    std::size_t first_step = 0;
    for (std::size_t i = 0; i < trial.epochs.size(); ++i) {
        write_epoch(log, trial, i, first_step);
        first_step += static_cast<std::size_t>(trial.epochs[i].steps);
    }
    std::int64_t last = trial.epochs.empty() ? start : trial.epochs.back().span.end;
    for (const auto& [name, span] : trial.phases) {
        last = std::max(last, span.end);
    }
    if (const std::string memory = log.memory(trial.usage.resident_peak_bytes); !memory.empty()) {
        log.line(last, "MEMORY_PEAK: " + memory);
    }
    if (!trial.outcome.ok()) {
        log.plain(fmt::format("WARNING: {}: {}", record::word(trial.outcome.kind), trial.outcome.reason));
    }
    log.line(last, trial.train_seconds
                       ? fmt::format("END TRAINING: total_time={:.1f}s", *trial.train_seconds)
                       : std::string("END TRAINING: no total_time, the run did not complete"));
    return log.take();
}

}  // namespace lockstep::report
