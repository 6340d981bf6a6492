// An install is made in place, because virtual environments hold their own path; the marker, written last,
// is what tells a whole one from the rest of a broken attempt. A lock on a file beside it keeps a second
// terminal waiting.
#include "harness/launch/install.hpp"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <ctime>
#include <vector>

#include "harness/base/atomic_file.hpp"
#include "harness/base/digest.hpp"
#include "harness/base/nearest_word.hpp"
#include "harness/launch/command_run.hpp"
#include "harness/launch/environment.hpp"
#include "harness/launch/install_attempt.hpp"

namespace lockstep::launch {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kQueryTime{60'000};

void tell(const InstallOptions& options, const std::string& line)
{
    if (options.progress) {
        options.progress(line);
    }
}

bool raised(const InstallOptions& options)
{
    return options.interrupt != nullptr && options.interrupt->raised();
}

double seconds_since(Clock::time_point begin)
{
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

// Waits while another lockstep works on the same install. The lock ends with the descriptor.
Result<Descriptor> lock(const std::string& share, const Places& places, const InstallOptions& options)
{
    std::error_code error;
    fs::create_directories(places.installs(), error);
    const fs::path path = places.installs() / (share + ".lock");
    Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
    if (!file.open()) {
        return fail(fmt::format("{} cannot be written: {}.", path.string(), std::strerror(errno)),
                    "Check who owns lockstep's home folder, or choose another with LOCKSTEP_HOME.");
    }
    bool told = false;
    while (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
        if (raised(options)) {
            return fail("The wait for another install was stopped.", "Run the same command again.");
        }
        if (!told) {
            tell(options, fmt::format("Another lockstep is working on {}; waiting for it.", share));
            told = true;
        }
        ::poll(nullptr, 0, 100);
    }
    return file;
}

Result<void> check_packages(const Manifest& manifest)
{
    const fs::path query = find_program("dpkg-query");
    if (manifest.install.packages.empty() || query.empty()) {
        return {};
    }
    std::vector<std::string> command{query.string(), "-W", "-f", "${Package} ${db:Status-Status}\n"};
    command.insert(command.end(), manifest.install.packages.begin(), manifest.install.packages.end());
    const Result<Captured> answer = capture(command, entries(own_variables()), kQueryTime);
    if (!answer) {
        return tl::unexpected(answer.error());
    }
    std::vector<std::string> missing;
    for (const std::string& package : manifest.install.packages) {
        if (("\n" + answer->output).find("\n" + package + " installed\n") == std::string::npos) {
            missing.push_back(package);
        }
    }
    if (missing.empty()) {
        return {};
    }
    return fail(fmt::format("{} needs the Debian package{} {}.", manifest.title,
                            missing.size() > 1 ? "s" : "", join_words(missing)),
                fmt::format("Install with: sudo apt install {}.", fmt::join(missing, " ")));
}

Result<void> check_space(const Manifest& manifest, const Places& places, const InstallOptions& options)
{
    const fs::path prefix = places.prefix(manifest.install.share);
    std::error_code error;
    const fs::space_info space = fs::space(places.installs(), error);
    const std::int64_t free_mb = error ? -1 : static_cast<std::int64_t>(space.available / 1'000'000);
    const std::int64_t size = manifest.install.size_mb;
    const std::string about = size > 0 ? fmt::format("about {} MB", size) : "size not known";
    const std::string free = error ? "" : fmt::format("; {} MB are free there", free_mb);
    tell(options, fmt::format("Installing {} ({}) into {}{}.", manifest.title, about, prefix.string(), free));
    if (!error && size > free_mb) {
        return fail(fmt::format("{} needs {} MB and {} MB are free in {}.", manifest.title, size, free_mb,
                                places.installs().string()),
                    "Free some space, or choose another home folder with LOCKSTEP_HOME.");
    }
    return {};
}

std::string now()
{
    std::time_t time = std::time(nullptr);
    std::tm local{};
    ::localtime_r(&time, &local);
    return fmt::format("{:%Y-%m-%d %H:%M:%S}", local);
}

Result<void> add_file(Digest& digest, const fs::path& file)
{
    const Result<std::string> part = digest_of_file(file);
    if (!part) {
        return tl::unexpected(part.error());
    }
    digest.add(*part);
    return {};
}

// Files of a folder in the order of their names; what running Python leaves behind is no part of it.
Result<void> add_folder(Digest& digest, const fs::path& folder)
{
    std::vector<fs::path> files;
    std::error_code error;
    for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
        if (at->is_regular_file() && at->path().string().find("__pycache__") == std::string::npos) {
            files.push_back(at->path());
        }
    }
    std::ranges::sort(files);
    for (const fs::path& file : files) {
        digest.add(file.lexically_relative(folder).string());
        if (const Result<void> added = add_file(digest, file); !added) {
            return added;
        }
    }
    return {};
}

Result<void> install_locked(const Manifest& manifest, const Places& places, const InstallOptions& options,
                            InstallReport& report)
{
    const InstallPlan& plan = manifest.install;
    const Result<std::string> digest = install_digest(manifest);
    if (!digest) {
        return tl::unexpected(digest.error());
    }
    InstallAttempt attempt(manifest, places, options);
    std::optional<Installed> facts = installed(plan.share, places);
    report.already = facts && facts->digest == *digest;
    if (!report.already) {
        Result<void> possible =
            check_packages(manifest).and_then([&] { return check_space(manifest, places, options); });
        if (!possible) {
            return possible;
        }
        const Clock::time_point begin = Clock::now();
        facts = Installed{};
        if (const Result<void> filled = attempt.fill(*facts); !filled) {
            return filled;
        }
        facts->digest = *digest;
        facts->date = now();
        facts->seconds = report.seconds = seconds_since(begin);
        if (const Result<void> written = write_marker(plan.share, places, *facts); !written) {
            return written;
        }
        tell(options, fmt::format("{} is installed ({:.0f} s).", manifest.title, report.seconds));
    }
    if (plan.warm.empty() || facts->warm_seconds.contains(manifest.name)) {
        return {};
    }
    const Result<double> warm = attempt.warm();
    if (!warm) {
        return tl::unexpected(warm.error());
    }
    report.already = false;
    report.warm_seconds = facts->warm_seconds[manifest.name] = *warm;
    return write_marker(plan.share, places, *facts);
}

}  // namespace

Result<std::string> install_digest(const Manifest& manifest)
{
    const InstallPlan& plan = manifest.install;
    Digest digest;
    digest.add(plan.kind == InstallKind::python ? "python;" : "script;");
    digest.add(plan.python + ";");
    std::vector<fs::path> parts{plan.lock, plan.source_lock, plan.script};
    parts.insert(parts.end(), plan.inputs.begin(), plan.inputs.end());
    for (const fs::path& part : parts) {
        if (part.empty()) {
            continue;
        }
        const Result<void> added = fs::is_directory(part) ? add_folder(digest, part) : add_file(digest, part);
        if (!added) {
            return tl::unexpected(added.error());
        }
    }
    return digest.hex();
}

Result<InstallReport> install(const Manifest& manifest, const Places& places, const InstallOptions& options)
{
    InstallReport report;
    const InstallPlan& plan = manifest.install;
    if (plan.kind == InstallKind::none) {
        return fail(fmt::format("{} cannot be installed by lockstep.", manifest.title), plan.how);
    }
    if (plan.kind == InstallKind::built_in) {
        report.already = true;
        return report;
    }
    report.prefix = places.prefix(plan.share);
    const Result<Descriptor> locked = lock(plan.share, places, options);
    if (!locked) {
        return tl::unexpected(locked.error());
    }
    return install_locked(manifest, places, options, report).map([&] { return report; });
}

Result<void> uninstall(const std::string& share, const Places& places, const InstallOptions& options)
{
    const fs::path prefix = places.prefix(share);
    std::error_code error;
    if (!fs::exists(prefix, error)) {
        return {};
    }
    const Result<Descriptor> locked = lock(share, places, options);
    if (!locked) {
        return tl::unexpected(locked.error());
    }
    remove_marker(share, places);
    for (const fs::path& folder : {places.downloads(share), prefix}) {
        fs::remove_all(folder, error);
        if (error) {
            return fail(fmt::format("{} cannot be removed: {}.", folder.string(), error.message()),
                        "Check who owns lockstep's home folder, then run the same command again.");
        }
    }
    fs::remove(InstallAttempt::log_of(share, places), error);
    return {};
}

std::optional<std::string> installed_version(const Manifest& manifest, const Places& places)
{
    const std::optional<Installed> facts = installed(manifest.install.share, places);
    if (!facts || manifest.install.version_of.empty()) {
        return std::nullopt;
    }
    const auto found = facts->versions.find(normal_name(manifest.install.version_of));
    return found == facts->versions.end() ? std::nullopt : std::optional<std::string>(found->second);
}

}  // namespace lockstep::launch
