// Reading experiment files and arms given in one line.
#include <fmt/format.h>

#include <array>
#include <charconv>

#include "harness/base/atomic_file.hpp"
#include "harness/base/toml_table.hpp"
#include "harness/spec/experiment.hpp"

namespace lockstep::spec {
namespace {

constexpr std::int64_t kMost = 1'000'000'000;  // a bound for counts that no one means to reach

void read_integer(TomlTable& table, const char* key, std::optional<std::int64_t>& target, std::int64_t least)
{
    std::int64_t value = least;
    table.integer(key, value, least, kMost);
    if (table.has(key)) {
        target = value;
    }
}

void read_number(TomlTable& table, const char* key, std::optional<double>& target, double least, double most)
{
    double value = least;
    table.number(key, value, least, most);
    if (table.has(key)) {
        target = value;
    }
}

void read_flag(TomlTable& table, const char* key, std::optional<bool>& target)
{
    bool value = false;
    table.flag(key, value);
    if (table.has(key)) {
        target = value;
    }
}

// What an arm and the defaults for all arms have in common.
void read_settings(TomlTable& table, ArmSpec& arm)
{
    read_integer(table, "batch_size", arm.batch_size, 1);
    read_integer(table, "threads", arm.threads, 0);
    table.text("precision", arm.precision);
    read_flag(table, "tf32", arm.tf32);
    table.text("input", arm.input);
    table.text("device", arm.device);
    table.text_map("env", arm.env);
    table.text_map("options", arm.options);
    table.text("python", arm.python);
}

Result<ArmSpec> read_arm(TomlTable& table)
{
    ArmSpec arm;
    table.require("framework");
    table.text("framework", arm.framework);
    table.text("name", arm.name);
    read_settings(table, arm);
    return table.finish().map([&] { return arm; });
}

Result<void> read_optimizer(TomlTable& table, Experiment& experiment)
{
    std::string kind;
    const std::array<std::string, 2> known{"adam", "sgd"};
    table.require("kind");
    table.choice("kind", kind, known);
    experiment.optimizer = kind;
    read_number(table, "learning_rate", experiment.learning_rate, 0.0, 1e3);
    if (kind == "sgd") {
        read_number(table, "momentum", experiment.momentum, 0.0, 1.0);
    } else {
        read_number(table, "beta1", experiment.beta1, 0.0, 0.999999);
        read_number(table, "beta2", experiment.beta2, 0.0, 0.9999999);
        read_number(table, "epsilon", experiment.epsilon, 1e-20, 1.0);
    }
    return table.finish();
}

Result<void> read_limits(TomlTable& table, Experiment& experiment)
{
    read_number(table, "start", experiment.start_limit, 0.1, 1e6);
    read_number(table, "build", experiment.build_limit, 0.1, 1e6);
    read_number(table, "silence", experiment.silence_limit, 0.1, 1e6);
    return table.finish();
}

Result<std::int64_t> whole_number(const std::string& key, const std::string& text)
{
    std::int64_t value = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code != std::errc() || end != text.data() + text.size() || value < 0) {
        return fail(fmt::format("{}={} is not a whole number.", key, text),
                    fmt::format("Write {}=2, for example.", key));
    }
    return value;
}

Result<void> set_arm(ArmSpec& arm, const std::string& key, const std::string& value)
{
    const auto integer = [&](std::optional<std::int64_t>& target) {
        return whole_number(key, value).map([&](std::int64_t number) { target = number; });
    };
    if (key == "framework") {
        arm.framework = value;
    } else if (key == "name") {
        arm.name = value;
    } else if (key == "python") {
        arm.python = value;
    } else if (key == "threads") {
        return integer(arm.threads);
    } else if (key == "batch_size") {
        return integer(arm.batch_size);
    } else if (key == "precision") {
        arm.precision = value;
    } else if (key == "tf32") {
        arm.tf32 = value == "true";
    } else if (key == "input") {
        arm.input = value;
    } else if (key == "device") {
        arm.device = value;
    } else if (key.starts_with("env.")) {
        arm.env[key.substr(4)] = value;
    } else {
        arm.options[key] = value;
    }
    return {};
}

}  // namespace

Result<Experiment> open_experiment(const std::filesystem::path& path)
{
    return read_file(path).and_then(
        [&](const std::string& text) { return parse_experiment(text, path.string()); });
}

Result<Experiment> parse_experiment(const std::string& text, const std::string& source)
{
    Result<TomlTable> table = TomlTable::parse(text, source);
    if (!table) {
        return tl::unexpected(table.error());
    }
    Experiment experiment;
    table->text("name", experiment.name);
    table->texts("models", experiment.models);
    table->texts("frameworks", experiment.frameworks);
    table->text("baseline", experiment.baseline);
    table->text("data", experiment.data);
    table->text("size", experiment.size);
    table->text("padding", experiment.padding);
    read_integer(*table, "train_samples", experiment.train_samples, 1);
    read_integer(*table, "test_samples", experiment.test_samples, 1);
    read_integer(*table, "epochs", experiment.epochs, 1);
    read_integer(*table, "blocks", experiment.blocks, 1);
    read_integer(*table, "warm_up_steps", experiment.warm_up_steps, 0);
    read_integer(*table, "seed", experiment.seed, 0);
    read_integer(*table, "settle_ms", experiment.settle_ms, 0);
    read_flag(*table, "verify", experiment.verify);
    read_flag(*table, "twin", experiment.twin);
    read_settings(*table, experiment.defaults);
    std::optional<TomlTable> optimizer = table->table("optimizer");
    std::optional<TomlTable> limits = table->table("limits");
    std::vector<TomlTable> arms = table->tables("arm");
    if (const Result<void> sound = table->finish(); !sound) {
        return tl::unexpected(sound.error());
    }
    if (optimizer) {
        if (const Result<void> sound = read_optimizer(*optimizer, experiment); !sound) {
            return tl::unexpected(sound.error());
        }
    }
    if (limits) {
        if (const Result<void> sound = read_limits(*limits, experiment); !sound) {
            return tl::unexpected(sound.error());
        }
    }
    for (TomlTable& entry : arms) {
        const Result<ArmSpec> arm = read_arm(entry);
        if (!arm) {
            return tl::unexpected(arm.error());
        }
        experiment.arms.push_back(*arm);
    }
    return experiment;
}

Result<ArmSpec> parse_arm(const std::string& text)
{
    ArmSpec arm;
    std::size_t at = 0;
    while (at < text.size()) {
        const std::size_t comma = std::min(text.find(',', at), text.size());
        const std::string pair = text.substr(at, comma - at);
        const std::size_t equals = pair.find('=');
        if (equals == std::string::npos || equals == 0) {
            return fail(fmt::format("\"{}\" in the arm \"{}\" is not of the form key=value.", pair, text),
                        "Write an arm as framework=NAME,name=LABEL,key=value,...");
        }
        if (const Result<void> set = set_arm(arm, pair.substr(0, equals), pair.substr(equals + 1)); !set) {
            return tl::unexpected(set.error());
        }
        at = comma + 1;
    }
    if (arm.framework.empty()) {
        return fail(fmt::format("The arm \"{}\" names no framework.", text),
                    "Write an arm as framework=NAME,name=LABEL,key=value,...");
    }
    return arm;
}

}  // namespace lockstep::spec
