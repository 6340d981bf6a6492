// An experiment as people write it, in a file or on the command line: what they leave out is absent here
// and gets its default in plan_of().
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/error.hpp"
#include "harness/record/plan.hpp"

namespace lockstep::spec {

struct ArmSpec {
    std::string name;  // empty: the framework's name
    std::string framework;
    std::optional<std::string> python;
    std::map<std::string, std::string> env;
    std::map<std::string, std::string> options;
    std::optional<std::int64_t> batch_size;
    std::optional<std::int64_t> threads;
    std::optional<std::string> precision;
    std::optional<bool> tf32;
    std::optional<std::string> input;
    std::optional<std::string> device;  // "cpu", "gpu", "gpu:1"
};

struct Experiment {
    std::optional<std::string> name;
    std::vector<std::string> models;
    std::vector<std::string> frameworks;  // short for arms with nothing else to say
    std::vector<ArmSpec> arms;
    ArmSpec defaults;  // for every arm; its name and framework are unused
    std::optional<std::string> baseline;
    std::optional<std::string> data;
    std::optional<std::string> size;  // "28x28"
    std::optional<std::string> padding;
    std::optional<std::int64_t> train_samples;
    std::optional<std::int64_t> test_samples;
    std::optional<std::int64_t> epochs;
    std::optional<std::int64_t> blocks;
    std::optional<std::int64_t> warm_up_steps;
    std::optional<std::int64_t> seed;
    std::optional<std::int64_t> settle_ms;
    std::optional<bool> verify;
    std::optional<bool> twin;
    std::optional<std::string> optimizer;  // adam, sgd
    std::optional<double> learning_rate;
    std::optional<double> momentum;                                 // sgd
    std::optional<double> beta1, beta2, epsilon;                    // adam
    std::optional<double> start_limit, build_limit, silence_limit;  // seconds
};

Result<Experiment> open_experiment(const std::filesystem::path& path);
Result<Experiment> parse_experiment(const std::string& text, const std::string& source);

// One arm as the command line writes it: "framework=NAME,name=LABEL,threads=1,OPTION=VALUE". Keys that are
// not an arm's own become options of the framework.
Result<ArmSpec> parse_arm(const std::string& text);

// Settings from the command line: they hold for every arm of the file, also where it says otherwise for all
// or one.
void override_settings(Experiment& experiment, const ArmSpec& given);

// Every default filled in and every value checked. `cores`: how many this process may use; asking for more
// threads is an error, and so is none. Arms that no one named are given by `fallback` frameworks.
Result<record::Plan> plan_of(const Experiment& experiment, int cores,
                             const std::vector<std::string>& fallback);

// The plan as an experiment file that gives the same plan again.
std::string experiment_text(const record::Plan& plan);

}  // namespace lockstep::spec
