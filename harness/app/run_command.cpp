// `lockstep run`: a campaign from start to its tables, or the rest of an earlier one.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "harness/app/command.hpp"
#include "harness/app/exit_code.hpp"
#include "harness/app/run_options.hpp"
#include "harness/app/surroundings.hpp"
#include "harness/base/atomic_file.hpp"
#include "harness/base/digest.hpp"
#include "harness/base/nearest_word.hpp"
#include "harness/observe/clock.hpp"
#include "harness/pipeline/campaign.hpp"
#include "harness/pipeline/console_reporter.hpp"
#include "harness/pipeline/file_reporter.hpp"
#include "harness/report/environment_file.hpp"

namespace lockstep::app {
namespace {

namespace fs = std::filesystem;

struct RunCommand {
    RunOptions options;
    std::string out;
    std::string resume;
    std::vector<std::string> only;
};

Result<void> known_arms(const record::Plan& plan, const std::vector<std::string>& only)
{
    std::vector<std::string> names;
    for (const record::Arm& arm : plan.arms) {
        names.push_back(arm.name);
    }
    for (const std::string& name : only) {
        if (std::find(names.begin(), names.end(), name) == names.end()) {
            const auto near = nearest_word(name, names);
            return fail(fmt::format("There is no arm \"{}\".", name),
                        fmt::format("{}The arms are {}.", near ? fmt::format("Did you mean {}? ", *near) : "",
                                    join_words(names)));
        }
    }
    return {};
}

// What is fixed before the first run, with its digest: nobody can choose afterwards what was to be shown.
std::string design_text(const record::Plan& plan, const std::string& experiment)
{
    const nlohmann::ordered_json json{{"written_at", observe::wall_time()},
                                      {"seed", plan.seed},
                                      {"blocks", plan.blocks},
                                      {"order", "independent uniform permutations"},
                                      {"unit", "run"},
                                      {"statistic", "median step time after warm-up"},
                                      {"interval", "sign test, 95 %"},
                                      {"margin", 0.03},
                                      {"experiment_digest", digest_of(experiment)}};
    return json.dump(2) + "\n";
}

fs::path default_folder(const record::Plan& plan)
{
    std::string stamp = observe::wall_time();
    std::replace(stamp.begin(), stamp.end(), ' ', '_');
    std::erase(stamp, ':');
    return fs::path("results") / fmt::format("{}_{}", plan.name, stamp);
}

int exit_code_of(const pipeline::CampaignResult& result)
{
    if (result.conclusion.any_failed || result.interrupted || result.missing > 0) {
        return kTrialFailed;
    }
    if (result.conclusion.any_refused) {
        return kRefused;
    }
    return result.conclusion.any_inconclusive ? kInconclusive : kResolved;
}

int campaign(const record::Plan& plan, std::vector<record::Trial> finished, const RunCommand& command,
             const pipeline::Workshop& shop, const report::ResultsFolder& folder)
{
    pipeline::ConsoleReporter console(::isatty(STDOUT_FILENO) != 0, ::isatty(STDERR_FILENO) != 0);
    pipeline::FileReporter files(folder, shop.environment, finished);
    const pipeline::CampaignOrder order{plan, std::move(finished), command.only};
    const Result<pipeline::CampaignResult> result =
        pipeline::run_campaign(order, shop, folder, {&files, &console});
    if (!result) {
        fmt::print(stderr, "lockstep: {}\n{}\n", result.error().what, result.error().remedy);
        fmt::print(stderr, "What was measured is kept. Go on with: lockstep run --resume {}\n",
                   folder.root().string());
        return kBadInput;
    }
    fmt::print("\nResults: {}\n", folder.root().string());
    if (result->interrupted || result->missing > 0) {
        fmt::print("{} of {} runs are missing. Go on with: lockstep run --resume {}\n", result->missing,
                   result->missing + result->runs, folder.root().string());
    }
    for (const std::string& arm : result->given_up) {
        fmt::print(
            "{} was not tried again after its failures. Repeat it alone: lockstep run --resume {} --only "
            "{}\n",
            arm, folder.root().string(), arm.substr(arm.find(' ') + 1));
    }
    if (result->runs == 0 && !result->interrupted) {
        fmt::print(stderr,
                   "lockstep: Nothing was measured: no arm could run.\nThe table says why for each, and what "
                   "to do.\n");
        return kBadInput;
    }
    return exit_code_of(*result);
}

int start(const RunCommand& command, const pipeline::Workshop& shop)
{
    const Result<record::Plan> plan =
        experiment_of(command.options).and_then([&](const spec::Experiment& experiment) {
            return plan_for(experiment, shop);
        });
    if (!plan) {
        return complain(plan.error());
    }
    if (const Result<void> known = known_arms(*plan, command.only); !known) {
        return complain(known.error());
    }
    // Mistakes in data and models are told before a folder is made.
    if (const Result<pipeline::Ground> ground = pipeline::stage_ground(*plan, shop); !ground) {
        return complain(ground.error());
    }
    const Result<report::ResultsFolder> folder =
        report::ResultsFolder::create(command.out.empty() ? default_folder(*plan) : fs::path(command.out));
    if (!folder) {
        return complain(folder.error());
    }
    const std::string experiment = spec::experiment_text(*plan);
    const Result<void> written =
        write_file(folder->file("design.json"), design_text(*plan, experiment))
            .and_then(
                [&] { return report::write_environment(folder->file("environment.json"), shop.environment); })
            .and_then([&] { return write_file(folder->file("experiment.toml"), experiment); });
    return written ? campaign(*plan, {}, command, shop, *folder) : complain(written.error());
}

int go_on(const RunCommand& command, const pipeline::Workshop& shop)
{
    const Result<report::ResultsFolder> folder = report::ResultsFolder::resume(command.resume);
    if (!folder) {
        return complain(folder.error());
    }
    const Result<record::Plan> plan =
        spec::open_experiment(folder->file("experiment.toml"))
            .and_then([&](const spec::Experiment& experiment) { return plan_for(experiment, shop); });
    if (!plan) {
        return complain(plan.error());
    }
    if (const Result<void> known = known_arms(*plan, command.only); !known) {
        return complain(known.error());
    }
    return campaign(*plan, folder->finished_trials(), command, shop, *folder);
}

}  // namespace

void add_run(CLI::App& program, Action& action)
{
    CLI::App* command =
        program.add_subcommand("run", "Train every arm on every network, and say who is faster");
    auto run = std::make_shared<RunCommand>();
    add_experiment_options(*command, run->options);
    command->add_option("--out,-o", run->out, "Folder for the results (results/<name>_<time>)");
    CLI::Option* resume =
        command->add_option("--resume", run->resume, "Go on with the campaign in this folder")
            ->type_name("DIR");
    command
        ->add_option("--only", run->only,
                     "Make runs of these arms only; with --resume also those that failed")
        ->delimiter(',');
    command->callback([run, &action] {
        action = [run] {
            const launch::Interrupt* interrupt = catch_signals();
            const Result<pipeline::Workshop> shop = open_workshop(interrupt);
            if (!shop) {
                return complain(shop.error());
            }
            return run->resume.empty() ? start(*run, *shop) : go_on(*run, *shop);
        };
    });
    // A resumed campaign is the one that was begun; another experiment is another campaign.
    for (CLI::Option* option : command->get_options()) {
        const std::string name = option->get_name();
        if (name != "--help" && name != "--resume" && name != "--only") {
            resume->excludes(option);
        }
    }
}

}  // namespace lockstep::app
