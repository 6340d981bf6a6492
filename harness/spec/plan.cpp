// From what people wrote to a plan without gaps, and back to text.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <set>

#include "harness/base/nearest_word.hpp"
#include "harness/spec/experiment.hpp"

namespace lockstep::spec {
namespace {

using record::Arm;
using record::Plan;

Result<std::string> known_word(const std::string& key, const std::string& value,
                               const std::vector<std::string>& known)
{
    if (std::find(known.begin(), known.end(), value) != known.end()) {
        return value;
    }
    const auto near = nearest_word(value, known);
    return fail(fmt::format("\"{}\" is not a value of {}.", value, key),
                fmt::format("{}Known are {}.", near ? fmt::format("Did you mean \"{}\"? ", *near) : "",
                            join_words(known)));
}

Result<protocol::Device> device_of(const std::string& text)
{
    const std::size_t colon = text.find(':');
    const Result<std::string> kind = known_word("device", text.substr(0, colon), {"cpu", "gpu"});
    if (!kind) {
        return tl::unexpected(kind.error());
    }
    protocol::Device device{*kind, 0};
    if (colon != std::string::npos) {
        const char* last = text.data() + text.size();
        const auto [end, code] = std::from_chars(text.data() + colon + 1, last, device.index);
        if (code != std::errc() || end != last || device.index < 0 || *kind == "cpu") {
            return fail(fmt::format("\"{}\" is not a device.", text),
                        "Write cpu, gpu, or gpu:1 for the second GPU.");
        }
    }
    return device;
}

Result<std::pair<std::int64_t, std::int64_t>> size_of(const std::string& text)
{
    std::int64_t height = 0;
    std::int64_t width = 0;
    const char* last = text.data() + text.size();
    const auto [cross, code] = std::from_chars(text.data(), last, height);
    bool good = code == std::errc() && cross != last && *cross == 'x';
    if (good) {
        const auto [end, second] = std::from_chars(cross + 1, last, width);
        good = second == std::errc() && end == last;
    }
    if (!good || height < 1 || width < 1 || height > 8192 || width > 8192) {
        return fail(fmt::format("\"{}\" is not a size.", text), "Write height x width, for example 224x224.");
    }
    return std::pair(height, width);
}

// 1..cores; the command line's --threads and an arm's own go through here.
Result<int> threads_of(std::int64_t asked, int cores)
{
    if (asked < 1) {
        return fail(fmt::format("{} threads cannot train anything.", asked),
                    fmt::format("Give a number from 1 to {}, the cores that this process may use.", cores));
    }
    if (asked > cores) {
        return fail(
            fmt::format("{} threads were asked for, but this process may use {} cores only.", asked, cores),
            fmt::format("Give a number from 1 to {}; with more, threads would wait for each other and the "
                        "times mean nothing.",
                        cores));
    }
    return static_cast<int>(asked);
}

bool is_plain_name(const std::string& name)
{
    return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
               c == '-' || c == '.';
    }) && name[0] != '.';
}

Result<Arm> arm_of(const ArmSpec& spec, const ArmSpec& defaults, int cores)
{
    Arm arm;
    arm.framework = spec.framework;
    arm.name = spec.name.empty() ? spec.framework : spec.name;
    if (!is_plain_name(arm.name)) {
        return fail(fmt::format("\"{}\" cannot be an arm's name.", arm.name),
                    "Use letters, digits, dots, dashes and underscores: it becomes part of file names.");
    }
    arm.python = spec.python ? spec.python : defaults.python;
    arm.env = defaults.env;
    for (const auto& [key, value] : spec.env) {
        arm.env[key] = value;
    }
    arm.options = defaults.options;
    for (const auto& [key, value] : spec.options) {
        arm.options[key] = value;
    }
    arm.batch = spec.batch_size.value_or(defaults.batch_size.value_or(64));
    if (arm.batch < 1) {
        return fail(fmt::format("A batch of {} images is none.", arm.batch),
                    "Give a batch size of at least 1.");
    }
    arm.tf32 = spec.tf32.value_or(defaults.tf32.value_or(false));
    const Result<int> threads = threads_of(spec.threads.value_or(defaults.threads.value_or(cores)), cores);
    const Result<std::string> precision =
        known_word("precision", spec.precision.value_or(defaults.precision.value_or("float32")),
                   {"float32", "bfloat16", "float16"});
    const Result<std::string> input =
        known_word("input", spec.input.value_or(defaults.input.value_or("locked")), {"locked", "native"});
    const Result<protocol::Device> device = device_of(spec.device.value_or(defaults.device.value_or("cpu")));
    if (!threads || !precision || !input || !device) {
        return tl::unexpected(!threads     ? threads.error()
                              : !precision ? precision.error()
                              : !input     ? input.error()
                                           : device.error());
    }
    arm.threads = *threads;
    arm.precision = *precision;
    arm.input = *input;
    arm.device = *device;
    return arm;
}

