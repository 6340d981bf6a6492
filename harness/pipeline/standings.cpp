// One row an arm; the unit is the run, the pairing is the block.
#include "harness/pipeline/standings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "harness/judge/control.hpp"
#include "harness/judge/family.hpp"
#include "harness/judge/leaders.hpp"
#include "harness/judge/verdict.hpp"

namespace lockstep::pipeline {
namespace {

using record::Standing;
using record::StandingTable;
using record::Trial;

constexpr double kLevel = 0.95;
constexpr double kMargin = 0.03;  // MEASUREMENT 5.6: the default margin

std::optional<double> median(std::vector<double> values)
{
    if (values.empty()) {
        return {};
    }
    std::sort(values.begin(), values.end());
    const std::size_t half = values.size() / 2;
    return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

// Median over completed runs of what `value` gives; runs without a value are left out.
template <class Value>
std::optional<double> median_of(const std::vector<const Trial*>& trials, Value value)
{
    std::vector<double> values;
    for (const Trial* trial : trials) {
        if (const std::optional<double> one = value(*trial); trial->outcome.ok() && one) {
            values.push_back(*one);
        }
    }
    return median(std::move(values));
}

std::optional<double> start_seconds(const Trial& trial)
{
    const auto start = trial.phases.find("start");
    const auto train = trial.phases.find("train");
    if (start == trial.phases.end() || train == trial.phases.end()) {
        return {};
    }
    return static_cast<double>(train->second.begin - start->second.begin) * 1e-9;
}

std::optional<double> cores_used(const Trial& trial)
{
    double wall = trial.train_seconds.value_or(0);
    for (const record::Epoch& epoch : trial.epochs) {
        wall += epoch.evaluation ? epoch.evaluation->seconds() : 0;
    }
    // CPU time comes in ticks of 10 ms a process: a shorter training cannot tell 1.0 from 1.1 cores.
    constexpr double kShortest = 0.2;
    return trial.usage.train_cpu_seconds && wall >= kShortest
               ? std::optional(*trial.usage.train_cpu_seconds / wall)
               : std::nullopt;
}

std::optional<double> peak_mb(const Trial& trial)
{
    const auto bytes = trial.device == "cpu" ? trial.usage.resident_peak_bytes : trial.usage.gpu_peak_bytes;
    return bytes ? std::optional(static_cast<double>(*bytes) / 1e6) : std::nullopt;
}

// An arm's runs of one network.
struct Group {
    const record::Arm* arm = nullptr;
    const GateResult* gate = nullptr;
    std::vector<const Trial*> trials;
    std::vector<std::optional<double>> by_block;  // median step of the block's run
    bool ranked() const { return gate && gate->admission == Admission::agrees; }
};

Standing figures_of(const Group& group)
{
    Standing row;
    row.arm = group.arm->name;
    for (const Trial* trial : group.trials) {
        row.runs += trial->outcome.ok() ? 1 : 0;
        row.failed += trial->outcome.ok() || trial->outcome.kind == record::OutcomeKind::skipped ? 0 : 1;
    }
    row.step_seconds = median_of(group.trials, [](const Trial& trial) { return record::median_step(trial); });
    if (row.step_seconds && *row.step_seconds > 0) {
        row.images_per_second = static_cast<double>(group.arm->batch) / *row.step_seconds;
    }
    row.memory_peak_mb = median_of(group.trials, peak_mb);
    row.cores_used = median_of(group.trials, cores_used);
    row.train_seconds = median_of(group.trials, [](const Trial& trial) { return trial.train_seconds; });
    row.start_seconds = median_of(group.trials, start_seconds);
    row.first_step_seconds = median_of(group.trials, [](const Trial& trial) {
        return trial.steps.empty()
                   ? std::nullopt
                   : std::optional(static_cast<double>(trial.steps.front().end - trial.steps.front().begin) *
                                   1e-9);
    });
    row.accuracy_pct = median_of(group.trials, [](const Trial& trial) {
        return trial.accuracy ? std::optional(*trial.accuracy * 100) : std::nullopt;
    });
    return row;
}

void note_failures(const Group& group, Standing& row)
{
    const auto last = std::find_if(group.trials.rbegin(), group.trials.rend(),
                                   [](const Trial* trial) { return !trial->outcome.ok(); });
    if (last == group.trials.rend()) {
        return;
    }
    if (row.failed == 0) {
        row.word = "skipped";
        row.note = (*last)->outcome.reason + " " + (*last)->outcome.remedy;
        return;
    }
    row.note += fmt::format("{}{} of {} runs failed: {}", row.note.empty() ? "" : " ", row.failed,
                            row.runs + row.failed, (*last)->outcome.reason);
    if (row.runs == 0) {
        row.word = "failed";
    }
}

class Table {
public:
    Table(const record::Plan& plan, const Ground& ground, std::size_t network,
          const std::vector<GateResult>& gate, const std::vector<Trial>& trials, Conclusion& conclusion)
        : plan_(plan), ground_(ground), network_(network), conclusion_(conclusion)
    {
        for (std::size_t arm = 0; arm < plan.arms.size(); ++arm) {
            Group group;
            group.arm = &plan.arms[arm];
            const auto at = std::find_if(gate.begin(), gate.end(), [&](const GateResult& result) {
                return result.network == network && result.arm == arm;
            });
            group.gate = at == gate.end() ? nullptr : &*at;
            group.by_block.resize(static_cast<std::size_t>(plan.blocks));
            for (const Trial& trial : trials) {
                if (trial.arm != group.arm->name || trial.model != ground.networks[network].id) {
                    continue;
                }
                group.trials.push_back(&trial);
                if (trial.outcome.ok() && trial.block >= 1 && trial.block <= plan.blocks) {
                    group.by_block[static_cast<std::size_t>(trial.block - 1)] = record::median_step(trial);
                }
            }
            groups_.push_back(std::move(group));
        }
    }

    StandingTable make()
    {
        StandingTable table;
        table.model = ground_.networks[network_].id;
        table.title = title();
        table.baseline = plan_.baseline;
        compare();
        for (std::size_t i = 0; i < groups_.size(); ++i) {
            table.rows.push_back(row_of(i));
        }
        std::stable_sort(table.rows.begin(), table.rows.end(), [](const Standing& a, const Standing& b) {
            return a.images_per_second.value_or(0) > b.images_per_second.value_or(0);
        });
        add_notes(table);
        return table;
    }

private:
    std::string title() const
    {
        const protocol::Network& network = ground_.networks[network_];
        const record::Arm& arm = groups_[baseline()].arm ? *groups_[baseline()].arm : plan_.arms.front();
        // What arms differ in stands in their names, not above them all.
        const auto all = [&](auto member) {
            return std::all_of(plan_.arms.begin(), plan_.arms.end(),
                               [&](const record::Arm& other) { return other.*member == arm.*member; });
        };
        return fmt::format("{} {}x{}{}{}", network.short_name, network.input[0], network.input[1],
                           all(&record::Arm::batch) ? fmt::format(", batch {}", arm.batch) : "",
                           all(&record::Arm::threads)
                               ? fmt::format(", {} thread{}", arm.threads, arm.threads == 1 ? "" : "s")
                               : "");
    }

    std::size_t baseline() const
    {
        for (std::size_t i = 0; i < groups_.size(); ++i) {
            if (groups_[i].arm->name == plan_.baseline) {
                return i;
            }
        }
        return 0;
    }

    // Contrasts of every ranked arm against the baseline; the twin is the control, not a member.
    void compare()
    {
        const Group& base = groups_[baseline()];
        std::vector<std::vector<double>> ratios;
        for (std::size_t i = 0; i < groups_.size(); ++i) {
            if (i == baseline() || !groups_[i].ranked() || !base.ranked()) {
                continue;
            }
            std::vector<double> own = judge::log_ratios(base.by_block, groups_[i].by_block);
            if (groups_[i].arm->twin) {
                if (const auto contrast = judge::contrast_of(own, kLevel)) {
                    twin_ = judge::twin_control(*contrast, kMargin);
                }
                continue;
            }
            members_.push_back(i);
            ratios.push_back(std::move(own));
        }
        comparisons_ = judge::compare(ratios, kLevel);
    }

    Standing row_of(std::size_t i)
    {
        const Group& group = groups_[i];
        Standing row = figures_of(group);
        if (!group.gate || group.gate->admission == Admission::skipped) {
            row.word = "skipped";
            row.note = group.gate ? group.gate->note : "";
            return row;
        }
        if (group.gate->admission == Admission::departs || group.gate->admission == Admission::failed) {
            conclusion_.any_failed = true;
        }
        if (!group.ranked()) {
            row.word = group.gate->admission == Admission::failed ? "failed" : "unranked";
            row.note = group.gate->note;
        } else if (i == baseline()) {
            row.word = "baseline";
        } else if (group.arm->twin) {
            row.word = "twin";
            set_ratio(row, twin_ ? std::optional(twin_->contrast) : std::nullopt);
        } else {
            judge_row(i, row);
        }
        if (group.ranked() && !group.gate->note.empty()) {
            row.note = group.gate->note + (row.note.empty() ? "" : " ") + row.note;
        }
        note_failures(group, row);
        conclusion_.any_failed = conclusion_.any_failed || row.failed > 0;
        return row;
    }

    static void set_ratio(Standing& row, const std::optional<judge::Contrast>& contrast)
    {
        if (!contrast) {
            return;
        }
        record::Ratio ratio;
        ratio.estimate = contrast->ratio();
        if (const auto interval = contrast->ratio_interval()) {
            ratio.low = interval->low;
            ratio.high = interval->high;
        }
        row.ratio = ratio;
    }

    void judge_row(std::size_t i, Standing& row)
    {
        const auto member = std::find(members_.begin(), members_.end(), i);
        if (member == members_.end() || !comparisons_[static_cast<std::size_t>(member - members_.begin())]) {
            row.word = "no verdict";
            row.note = "No block holds a run of this arm and one of the baseline.";
            conclusion_.any_inconclusive = true;
            return;
        }
        const judge::Contrast& contrast =
            comparisons_[static_cast<std::size_t>(member - members_.begin())]->contrast;
        set_ratio(row, contrast);
        judge::Verdict verdict = judge::verdict_of(contrast, kMargin);
        if (twin_) {
            verdict = judge::under_control(verdict, contrast, *twin_);
        }
        row.word = std::string(judge::name(verdict.word));
        const bool open =
            verdict.word == judge::Word::inconclusive || verdict.word == judge::Word::too_few_blocks;
        conclusion_.any_inconclusive =
            conclusion_.any_inconclusive || open || verdict.word == judge::Word::below_control;
        conclusion_.any_refused = conclusion_.any_refused || verdict.word == judge::Word::control_failed;
        if (open) {
            row.note = judge::text(verdict) + ".";
        }
    }

    void add_notes(StandingTable& table) const
    {
        std::vector<std::vector<std::optional<double>>> ranked;
        std::vector<std::string> names;
        for (const Group& group : groups_) {
            if (group.ranked() && !group.arm->twin) {
                ranked.push_back(group.by_block);
                names.push_back(group.arm->name);
            }
        }
        note_short_runs(table);
        if (!names.empty() && !groups_[baseline()].ranked()) {
            table.notes.push_back(fmt::format(
                "The baseline {} is not ranked, so nothing is compared with it.", plan_.baseline));
        }
        if (const auto leaders = judge::leaders(ranked, kLevel); leaders && ranked.size() > 1) {
            if (leaders->blocks_needed) {
                table.notes.push_back(
                    fmt::format("Which of the {} is the fastest needs {} blocks: fewer cannot tell all pairs "
                                "apart at once.",
                                ranked.size(), *leaders->blocks_needed));
            } else if (leaders->fastest) {
                table.notes.push_back(fmt::format("{} is the fastest here.", names[leaders->best]));
            } else {
                std::string group;
                for (const std::size_t member : leaders->not_separated) {
                    group += (group.empty() ? "" : ", ") + names[member];
                }
                table.notes.push_back(fmt::format("Not told apart from the best: {}.", group));
            }
        }
        if (twin_ && !twin_->passed) {
            table.notes.push_back(fmt::format(
                "The control failed: {} against itself came out at {:.2f}x, so no difference is claimed. "
                "Run more blocks, or on a quieter machine.",
                plan_.baseline, twin_->contrast.ratio()));
        }
    }

    // Runs of few steps keep half of them for the median, whatever warm-up was asked for.
    void note_short_runs(StandingTable& table) const
    {
        for (const Group& group : groups_) {
            for (const Trial* trial : group.trials) {
                if (trial->outcome.ok() && trial->warm_up_steps < plan_.warm_up_steps) {
                    table.notes.push_back(fmt::format(
                        "Short runs: of {} steps {} are warm-up ({} were asked for), so medians are over {}.",
                        trial->steps.size(), trial->warm_up_steps, plan_.warm_up_steps,
                        static_cast<std::int64_t>(trial->steps.size()) - trial->warm_up_steps));
                    return;
                }
            }
        }
    }

    const record::Plan& plan_;
    const Ground& ground_;
    std::size_t network_;
    Conclusion& conclusion_;
    std::vector<Group> groups_;
    std::vector<std::size_t> members_;
    std::vector<std::optional<judge::Comparison>> comparisons_;
    std::optional<judge::TwinControl> twin_;
};

}  // namespace

Conclusion conclude(const record::Plan& plan, const Ground& ground, const std::vector<GateResult>& gate,
                    const std::vector<Trial>& trials)
{
    Conclusion conclusion;
    for (std::size_t network = 0; network < ground.networks.size(); ++network) {
        conclusion.tables.push_back(Table(plan, ground, network, gate, trials, conclusion).make());
    }
    return conclusion;
}

}  // namespace lockstep::pipeline
