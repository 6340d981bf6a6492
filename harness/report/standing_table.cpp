// Columns are as wide as their widest cell.
#include "harness/report/standing_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

namespace lockstep::report {
namespace {

using record::Standing;
using record::StandingTable;

std::string with_thousands(double value)
{
    std::string digits = fmt::format("{:.0f}", value);
    for (std::size_t at = digits.size(); at > 3;) {
        at -= 3;
        digits.insert(at, ",");
    }
    return digits;
}

std::string number(const std::optional<double>& value, int digits, const char* unit = "")
{
    return value ? fmt::format("{:.{}f}{}", *value, digits, unit) : "";
}

std::string ratio_text(const Standing& row)
{
    if (!row.ratio) {
        return "";
    }
    const record::Ratio& ratio = *row.ratio;
    return ratio.low && ratio.high
               ? fmt::format("{:.2f}x [{:.2f}, {:.2f}]", ratio.estimate, *ratio.low, *ratio.high)
               : fmt::format("{:.2f}x", ratio.estimate);
}

// Below 100 images a second a whole number would hide what differs.
std::string speed(const std::optional<double>& images_per_second)
{
    if (!images_per_second) {
        return "";
    }
    return *images_per_second < 100 ? fmt::format("{:.1f}", *images_per_second)
                                    : with_thousands(*images_per_second);
}

constexpr std::size_t kColumns = 9;
using Cells = std::array<std::string, kColumns>;

Cells cells_of(const Standing& row)
{
    return {row.arm,
            row.word,
            speed(row.images_per_second),
            ratio_text(row),
            number(row.memory_peak_mb, 0),
            number(row.cores_used, 2),
            number(row.accuracy_pct, 1, " %"),
            number(row.first_step_seconds, 3),
            number(row.start_seconds, 1)};
}

const char* colour_of(const std::string& word)
{
    if (word.starts_with("faster")) {
        return "\033[32m";
    }
    if (word.starts_with("slower")) {
        return "\033[33m";
    }
    if (word == "unranked" || word == "failed" || word == "skipped") {
        return "\033[31m";
    }
    return "";
}

std::string line_of(const Cells& cells, const std::array<std::size_t, kColumns>& widths, const char* colour)
{
    std::string line;
    for (std::size_t i = 0; i < kColumns; ++i) {
        const bool words = i < 2 || i == 3;
        std::string cell =
            words ? fmt::format("{:<{}}", cells[i], widths[i]) : fmt::format("{:>{}}", cells[i], widths[i]);
        if (i == 1 && *colour) {
            cell = colour + cell + "\033[0m";
        }
        line += cell + (i + 1 < kColumns ? "  " : "");
    }
    line.erase(line.find_last_not_of(' ') + 1);
    return line + "\n";
}

}  // namespace

std::string table_text(const StandingTable& table, bool colour)
{
    std::vector<Cells> lines{{table.title, "", "images/s", "step time vs " + table.baseline, "peak MB",
                              "cores", "accuracy", "1st step s", "start s"}};
    for (const Standing& row : table.rows) {
        lines.push_back(cells_of(row));
    }
    std::array<std::size_t, kColumns> widths{};
    for (const Cells& cells : lines) {
        for (std::size_t i = 0; i < kColumns; ++i) {
            widths[i] = std::max(widths[i], cells[i].size());
        }
    }
    std::string text = line_of(lines.front(), widths, "");
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
        const Standing& row = table.rows[i];
        text += line_of(lines[i + 1], widths, colour ? colour_of(row.word) : "");
        if (!row.note.empty()) {
            text += "    " + row.note + "\n";
        }
    }
    for (const std::string& note : table.notes) {
        text += note + "\n";
    }
    return text;
}

std::string tables_json(const std::vector<StandingTable>& tables)
{
    using Json = nlohmann::ordered_json;
    Json all = Json::array();
    for (const StandingTable& table : tables) {
        Json rows = Json::array();
        for (const Standing& row : table.rows) {
            Json json{{"arm", row.arm},
                      {"verdict", row.word},
                      {"note", row.note},
                      {"runs", row.runs},
                      {"failed", row.failed}};
            const auto put = [&](const char* key, const std::optional<double>& value) {
                if (value) {
                    json[key] = *value;
                }
            };
            put("step_sec", row.step_seconds);
            put("images_per_sec", row.images_per_second);
            if (row.ratio) {
                json["ratio"] = row.ratio->estimate;
                put("ratio_low", row.ratio->low);
                put("ratio_high", row.ratio->high);
            }
            put("memory_peak_mb", row.memory_peak_mb);
            put("cores_used", row.cores_used);
            put("accuracy_pct", row.accuracy_pct);
            put("train_time_sec", row.train_seconds);
            put("first_step_sec", row.first_step_seconds);
            put("start_sec", row.start_seconds);
            rows.push_back(json);
        }
        all.push_back({{"model", table.model},
                       {"title", table.title},
                       {"baseline", table.baseline},
                       {"arms", rows},
                       {"notes", table.notes}});
    }
    return all.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace lockstep::report
