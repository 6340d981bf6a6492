// The record is written last: it says that the run's other files are whole.
#include "harness/pipeline/file_reporter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "harness/base/atomic_file.hpp"
#include "harness/base/npy_file.hpp"
#include "harness/observe/clock.hpp"
#include "harness/report/columns.hpp"
#include "harness/report/csv_cell.hpp"
#include "harness/report/log_file.hpp"
#include "harness/report/standing_table.hpp"
#include "harness/report/trial_file.hpp"

namespace lockstep::pipeline {
namespace {

namespace fs = std::filesystem;
using record::Trial;

// predictions.csv of the last epoch, in the user's own labels; ids from 1 in the whole test set. The workers'
// files are not kept.
Result<void> write_predictions(const fs::path& folder, const Ground& ground, const Trial& trial)
{
    const fs::path last = folder / fmt::format("predictions_{}.npy", trial.epochs.size());
    const Result<NpyFile> file = NpyFile::open(last);
    if (!file) {
        return tl::unexpected(file.error());
    }
    std::string text = "ImageId,Label\n";
    const auto labels = file->values<std::int32_t>();
    for (std::size_t i = 0; i < labels.size(); ++i) {
        const std::int32_t label = labels[i];
        text += fmt::format("{},{}\n", ground.test.ids[i],
                            report::csv_cell(ground.dataset.classes[static_cast<std::size_t>(label)]));
    }
    return write_file(folder / "predictions.csv", text);
}

void remove_worker_files(const fs::path& folder)
{
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
        const std::string name = entry.path().filename().string();
        if ((name.starts_with("predictions_") || name.starts_with("stamps.")) && name.ends_with(".npy")) {
            fs::remove(entry.path(), ignored);
        }
    }
}

std::int64_t wall_offset()
{
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    return now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec - observe::monotonic_ns();
}

}  // namespace

Result<void> FileReporter::write_rows(const Trial& like) const
{
    std::string text = report::column_names() + "\n";
    for (const Trial& trial : trials_) {
        if (trial.arm == like.arm && trial.model == like.model) {
            text += report::row_of(trial) + "\n";
        }
    }
    return write_file(folder_.file(fmt::format("{}_{}.csv", like.model, like.arm)), text);
}

Result<void> FileReporter::trial(const record::Plan&, const Ground& ground, const Trial& trial, const Course&)
{
    const fs::path folder = folder_.trial(trial.folder);
    if (trial.outcome.ok() && ground.test.images) {
        if (const Result<void> written = write_predictions(folder, ground, trial); !written) {
            return written;
        }
    }
    remove_worker_files(folder);
    std::erase_if(trials_, [&](const Trial& earlier) { return earlier.folder == trial.folder; });
    trials_.push_back(trial);
    std::sort(trials_.begin(), trials_.end(),
              [](const Trial& a, const Trial& b) { return a.folder < b.folder; });
    return write_file(folder / "s.log", report::log_text(trial, environment_, wall_offset()))
        .and_then([&] { return write_rows(trial); })
        .and_then([&] { return report::write_trial(folder, trial); });
}

Result<void> FileReporter::closing(const Conclusion& conclusion)
{
    std::string text;
    for (const record::StandingTable& table : conclusion.tables) {
        text += (text.empty() ? "" : "\n") + report::table_text(table, false);
    }
    return write_file(folder_.file("summary.txt"), text).and_then([&] {
        return write_file(folder_.file("summary.json"), report::tables_json(conclusion.tables));
    });
}

}  // namespace lockstep::pipeline
