// `lockstep verify`: the agreement check alone.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "harness/app/command.hpp"
#include "harness/app/exit_code.hpp"
#include "harness/app/run_options.hpp"
#include "harness/app/surroundings.hpp"
#include "harness/pipeline/console_reporter.hpp"

namespace lockstep::app {
namespace {

namespace fs = std::filesystem;

int verify(const RunOptions& options, const std::string& out, const pipeline::Workshop& shop)
{
    const Result<record::Plan> plan = experiment_of(options).and_then([&](spec::Experiment experiment) {
        experiment.data = experiment.data.value_or("fashion-mnist");
        if (experiment.models.empty()) {
            experiment.models = {"cnn2", "cnn3"};
        }
        if (experiment.frameworks.empty() && experiment.arms.empty()) {
            experiment.frameworks = {"all"};
        }
        return plan_for(experiment, shop);
    });
    if (!plan) {
        return complain(plan.error());
    }
    const Result<pipeline::Ground> ground = pipeline::stage_ground(*plan, shop);
    if (!ground) {
        return complain(ground.error());
    }
    const fs::path scratch = fs::temp_directory_path() / fmt::format("lockstep-verify-{}", ::getpid());
    const fs::path folder = out.empty() ? scratch / "gate" : fs::path(out);
    std::error_code code;
    fs::create_directories(folder, code);
    if (code) {
        return complain({fmt::format("{} cannot be made: {}.", folder.string(), code.message()),
                         "Name another folder with --out."});
    }
    pipeline::ConsoleReporter console(::isatty(STDOUT_FILENO) != 0, ::isatty(STDERR_FILENO) != 0);
    const auto results = pipeline::pass_gate(
        {*plan, *ground, folder, scratch / "staging",
         [&](const pipeline::GateResult& result) { console.gate(*plan, *ground, result); }},
        shop);
    fs::remove_all(scratch, code);
    const bool any_bad = std::any_of(results.begin(), results.end(), [](const pipeline::GateResult& result) {
        return result.admission == pipeline::Admission::departs ||
               result.admission == pipeline::Admission::failed;
    });
    return any_bad ? kTrialFailed : kResolved;
}

}  // namespace

void add_verify(CLI::App& program, Action& action)
{
    CLI::App* command =
        program.add_subcommand("verify", "Check that frameworks compute what the reference does");
    auto options = std::make_shared<RunOptions>();
    auto out = std::make_shared<std::string>();
    add_experiment_options(*command, *options);
    command->add_option("--out,-o", *out, "Keep each check's table of departures in this folder");
    command->callback([options, out, &action] {
        action = [options, out] {
            const Result<pipeline::Workshop> shop = open_workshop(catch_signals());
            return shop ? verify(*options, *out, *shop) : complain(shop.error());
        };
    });
}

}  // namespace lockstep::app