// A file's reader has checked these already; the command line has not.
Result<void> check_bounds(const Experiment& experiment, const Plan& plan)
{
    constexpr double kMost = 1e9;
    constexpr double kLongest = 10'000;  // blocks or epochs: beyond, weeks at a second each
    const struct {
        const char* name;
        double value;
        double least;
        double most;
    } bounds[] = {{"blocks", static_cast<double>(plan.blocks), 1, kLongest},
                  {"epochs", static_cast<double>(plan.epochs), 1, kLongest},
                  {"warm-up-steps", static_cast<double>(plan.warm_up_steps), 0, kMost},
                  {"seed", static_cast<double>(experiment.seed.value_or(0)), 0, kMost},
                  {"settle-ms", static_cast<double>(plan.settle_ms), 0, kMost},
                  {"learning-rate", plan.optimizer.learning_rate, 0, 1e3},
                  {"momentum", plan.optimizer.momentum, 0, 1},
                  {"beta1", plan.optimizer.beta1, 0, 0.999999},
                  {"beta2", plan.optimizer.beta2, 0, 0.9999999},
                  {"epsilon", plan.optimizer.epsilon, 1e-20, 1},
                  {"start-limit", plan.limits.start, 0.1, 1e6},
                  {"build-limit", plan.limits.build, 0.1, 1e6},
                  {"silence-limit", plan.limits.silence, 0.1, 1e6}};
    for (const auto& bound : bounds) {
        if (!(bound.value >= bound.least && bound.value <= bound.most)) {
            return fail(fmt::format("{} is not a value of {}.", bound.value, bound.name),
                        fmt::format("Give {} a number from {} to {}.", bound.name, bound.least, bound.most));
        }
    }
    return {};
}

Result<void> add_arms(const Experiment& experiment, int cores, const std::vector<std::string>& fallback,
                      Plan& plan)
{
    std::vector<ArmSpec> specs;
    const bool none = experiment.frameworks.empty() && experiment.arms.empty();
    for (const std::string& framework : none ? fallback : experiment.frameworks) {
        specs.push_back({.name = "",
                         .framework = framework,
                         .python = {},
                         .env = {},
                         .options = {},
                         .batch_size = {},
                         .threads = {},
                         .precision = {},
                         .tf32 = {},
                         .input = {},
                         .device = {}});
    }
    specs.insert(specs.end(), experiment.arms.begin(), experiment.arms.end());
    std::set<std::string> names;
    for (const ArmSpec& spec : specs) {
        const Result<Arm> arm = arm_of(spec, experiment.defaults, cores);
        if (!arm) {
            return tl::unexpected(arm.error());
        }
        if (!names.insert(arm->name).second) {
            return fail(fmt::format("Two arms are called \"{}\".", arm->name),
                        "Give each arm a name of its own.");
        }
        plan.arms.push_back(*arm);
    }
    if (plan.arms.empty()) {
        return fail("No framework is named.",
                    "Name some with --frameworks, or as [[arm]] in the experiment file.");
    }
    plan.baseline = experiment.baseline.value_or(plan.arms.front().name);
    if (!names.contains(plan.baseline)) {
        const std::vector<std::string> known(names.begin(), names.end());
        return fail(fmt::format("The baseline \"{}\" is not one of the arms.", plan.baseline),
                    fmt::format("The arms are {}.", join_words(known)));
    }
    return {};
}

