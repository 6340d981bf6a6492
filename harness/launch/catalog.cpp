// See the header.
#include "harness/launch/catalog.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "harness/base/nearest_word.hpp"
#include "harness/launch/environment.hpp"
#include "harness/launch/install.hpp"
#include "harness/launch/placeholders.hpp"

namespace lockstep::launch {
namespace {

namespace fs = std::filesystem;

Result<std::vector<fs::path>> manifest_folders(const fs::path& folder)
{
    std::error_code error;
    std::vector<fs::path> found;
    if (fs::exists(folder / "worker.toml", error)) {
        found.push_back(folder);
    }
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
        const std::string name = at->path().filename().string();
        std::error_code ignored;
        if (name.front() != '_' && name != "sdk" && fs::exists(at->path() / "worker.toml", ignored)) {
            found.push_back(at->path());
        }
    }
    if (error) {
        return fail(fmt::format("{} cannot be searched for workers: {}.", folder.string(), error.message()),
                    "Correct the folder's name (LOCKSTEP_WORKERS holds folders, separated by colons).");
    }
    std::sort(found.begin(), found.end());
    return found;
}

bool installs(const Manifest& manifest)
{
    return manifest.install.kind == InstallKind::python || manifest.install.kind == InstallKind::script;
}

Result<void> check_pair(const Manifest& a, const Manifest& b)
{
    if (a.name == b.name) {
        return fail(
            fmt::format("Two workers are named {}: {} and {}.", a.name, a.folder.string(), b.folder.string()),
            "Give one of them another name in its worker.toml.");
    }
    if (!installs(a) || !installs(b) || a.install.share != b.install.share) {
        return {};
    }
    const Result<std::string> one = install_digest(a);
    const Result<std::string> other = install_digest(b);
    if (!one || !other) {
        return tl::unexpected(!one ? one.error() : other.error());
    }
    if (*one != *other) {
        return fail(
            fmt::format("{} and {} share the install \"{}\" but ask for different ones.", a.name, b.name,
                        a.install.share),
            "Let both name the same lock, range of Python versions and inputs, or take another share.");
    }
    return {};
}

bool mentions_python(const std::vector<std::string>& command)
{
    return std::ranges::any_of(
        command, [](const std::string& word) { return word.find("{python}") != std::string::npos; });
}

Readiness missing(std::string what, std::string remedy)
{
    Readiness answer;
    answer.missing = std::move(what);
    answer.remedy = std::move(remedy);
    return answer;
}

std::string install_line(const Manifest& manifest)
{
    return fmt::format("Get it with: lockstep install {}.", manifest.name);
}

// Absent when nothing is missing so far.
std::optional<Readiness> missing_install(const Manifest& manifest, const Places& places)
{
    const std::optional<Installed> marker = installed(manifest.install.share, places);
    if (!marker) {
        return missing(fmt::format("{} is not installed.", manifest.name),
                       manifest.install.how.empty() ? install_line(manifest) : manifest.install.how);
    }
    const Result<std::string> digest = install_digest(manifest);
    if (!digest) {
        return missing(digest.error().what, digest.error().remedy);
    }
    if (*digest != marker->digest) {
        return missing(fmt::format("The install of {} is out of date.", manifest.name),
                       install_line(manifest));
    }
    return std::nullopt;
}

Placeholders placeholders_of(const Manifest& manifest, const Places& places, const fs::path& python,
                             int threads)
{
    Placeholders values{{"folder", manifest.folder.string()},
                        {"sdk", places.sdk.string()},
                        {"bin", places.bin.string()},
                        {"home", places.home.string()},
                        {"threads", std::to_string(threads)}};
    if (!python.empty()) {
        values["python"] = python.string();
    }
    return values;
}

// The command's program must be there, whatever the install says.
Readiness check_program(const Manifest& manifest, const Places& places, Readiness answer)
{
    const Result<std::string> program =
        expand(manifest.command.front(), placeholders_of(manifest, places, answer.python, 1), manifest.name);
    if (!program) {
        return missing("Python 3 was not found.", "Install it: sudo apt install python3.");
    }
    if (!find_program(*program).empty()) {
        answer.ready = true;
        return answer;
    }
    const std::string what = fmt::format("{} was not found.", *program);
    switch (manifest.install.kind) {
        case InstallKind::built_in:
            return missing(what, "Build lockstep again: cmake --build --preset release.");
        case InstallKind::none:
            return missing(what, manifest.install.how);
        default:
            break;
    }
    return missing(
        what,
        fmt::format("Its install is damaged. Repeat it: lockstep uninstall {0}, then lockstep install {0}.",
                    manifest.name));
}

}  // namespace

