// Every command runs under a keeper with its output in the install's log, so that a failure can be read
// from it and an interrupt leaves no process behind.
#include "harness/launch/install_attempt.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <chrono>

#include "harness/base/atomic_file.hpp"
#include "harness/launch/catalog.hpp"
#include "harness/launch/command_run.hpp"
#include "harness/launch/environment.hpp"
#include "harness/launch/install_failure.hpp"
#include "harness/launch/interpreter.hpp"

namespace lockstep::launch {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kListTime{60'000};  // pip list on a slow disk

int usable_cpus()
{
    cpu_set_t cpus;
    return ::sched_getaffinity(0, sizeof cpus, &cpus) == 0 ? CPU_COUNT(&cpus) : 1;
}

}  // namespace

InstallAttempt::InstallAttempt(const Manifest& manifest, const Places& places, const InstallOptions& options)
    : manifest_(manifest),
      plan_(manifest.install),
      places_(places),
      options_(options),
      prefix_(places.prefix(manifest.install.share)),
      log_(log_of(manifest.install.share, places))
{
}

fs::path InstallAttempt::log_of(const std::string& share, const Places& places)
{
    return places.installs() / (share + ".log");
}

void InstallAttempt::tell(const std::string& line) const
{
    if (options_.progress) {
        options_.progress(line);
    }
}

// A person wants to see that something moves, not each line of a tool: downloads that take a while, builds,
// and what an install script says to them.
void InstallAttempt::report(std::string_view line) const
{
    constexpr std::string_view kWorth[] = {"Building wheel", "Installing collected", "lockstep: "};
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    const bool long_download =
        line.starts_with("Downloading ") && (line.ends_with(" MB)") || line.ends_with(" GB)"));
    if (long_download ||
        std::ranges::any_of(kWorth, [&](std::string_view begin) { return line.starts_with(begin); })) {
        tell("  " + std::string(line.substr(0, 100)));
    }
}

Result<void> InstallAttempt::fill(Installed& facts)
{
    remove_marker(plan_.share, places_);
    std::error_code error;
    fs::remove_all(prefix_, error);
    if (error) {
        return fail(fmt::format("{} cannot be emptied: {}.", prefix_.string(), error.message()),
                    "Check who owns lockstep's home folder.");
    }
    if (const Result<void> emptied = write_file(log_, ""); !emptied) {
        return emptied;
    }
    return plan_.kind == InstallKind::python ? fill_python(facts) : fill_by_script(facts);
}

Result<void> InstallAttempt::step(const std::vector<std::string>& command,
                                  const std::vector<std::string>& environment, const fs::path& folder,
                                  const std::string& subject)
{
    std::string said;
    const LoggedCommand order{command, environment, folder, log_, [&](std::string_view line) {
                                  said += std::string(line) + "\n";
                                  report(line);
                              }};
    const Result<ExitStatus> status = run_logged(order, options_.interrupt);
    if (!status) {
        return tl::unexpected(status.error());
    }
    if (!status->clean()) {
        return tl::unexpected(explain_failure(subject, log_, said));
    }
    return {};
}

Result<void> InstallAttempt::pip(const fs::path& lock, const std::vector<std::string>& choices)
{
    std::vector<std::string> command{(prefix_ / "bin" / "python").string(),
                                     "-m",
                                     "pip",
                                     "install",
                                     "--require-hashes",
                                     "--no-input",
                                     "--disable-pip-version-check",
                                     "--progress-bar",
                                     "off"};
    command.insert(command.end(), choices.begin(), choices.end());
    command.insert(command.end(), {"-r", lock.string()});
    return step(command, entries(quiet_variables(true)), prefix_, "the install of " + manifest_.title);
}

// The first lock holds wheels only: what is built here would depend on build packages that nobody pinned.
Result<void> InstallAttempt::fill_python(Installed& facts)
{
    const Result<Interpreter> python = find_python(plan_.python);
    if (!python) {
        return tl::unexpected(python.error());
    }
    facts.python = python->version;
    tell(fmt::format("  Python {} ({})", python->version, python->path.string()));
    Result<void> done = step({python->path.string(), "-m", "venv", prefix_.string()},
                             entries(quiet_variables(true)), {}, "the install of " + manifest_.title);
    if (done) {
        done = pip(plan_.lock, {"--only-binary", ":all:"});
    }
    if (done && !plan_.source_lock.empty()) {
        done = pip(plan_.source_lock, {"--no-deps", "--no-build-isolation"});
    }
    if (!done) {
        return done;
    }
    const Result<Captured> list = capture({(prefix_ / "bin" / "python").string(), "-m", "pip", "list",
                                           "--format=freeze", "--disable-pip-version-check"},
                                          entries(quiet_variables(true)), kListTime);
    if (list) {
        facts.versions = parse_versions(list->output);
    }
    return {};
}

Result<void> InstallAttempt::fill_by_script(Installed& facts)
{
    std::error_code error;
    fs::create_directories(prefix_, error);
    fs::create_directories(places_.downloads(plan_.share), error);
    Variables variables = quiet_variables(true);
    variables["LOCKSTEP_PREFIX"] = prefix_.string();
    variables["LOCKSTEP_DOWNLOADS"] = places_.downloads(plan_.share).string();
    variables["LOCKSTEP_HOME"] = places_.home.string();
    variables["LOCKSTEP_SDK"] = places_.sdk.string();
    variables["LOCKSTEP_BIN"] = places_.bin.string();
    const Result<void> done = step({plan_.script.string()}, entries(variables), manifest_.folder,
                                   "the install of " + manifest_.title);
    if (done) {
        facts.versions = parse_versions(read_file(prefix_ / "versions.txt").value_or(""));
    }
    return done;
}

Result<double> InstallAttempt::warm()
{
    const fs::path own = prefix_ / "bin" / "python";
    const fs::path python = fs::exists(own) ? own : find_program("python3");
    const int threads = options_.threads > 0 ? options_.threads : usable_cpus();
    const Result<CommandLine> line = command_line(manifest_, plan_.warm, places_, python, threads);
    if (!line) {
        return tl::unexpected(line.error());
    }
    tell(fmt::format("Warming {} up once, so that no timed run has to.", manifest_.title));
    const Clock::time_point begin = Clock::now();
    return step(line->command, line->environment, manifest_.folder, "the warm-up of " + manifest_.title)
        .map([&] { return std::chrono::duration<double>(Clock::now() - begin).count(); });
}

}  // namespace lockstep::launch