// The baseline once more under a name of its own: what the machine makes of no difference at all.
void add_twin(Plan& plan)
{
    if (!plan.twin) {
        return;
    }
    Arm twin = *std::find_if(plan.arms.begin(), plan.arms.end(),
                             [&](const Arm& arm) { return arm.name == plan.baseline; });
    twin.name += "_twin";
    twin.twin = true;
    plan.arms.push_back(twin);
}

std::string quoted(const std::string& text)
{
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            out += '\\';
        }
        if (static_cast<unsigned char>(c) < 0x20) {
            out += fmt::format("\\u{:04x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
        } else {
            out += c;
        }
    }
    return out + "\"";
}

std::string inline_table(const std::map<std::string, std::string>& values)
{
    std::string out = "{";
    for (const auto& [key, value] : values) {
        out += fmt::format("{}{} = {}", out.size() > 1 ? ", " : " ", quoted(key), quoted(value));
    }
    return out + " }";
}

std::string arm_text(const Arm& arm)
{
    std::string text = "\n[[arm]]\n";
    text += fmt::format("name = {}\nframework = {}\n", quoted(arm.name), quoted(arm.framework));
    if (arm.python) {
        text += fmt::format("python = {}\n", quoted(*arm.python));
    }
    text += fmt::format("batch_size = {}\nthreads = {}\nprecision = {}\ntf32 = {}\ninput = {}\n", arm.batch,
                        arm.threads, quoted(arm.precision), arm.tf32, quoted(arm.input));
    text += fmt::format("device = {}\n", arm.device.kind == "cpu"
                                             ? quoted("cpu")
                                             : quoted(fmt::format("gpu:{}", arm.device.index)));
    text += fmt::format("env = {}\noptions = {}\n", inline_table(arm.env), inline_table(arm.options));
    return text;
}

// A number that reads back as the same double, and as a floating-point number in TOML.
std::string real(double value)
{
    std::string text = fmt::format("{}", value);
    return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

}  // namespace

void override_settings(Experiment& experiment, const ArmSpec& given)
{
    std::vector<ArmSpec*> all{&experiment.defaults};
    for (ArmSpec& arm : experiment.arms) {
        all.push_back(&arm);
    }
    const auto set = [](auto& target, const auto& value) {
        if (value) {
            target = value;
        }
    };
    for (ArmSpec* arm : all) {
        set(arm->python, given.python);
        set(arm->batch_size, given.batch_size);
        set(arm->threads, given.threads);
        set(arm->precision, given.precision);
        set(arm->tf32, given.tf32);
        set(arm->input, given.input);
        set(arm->device, given.device);
    }
}

