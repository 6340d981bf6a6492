// One line a fact, in the order in which things happen.
#include "harness/pipeline/console_reporter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "harness/base/console.hpp"
#include "harness/report/standing_table.hpp"

namespace lockstep::pipeline {
namespace {

std::string count_words(std::size_t count, const char* word)
{
    return fmt::format("{} {}{}", count, word, count == 1 ? "" : "s");
}

}  // namespace

void ConsoleReporter::opening(const record::Plan& plan, const Ground& ground)
{
    const data::Dataset& dataset = ground.dataset;
    line_.say(fmt::format(
        "{}: {} images of {}x{}x{} to train on, {} to test, {} classes; {} x {} x {} = {}; seed {}",
        dataset.name, ground.part.size(), dataset.height, dataset.width, dataset.channels,
        ground.test.count(), dataset.classes.size(),
        count_words(static_cast<std::size_t>(plan.blocks), "block"),
        count_words(ground.networks.size(), "network"), count_words(plan.arms.size(), "arm"),
        count_words(static_cast<std::size_t>(plan.blocks) * ground.networks.size() * plan.arms.size(), "run"),
        plan.seed));
}

void ConsoleReporter::gate(const record::Plan& plan, const Ground& ground, const GateResult& result)
{
    if (!plan.verify && result.admission == Admission::unchecked) {
        if (!told_unchecked_) {
            line_.say(
                "gate  left out, as asked (--no-verify): nothing shows that the arms compute the same.");
            told_unchecked_ = true;
        }
        return;
    }
    std::string text = fmt::format("gate  {} {}: {}", ground.networks[result.network].short_name,
                                   plan.arms[result.arm].name, word(result.admission));
    if (result.admission == Admission::agrees) {
        text +=
            fmt::format(", {} parameters, first loss {:.6f}, {:.0f} units in the last place from float64{}",
                        result.parameters.value_or(0), result.first_loss.value_or(0),
                        result.furthest_units.value_or(0), result.from_cache ? " (shown earlier)" : "");
    }
    if (!result.note.empty()) {
        text += ". " + result.note;
    }
    line_.say(text);
    if (!result.outcome.tail.empty()) {
        line_.say("    Its last words:\n" + result.outcome.tail);
    }
}

void ConsoleReporter::under_way(const record::Plan& plan, const Ground& ground, const Turn& turn,
                                const Course& course)
{
    line_.show(fmt::format("run {} of {}  {} {}", course.done + 1, course.of,
                           ground.networks[turn.network].short_name, plan.arms[turn.arm].name),
               course.share, course.seconds_left);
}

Result<void> ConsoleReporter::trial(const record::Plan&, const Ground& ground, const record::Trial& trial,
                                    const Course& course)
{
    const auto network = std::find_if(ground.networks.begin(), ground.networks.end(),
                                      [&](const protocol::Network& one) { return one.id == trial.model; });
    std::string text = fmt::format("run {} of {}  block {}  {} {}: ", course.done, course.of, trial.block,
                                   network->short_name, trial.arm);
    if (trial.outcome.ok()) {
        const double step = record::median_step(trial).value_or(0);
        text += fmt::format("{:.3f} ms a step", step * 1e3);
        text += trial.train_seconds ? fmt::format(", {:.1f} s training", *trial.train_seconds) : "";
        text += trial.accuracy ? fmt::format(", {:.2f} % right", *trial.accuracy * 100) : "";
    } else {
        text += fmt::format("{}. {}", record::word(trial.outcome.kind), trial.outcome.reason);
        text += trial.outcome.remedy.empty() ? "" : " " + trial.outcome.remedy;
    }
    if (course.seconds_left && course.done < course.of) {
        text += fmt::format("{} left", (text.ends_with('.') ? " About " : "; about ") +
                                           report::duration_words(*course.seconds_left));
    }
    line_.say(text);
    if (!trial.outcome.ok() && !trial.outcome.tail.empty()) {
        line_.say("    Its last words:\n" + trial.outcome.tail);
    }
    return {};
}

Result<void> ConsoleReporter::closing(const Conclusion& conclusion)
{
    line_.clear();
    for (const record::StandingTable& table : conclusion.tables) {
        put("\n{}", report::table_text(table, colour_));
    }
    std::fflush(stdout);
    return {};
}

}  // namespace lockstep::pipeline
