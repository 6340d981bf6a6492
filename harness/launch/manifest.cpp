// worker.toml, key by key.
#include "harness/launch/manifest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "harness/base/nearest_word.hpp"
#include "harness/base/toml_table.hpp"
#include "harness/launch/placeholders.hpp"
#include "harness/launch/version_range.hpp"
#include "protocol/codec.hpp"

namespace lockstep::launch {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

const Words kInstallKinds{"built_in", "python", "script", "none"};  // in the order of InstallKind

Words layer_words()
{
    using protocol::LayerKind;
    Words words;
    for (const LayerKind kind : {LayerKind::convolution, LayerKind::max_pool, LayerKind::flatten,
                                 LayerKind::dense, LayerKind::dropout}) {
        words.emplace_back(protocol::name_of(kind));
    }
    return words;
}

void choices(TomlTable& table, const char* key, Words& target, const Words& known)
{
    table.texts(key, target);
    for (const std::string& word : target) {
        if (std::ranges::find(known, word) == known.end()) {
            const std::optional<std::string> near = nearest_word(word, known);
            table.complain(key, fmt::format("\"{}\" is not a value of {}", word, key),
                           near ? fmt::format("Did you mean \"{}\"?", *near)
                                : fmt::format("Known are {}.", join_words(known)));
        }
    }
}

void check_placeholders(TomlTable& table, const char* key, const std::string& text)
{
    if (std::optional<Error> problem = placeholder_problem(text)) {
        problem->what.pop_back();  // complain() puts the full stop
        table.complain(key, problem->what, problem->remedy);
    }
}

void command(TomlTable& table, const char* key, Words& target)
{
    table.texts(key, target);
    for (const std::string& word : target) {
        check_placeholders(table, key, word);
    }
}

void variables(TomlTable& table, const char* key, std::map<std::string, std::string>& target)
{
    table.text_map(key, target);
    for (const auto& [name, value] : target) {
        check_placeholders(table, key, value);
    }
}

void name(TomlTable& table, const char* key, std::string& target)
{
    table.text(key, target);
    const bool valid = !target.empty() && target.front() >= 'a' && target.front() <= 'z' &&
                       target.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string::npos;
    if (table.has(key) && !valid) {
        table.complain(key, fmt::format("\"{}\" cannot be a {}", target, key),
                       "Use lower-case letters, digits and underscores, a letter first.");
    }
}

fs::path existing(TomlTable& table, const char* key, const fs::path& folder, const std::string& text)
{
    const fs::path path = (folder / text).lexically_normal();
    std::error_code ignored;
    if (!fs::exists(path, ignored)) {
        table.complain(key, fmt::format("{} does not exist", path.string()),
                       "Correct the name; it is relative to the worker's folder.");
    }
    return path;
}

void file(TomlTable& table, const char* key, const fs::path& folder, fs::path& target)
{
    std::string text = target.string();
    table.text(key, text);
    if (!text.empty()) {
        target = existing(table, key, folder, text);
    }
}

Result<void> read_layouts(TomlTable table, protocol::Layouts& wants)
{
    table.choice("convolution", wants.convolution, Words{"HWIO", "OIHW"});
    table.flag("flipped", wants.flipped);
    table.choice("dense", wants.dense, Words{"in_out", "out_in"});
    table.choice("flatten", wants.flatten, Words{"HWC", "CHW"});
    return table.finish();
}

Words split(std::string_view text, char separator)
{
    Words parts;
    while (!text.empty()) {
        const std::size_t end = text.find(separator);
        parts.emplace_back(text.substr(0, end));
        text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    }
    return parts;
}

Result<void> read_abilities(TomlTable table, Abilities& can)
{
    choices(table, "layers", can.layers, layer_words());
    choices(table, "optimizers", can.optimizers, {"adam", "sgd"});
    choices(table, "precision", can.precision, {"float32", "bfloat16", "float16"});
    choices(table, "input", can.input, {"locked", "native"});
    choices(table, "devices", can.devices, {"cpu", "gpu"});
    choices(table, "verbs", can.verbs, {"latency", "profile", "collective"});
    Words options;
    table.texts("options", options);
    for (const std::string& option : options) {
        const std::size_t equals = option.find('=');
        Words& values = can.options[option.substr(0, equals)];
        values =
            equals == std::string::npos ? Words() : split(std::string_view(option).substr(equals + 1), '|');
    }
    return table.finish();
}

// Only the keys that this kind uses are read, so that a key which would be ignored is an error.
void read_private_install(TomlTable& table, const fs::path& folder, InstallPlan& plan)
{
    Words inputs;
    name(table, "share", plan.share);
    table.texts("packages", plan.packages);
    table.integer("size_mb", plan.size_mb, 0, 1'000'000);
    command(table, "warm", plan.warm);
    table.text("version_of", plan.version_of);
    table.texts("inputs", inputs);
    for (const std::string& input : inputs) {
        plan.inputs.push_back(existing(table, "inputs", folder, input));
    }
    file(table, "lock", folder, plan.lock);
    if (plan.kind == InstallKind::script) {
        plan.script = "install";
        file(table, "script", folder, plan.script);
        table.text("how", plan.how);
        return;
    }
    table.require("lock");
    file(table, "source_lock", folder, plan.source_lock);
    table.text("python", plan.python);
    if (const Result<bool> readable = in_range("3.11.2", plan.python); !readable) {
        table.complain("python", fmt::format("\"{}\" is not a range of versions", plan.python),
                       readable.error().remedy);
    }
}

Result<void> read_install(TomlTable table, const fs::path& folder, InstallPlan& plan)
{
    std::string kind = kInstallKinds.front();
    table.require("kind");
    table.choice("kind", kind, kInstallKinds);
    plan.kind = static_cast<InstallKind>(std::ranges::find(kInstallKinds, kind) - kInstallKinds.begin());
    if (plan.kind == InstallKind::none) {
        table.require("how");
        table.text("how", plan.how);
    } else if (plan.kind != InstallKind::built_in) {
        read_private_install(table, folder, plan);
    }
    return table.finish();
}

}  // namespace

Result<Manifest> read_manifest(const fs::path& folder)
{
    std::error_code ignored;
    Manifest manifest;
    manifest.folder = (fs::absolute(folder, ignored).lexically_normal() / "worker.toml").parent_path();
    Result<TomlTable> table = TomlTable::open(manifest.folder / "worker.toml");
    if (!table) {
        return tl::unexpected(table.error());
    }
    table->require("name");
    table->require("command");
    name(*table, "name", manifest.name);
    manifest.title = manifest.name;
    table->text("title", manifest.title);
    command(*table, "command", manifest.command);
    if (table->has("command") && manifest.command.empty()) {
        table->complain("command", "command is empty",
                        "Write command = [\"{python}\", \"{folder}/trainer.py\"].");
    }
    variables(*table, "env", manifest.env);
    variables(*table, "threads", manifest.threads);
    table->flag("ranked", manifest.ranked);
    manifest.install.share = manifest.name;
    Result<void> inner;
    if (const std::optional<TomlTable> wants = table->table("wants")) {
        inner = read_layouts(*wants, manifest.wants);
    }
    if (const std::optional<TomlTable> can = table->table("can"); can && inner) {
        inner = read_abilities(*can, manifest.can);
    }
    if (const std::optional<TomlTable> install = table->table("install"); install && inner) {
        inner = read_install(*install, manifest.folder, manifest.install);
    }
    if (const Result<void> outer = table->finish(); !outer) {
        return tl::unexpected(outer.error());
    }
    return inner.map([&] { return manifest; });
}

}  // namespace lockstep::launch
