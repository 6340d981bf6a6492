// Name and value of each column stand in one table, so that they cannot drift apart.
#include "harness/report/columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "harness/report/csv_cell.hpp"

namespace lockstep::report {
namespace {

using record::Trial;

struct Column {
    const char* name;
    std::string (*value)(const Trial&);
};

// The columns have no room for an outcome, so what a run that did not complete has measured is not shown in
// them.
std::string figure(const Trial& trial, const std::optional<double>& value, int digits)
{
    return value && trial.outcome.ok() ? fmt::format("{:.{}f}", *value, digits) : "";
}

std::optional<double> peak_mb(const Trial& trial)
{
    const auto bytes = trial.device == "cpu" ? trial.usage.resident_peak_bytes : trial.usage.gpu_peak_bytes;
    return bytes ? std::optional(static_cast<double>(*bytes) / 1e6) : std::nullopt;
}

std::optional<double> percent(const std::optional<double>& share)
{
    return share ? std::optional(*share * 100) : std::nullopt;
}

constexpr std::array<Column, 9> kColumns{{
    {"timestamp", [](const Trial& trial) { return trial.started_at; }},
    {"framework", [](const Trial& trial) { return trial.arm; }},
    {"model", [](const Trial& trial) { return trial.model; }},
    {"device", [](const Trial& trial) { return trial.device; }},
    {"batch_size", [](const Trial& trial) { return fmt::format("{}", trial.batch); }},
    {"train_time_sec", [](const Trial& trial) { return figure(trial, trial.train_seconds, 3); }},
    {"accuracy_pct", [](const Trial& trial) { return figure(trial, percent(trial.accuracy), 2); }},
    {"memory_peak_mb", [](const Trial& trial) { return figure(trial, peak_mb(trial), 1); }},
    {"gpu_util_pct",
     [](const Trial& trial) { return figure(trial, percent(trial.usage.gpu_utilisation), 0); }},
}};

}  // namespace

std::string column_names()
{
    std::string line;
    for (const Column& column : kColumns) {
        line += fmt::format("{}{}", line.empty() ? "" : ",", column.name);
    }
    return line;
}

std::string row_of(const Trial& trial)
{
    std::string line;
    for (const Column& column : kColumns) {
        line += fmt::format("{}{}", &column == kColumns.data() ? "" : ",", csv_cell(column.value(trial)));
    }
    return line;
}

}  // namespace lockstep::report