std::vector<fs::path> worker_folders(const fs::path& source_workers)
{
    std::vector<fs::path> folders;
    const char* given = std::getenv("LOCKSTEP_WORKERS");
    std::string_view rest = given == nullptr ? "" : given;
    while (!rest.empty()) {
        const std::size_t colon = rest.find(':');
        if (colon != 0) {
            folders.emplace_back(rest.substr(0, colon));
        }
        rest = colon == std::string_view::npos ? std::string_view() : rest.substr(colon + 1);
    }
    folders.push_back(source_workers);
    return folders;
}

Result<Catalog> Catalog::read(const std::vector<fs::path>& folders)
{
    Catalog catalog;
    for (const fs::path& folder : folders) {
        const Result<std::vector<fs::path>> found = manifest_folders(folder);
        if (!found) {
            return tl::unexpected(found.error());
        }
        for (const fs::path& worker : *found) {
            Result<Manifest> manifest = read_manifest(worker);
            if (!manifest) {
                return tl::unexpected(manifest.error());
            }
            for (const Manifest& earlier : catalog.manifests_) {
                if (const Result<void> fits = check_pair(earlier, *manifest); !fits) {
                    return tl::unexpected(fits.error());
                }
            }
            catalog.manifests_.push_back(std::move(*manifest));
        }
    }
    std::ranges::sort(catalog.manifests_, {}, &Manifest::name);
    return catalog;
}

std::vector<std::string> Catalog::names() const
{
    std::vector<std::string> names;
    for (const Manifest& manifest : manifests_) {
        names.push_back(manifest.name);
    }
    return names;
}

Result<const Manifest*> Catalog::find(std::string_view name) const
{
    const auto found = std::ranges::find(manifests_, name, &Manifest::name);
    if (found != manifests_.end()) {
        return &*found;
    }
    const std::optional<std::string> near = nearest_word(name, names());
    return fail(
        fmt::format("There is no framework \"{}\".", name),
        near ? fmt::format("Did you mean {}?", *near) : fmt::format("There are {}.", join_words(names())));
}

Readiness readiness(const Manifest& manifest, const Places& places, const fs::path& user_python)
{
    Readiness answer;
    if (!user_python.empty()) {
        answer.python = find_program(user_python.string());
        if (answer.python.empty()) {
            return missing(fmt::format("{} is not a program.", user_python.string()),
                           "Name a Python interpreter, for example /usr/bin/python3.");
        }
    }
    const bool own_environment = !user_python.empty() && manifest.install.kind == InstallKind::python;
    if (installs(manifest) && !own_environment) {
        if (std::optional<Readiness> lacks = missing_install(manifest, places)) {
            return *lacks;
        }
        answer.version = installed_version(manifest, places).value_or("");
    }
    if (answer.python.empty()) {
        if (manifest.install.kind == InstallKind::python) {
            answer.python = places.prefix(manifest.install.share) / "bin" / "python";
        } else if (mentions_python(manifest.command)) {
            answer.python = find_program("python3");
        }
    }
    return check_program(manifest, places, std::move(answer));
}

Result<CommandLine> command_line(const Manifest& manifest, const Places& places, const fs::path& python,
                                 int threads)
{
    return command_line(manifest, manifest.command, places, python, threads);
}

Result<CommandLine> command_line(const Manifest& manifest, const std::vector<std::string>& command,
                                 const Places& places, const fs::path& python, int threads)
{
    const Placeholders values = placeholders_of(manifest, places, python, threads);
    Result<std::vector<std::string>> words = expand_all(command, values, manifest.name + ", command");
    if (!words) {
        return tl::unexpected(words.error());
    }
    const fs::path own = places.prefix(manifest.install.share) / "bin" / "python";
    Variables variables = quiet_variables(python == own);
    // Spinning threads lose most of their speed as soon as a neighbour takes a core; a user's choice stands.
    variables.emplace("OMP_WAIT_POLICY", "passive");
    for (const auto* source : {&manifest.env, &manifest.threads}) {
        for (const auto& [name, text] : *source) {
            Result<std::string> value = expand(text, values, fmt::format("{}, {}", manifest.name, name));
            if (!value) {
                return tl::unexpected(value.error());
            }
            variables[name] = std::move(*value);
        }
    }
    return CommandLine{std::move(*words), entries(variables)};
}

}  // namespace lockstep::launch