Result<Plan> plan_of(const Experiment& experiment, int cores, const std::vector<std::string>& fallback)
{
    Plan plan;
    plan.name = experiment.name.value_or("run");
    plan.models = experiment.models.empty() ? std::vector<std::string>{"cnn2"} : experiment.models;
    if (!experiment.data) {
        return fail(
            "No data is named.",
            "Give --data fashion-mnist, a folder with train.csv and test.csv, or an imported folder.");
    }
    plan.data.source = *experiment.data;
    if (experiment.size) {
        const auto size = size_of(*experiment.size);
        if (!size) {
            return tl::unexpected(size.error());
        }
        plan.data.size = *size;
    }
    if (experiment.padding) {
        const Result<std::string> padding = known_word("padding", *experiment.padding, {"same", "valid"});
        if (!padding) {
            return tl::unexpected(padding.error());
        }
        plan.padding = *padding;
    }
    const Result<std::string> kind =
        known_word("optimizer", experiment.optimizer.value_or("adam"), {"adam", "sgd"});
    if (!kind) {
        return tl::unexpected(kind.error());
    }
    plan.optimizer.kind = *kind;
    plan.optimizer.learning_rate = experiment.learning_rate.value_or(plan.optimizer.learning_rate);
    plan.optimizer.momentum = experiment.momentum.value_or(plan.optimizer.momentum);
    plan.optimizer.beta1 = experiment.beta1.value_or(plan.optimizer.beta1);
    plan.optimizer.beta2 = experiment.beta2.value_or(plan.optimizer.beta2);
    plan.optimizer.epsilon = experiment.epsilon.value_or(plan.optimizer.epsilon);
    plan.data.train_samples = experiment.train_samples;
    plan.data.test_samples = experiment.test_samples;
    plan.epochs = experiment.epochs.value_or(plan.epochs);
    plan.blocks = experiment.blocks.value_or(plan.blocks);
    plan.warm_up_steps = experiment.warm_up_steps.value_or(plan.warm_up_steps);
    plan.seed = static_cast<std::uint64_t>(experiment.seed.value_or(static_cast<std::int64_t>(plan.seed)));
    plan.settle_ms = experiment.settle_ms.value_or(plan.settle_ms);
    plan.verify = experiment.verify.value_or(plan.verify);
    plan.twin = experiment.twin.value_or(plan.twin);
    plan.limits.start = experiment.start_limit.value_or(plan.limits.start);
    plan.limits.build = experiment.build_limit.value_or(plan.limits.build);
    plan.limits.silence = experiment.silence_limit.value_or(plan.limits.silence);
    if (const Result<void> bounded = check_bounds(experiment, plan); !bounded) {
        return tl::unexpected(bounded.error());
    }
    if (const Result<void> added = add_arms(experiment, cores, fallback, plan); !added) {
        return tl::unexpected(added.error());
    }
    add_twin(plan);
    return plan;
}

std::string experiment_text(const Plan& plan)
{
    std::string text = "# The experiment as it was run, with every default filled in.\n";
    text += fmt::format("name = {}\nmodels = [", quoted(plan.name));
    for (const std::string& model : plan.models) {
        text += fmt::format("{}{}", &model == &plan.models.front() ? "" : ", ", quoted(model));
    }
    text += fmt::format("]\nbaseline = {}\ndata = {}\n", quoted(plan.baseline), quoted(plan.data.source));
    if (plan.data.size) {
        text += fmt::format("size = \"{}x{}\"\n", plan.data.size->first, plan.data.size->second);
    }
    if (plan.data.train_samples) {
        text += fmt::format("train_samples = {}\n", *plan.data.train_samples);
    }
    if (plan.data.test_samples) {
        text += fmt::format("test_samples = {}\n", *plan.data.test_samples);
    }
    if (plan.padding) {
        text += fmt::format("padding = {}\n", quoted(*plan.padding));
    }
    text += fmt::format(
        "epochs = {}\nblocks = {}\nwarm_up_steps = {}\nseed = {}\nsettle_ms = {}\nverify = {}\ntwin = {}\n",
        plan.epochs, plan.blocks, plan.warm_up_steps, plan.seed, plan.settle_ms, plan.verify, plan.twin);
    const protocol::Optimizer& optimizer = plan.optimizer;
    text += fmt::format("\n[optimizer]\nkind = {}\nlearning_rate = {}\n", quoted(optimizer.kind),
                        real(optimizer.learning_rate));
    text += optimizer.kind == "sgd"
                ? fmt::format("momentum = {}\n", real(optimizer.momentum))
                : fmt::format("beta1 = {}\nbeta2 = {}\nepsilon = {}\n", real(optimizer.beta1),
                              real(optimizer.beta2), real(optimizer.epsilon));
    text += fmt::format("\n[limits]\nstart = {}\nbuild = {}\nsilence = {}\n", real(plan.limits.start),
                        real(plan.limits.build), real(plan.limits.silence));
    for (const Arm& arm : plan.arms) {
        if (!arm.twin) {
            text += arm_text(arm);
        }
    }
    return text;
}

}  // namespace lockstep::spec
