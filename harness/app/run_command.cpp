// `lockstep run`: a campaign from start to its tables, or the rest of an earlier one.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "harness/app/command.hpp"
#include "harness/app/exit_code.hpp"
#include "harness/app/run_options.hpp"
#include "harness/app/surroundings.hpp"
#include "harness/base/atomic_file.hpp"
#include "harness/base/console.hpp"
#include "harness/base/digest.hpp"
#include "harness/base/nearest_word.hpp"
#include "harness/data/staging.hpp"
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
std::string design_text(const record::Plan& plan, const std::string& experiment,
                        const pipeline::Ground& ground)
{
    const nlohmann::ordered_json json{{"written_at", observe::wall_time()},
                                      {"seed", plan.seed},
                                      {"blocks", plan.blocks},
                                      {"order", "independent uniform permutations"},
                                      {"unit", "run"},
                                      {"statistic", "median step time after warm-up"},
                                      {"interval", "sign test, 95 %"},
                                      {"margin", 0.03},
                                      {"experiment_digest", digest_of(experiment)},
                                      {"data_digest", ground.dataset.digest}};
    return json.dump(2) + "\n";
}

// A resumed campaign is the one that was begun: the same experiment. Returns its design.
Result<nlohmann::json> design_of(const report::ResultsFolder& folder)
{
    const std::string root = folder.root().string();
    const auto design = read_file(folder.file("design.json")).map([](const std::string& text) {
        return nlohmann::json::parse(text, nullptr, false);
    });
    if (!design || !design->is_object() || !design->contains("experiment_digest")) {
        return fail(
            fmt::format("{} holds no readable design.json: nothing shows what was begun there.", root),
            "Put the file back, or begin another campaign in another folder.");
    }
    const Result<std::string> experiment = read_file(folder.file("experiment.toml"));
    if (!experiment || design->at("experiment_digest") != digest_of(*experiment)) {
        return fail(fmt::format("The experiment.toml in {} is not the one that was begun.", root),
                    fmt::format("Put it back as it was, or begin another campaign with it: lockstep run "
                                "{}/experiment.toml --out NEW_FOLDER.",
                                root));
    }
    return *design;
}

Result<void> require_same_data(const nlohmann::json& design, const data::Dataset& dataset,
                               const report::ResultsFolder& folder)
{
    if (design.value("data_digest", nlohmann::json()) == dataset.digest) {
        return {};
    }
    return fail(fmt::format("The data {} are not those that {} was begun with.", dataset.name,
                            folder.root().string()),
                "Bring the earlier data back, or begin another campaign in another folder.");
}

// Paths in full, so that the experiment can be run again from any folder.
void name_paths_in_full(record::Plan& plan)
{
    const std::vector<std::string> built_in = data::builtin_names();
    if (std::find(built_in.begin(), built_in.end(), plan.data.source) == built_in.end()) {
        plan.data.source = fs::absolute(plan.data.source).lexically_normal().string();
    }
    for (std::string& model : plan.models) {
        if (model.find('/') != std::string::npos || model.ends_with(".toml")) {
            model = fs::absolute(model).lexically_normal().string();
        }
    }
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
        put(stderr, "lockstep: {}\n{}\n", result.error().what, result.error().remedy);
        put(stderr, "What was measured is kept. Go on with: lockstep run --resume {}\n",
            folder.root().string());
        return kBadInput;
    }
    put("\nResults: {}\n", folder.root().string());
    if (result->interrupted || result->missing > 0) {
        put("{} of {} runs are missing. Go on with: lockstep run --resume {}\n", result->missing,
            result->missing + result->runs, folder.root().string());
    }
    for (const std::string& arm : result->given_up) {
        put("{} was not tried again after its failures.\n", arm);
    }
    if (!result->failed_arms.empty()) {
        put("Repeat what failed: lockstep run --resume {} --only {}\n", folder.root().string(),
            fmt::join(result->failed_arms, ","));
    }
    if (result->runs == result->skipped && !result->interrupted) {
        put(stderr,
            "lockstep: Nothing was measured: no arm could run.\nThe table says why for each, and what "
            "to do.\n");
        return kBadInput;
    }
    return exit_code_of(*result);
}

int start(const RunCommand& command, const pipeline::Workshop& shop)
{
    Result<record::Plan> plan =
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
    const Result<pipeline::Ground> ground = pipeline::stage_ground(*plan, shop);
    if (!ground) {
        return complain(ground.error());
    }
    name_paths_in_full(*plan);
    const Result<report::ResultsFolder> folder =
        report::ResultsFolder::create(command.out.empty() ? default_folder(*plan) : fs::path(command.out));
    if (!folder) {
        return complain(folder.error());
    }
    const std::string experiment = spec::experiment_text(*plan);
    const Result<void> written =
        write_file(folder->file("design.json"), design_text(*plan, experiment, *ground))
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
    const Result<nlohmann::json> design = design_of(*folder);
    if (!design) {
        return complain(design.error());
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
    const Result<void> same =
        pipeline::stage_ground(*plan, shop).and_then([&](const pipeline::Ground& ground) {
            return require_same_data(*design, ground.dataset, *folder);
        });
    return same ? campaign(*plan, folder->finished_trials(), command, shop, *folder) : complain(same.error());
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
