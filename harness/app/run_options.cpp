// One line an option. The function is long because the list is: every key of an experiment file has its
// option.
#include "harness/app/run_options.hpp"

#include <fmt/format.h>

#include "harness/app/surroundings.hpp"

namespace lockstep::app {
namespace {

template <class T>
void override_with(std::optional<T>& target, const std::optional<T>& given)
{
    if (given) {
        target = given;
    }
}

}  // namespace

void add_experiment_options(CLI::App& command, RunOptions& options)
{
    spec::Experiment& given = options.given;
    command.add_option("experiment", options.file, "An experiment file (experiments/*.toml)")
        ->type_name("FILE");
    command.add_option("--frameworks,-f", given.frameworks, "Frameworks, separated by commas, or all")
        ->delimiter(',');
    command.add_option("--arm", options.arms,
                       "One arm: framework=NAME,name=LABEL,threads=N,OPTION=VALUE; may be repeated");
    command.add_option("--models,-m", given.models, "cnn2, cnn3 or a model file of your own")->delimiter(',');
    command.add_option("--data,-d", given.data,
                       "fashion-mnist, an imported folder, or one with train.csv and test.csv");
    command.add_option("--size", given.size, "Resize the images on import: HxW");
    command.add_option("--padding", given.padding, "same or valid; the model file's own otherwise");
    command.add_option("--train-samples", given.train_samples,
                       "Train on a stratified part of so many images");
    command.add_option("--test-samples", given.test_samples, "Test on a stratified part of so many images");
    command.add_option("--batch-size,-b", given.defaults.batch_size, "Images in a batch (64)");
    command.add_option("--epochs,-e", given.epochs, "Epochs of a run (1)");
    command.add_option("--threads,-t", given.defaults.threads, "Threads of each worker (all cores)");
    command.add_option("--blocks", given.blocks,
                       "Blocks: one run of every arm each; six are the fewest for a verdict (6)");
    command.add_option("--warm-up-steps", given.warm_up_steps, "First steps left out of the step times (10)");
    command.add_option("--seed", given.seed, "Of the order of runs, the weights and the batches (42)");
    command.add_option("--baseline", given.baseline, "The arm that others are compared with (the first)");
    command.add_option("--precision", given.defaults.precision, "float32, bfloat16 or float16");
    command.add_flag("--tf32", given.defaults.tf32, "Allow TF32 in float32 products on a GPU");
    command.add_option("--input", given.defaults.input,
                       "locked: the given order; native: each framework's own pipeline");
    command.add_option("--device", given.defaults.device, "cpu, gpu or gpu:1");
    command.add_option("--python", given.defaults.python,
                       "An interpreter of your own instead of the private install");
    command.add_option("--option", options.options,
                       "An option of the framework for every arm: xla=on; may be repeated");
    command.add_option("--optimizer", given.optimizer, "adam or sgd");
    command.add_option("--learning-rate", given.learning_rate, "(0.001)");
    command.add_option("--momentum", given.momentum, "Of sgd (0.9)");
    command.add_option("--beta1", given.beta1, "Of adam (0.9)");
    command.add_option("--beta2", given.beta2, "Of adam (0.999)");
    command.add_option("--epsilon", given.epsilon, "Of adam (1e-7)");
    command.add_option("--settle-ms", given.settle_ms, "Pause between two runs in milliseconds (200)");
    command.add_option("--start-limit", given.start_limit, "Seconds that a worker may take to start (120)");
    command.add_option("--build-limit", given.build_limit,
                       "Seconds that it may take to build the network (600)");
    command.add_option("--silence-limit", given.silence_limit,
                       "Seconds that it may train without a sign of life (120)");
    command.add_flag("--no-verify", options.no_verify,
                     "Leave out the agreement check; every number is then unchecked");
    command.add_flag("--twin", options.twin, "Run the baseline twice in every block, as a control");
    command.add_flag("--no-twin", options.no_twin, "Do not");
}

Result<spec::Experiment> experiment_of(const RunOptions& options)
{
    spec::Experiment experiment;
    if (!options.file.empty()) {
        Result<spec::Experiment> read = spec::open_experiment(options.file);
        if (!read) {
            return read;
        }
        experiment = std::move(*read);
    }
    const spec::Experiment& given = options.given;
    if (!given.frameworks.empty() || !options.arms.empty()) {
        experiment.frameworks = given.frameworks;
        experiment.arms.clear();
        experiment.baseline.reset();
    }
    spec::override_settings(experiment, given.defaults);
    for (const std::string& text : options.arms) {
        const Result<spec::ArmSpec> arm = spec::parse_arm(text);
        if (!arm) {
            return tl::unexpected(arm.error());
        }
        experiment.arms.push_back(*arm);
    }
    if (!given.models.empty()) {
        experiment.models = given.models;
    }
    override_with(experiment.data, given.data);
    override_with(experiment.size, given.size);
    override_with(experiment.padding, given.padding);
    override_with(experiment.train_samples, given.train_samples);
    override_with(experiment.test_samples, given.test_samples);
    override_with(experiment.epochs, given.epochs);
    override_with(experiment.blocks, given.blocks);
    override_with(experiment.warm_up_steps, given.warm_up_steps);
    override_with(experiment.seed, given.seed);
    override_with(experiment.baseline, given.baseline);
    override_with(experiment.optimizer, given.optimizer);
    override_with(experiment.learning_rate, given.learning_rate);
    override_with(experiment.momentum, given.momentum);
    override_with(experiment.beta1, given.beta1);
    override_with(experiment.beta2, given.beta2);
    override_with(experiment.epsilon, given.epsilon);
    override_with(experiment.settle_ms, given.settle_ms);
    override_with(experiment.start_limit, given.start_limit);
    override_with(experiment.build_limit, given.build_limit);
    override_with(experiment.silence_limit, given.silence_limit);
    for (const std::string& option : options.options) {
        const std::size_t equals = option.find('=');
        if (equals == std::string::npos || equals == 0) {
            return fail(fmt::format("--option {} is not of the form key=value.", option),
                        "Write it as --option xla=on.");
        }
        experiment.defaults.options[option.substr(0, equals)] = option.substr(equals + 1);
    }
    if (options.no_verify) {
        experiment.verify = false;
    }
    if (options.twin || options.no_twin) {
        experiment.twin = options.twin;
    }
    return experiment;
}

Result<record::Plan> plan_for(spec::Experiment experiment, const pipeline::Workshop& shop)
{
    const ReadyFrameworks ready = ready_frameworks(shop);
    if (experiment.frameworks == std::vector<std::string>{"all"}) {
        experiment.frameworks = ready.all();
    }
    Result<record::Plan> plan = spec::plan_of(experiment, shop.environment.cores_usable, ready.own);
    if (!plan) {
        return plan;
    }
    for (const record::Arm& arm : plan->arms) {
        if (const auto known = shop.catalog.find(arm.framework); !known) {
            return tl::unexpected(known.error());
        }
    }
    return plan;
}

}  // namespace lockstep::app
