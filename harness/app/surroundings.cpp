// Paths, signals, and the form of an error.
#include "harness/app/surroundings.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>

#include "harness/app/exit_code.hpp"
#include "harness/base/console.hpp"
#include "harness/observe/environment.hpp"

namespace lockstep::app {
namespace {

namespace fs = std::filesystem;

launch::Interrupt* g_interrupt = nullptr;

void on_signal(int number)
{
    if (g_interrupt->raised()) {
        ::signal(number, SIG_DFL);
        ::raise(number);
    }
    g_interrupt->raise();
}

// The folder that holds workers/ and models/.
fs::path share_folder(const fs::path& program_folder)
{
    const fs::path installed = program_folder.parent_path() / "share" / "lockstep";
    return fs::exists(installed / "workers") ? installed : fs::path(LOCKSTEP_SOURCE_DIR);
}

}  // namespace

fs::path home_folder()
{
    if (const char* own = std::getenv("LOCKSTEP_HOME"); own && *own) {
        return fs::absolute(own);
    }
    if (const char* data = std::getenv("XDG_DATA_HOME"); data && *data) {
        return fs::path(data) / "lockstep";
    }
    const char* home = std::getenv("HOME");
    return fs::path(home && *home ? home : "/tmp") / ".local" / "share" / "lockstep";
}

Result<pipeline::Workshop> open_workshop(const launch::Interrupt* interrupt)
{
    std::error_code ignored;
    const fs::path program_folder = fs::read_symlink("/proc/self/exe", ignored).parent_path();
    const fs::path share = share_folder(program_folder);
    Result<launch::Catalog> catalog = launch::Catalog::read(launch::worker_folders(share / "workers"));
    if (!catalog) {
        return tl::unexpected(catalog.error());
    }
    const fs::path home = home_folder();
    const fs::path built = fs::exists(program_folder / "workers")
                               ? program_folder / "workers"
                               : share.parent_path().parent_path() / "lib" / "lockstep" / "workers";
    launch::Places places{home, share / "workers" / "sdk", built};
    return pipeline::Workshop{
        std::move(*catalog),         places,   home / "data", home / "gate", {share / "models"},
        observe::read_environment(), interrupt};
}

std::vector<std::string> ReadyFrameworks::all() const
{
    std::vector<std::string> names = own;
    names.insert(names.end(), others.begin(), others.end());
    return names;
}

ReadyFrameworks ready_frameworks(const pipeline::Workshop& shop)
{
    ReadyFrameworks found;
    for (const launch::Manifest& manifest : shop.catalog.manifests()) {
        if (manifest.ranked && launch::readiness(manifest, shop.places).ready) {
            const bool own = manifest.install.kind == launch::InstallKind::built_in;
            (own ? found.own : found.others).push_back(manifest.name);
        }
    }
    return found;
}

const launch::Interrupt* catch_signals()
{
    static launch::Interrupt interrupt;
    g_interrupt = &interrupt;
    struct sigaction action {};
    action.sa_handler = on_signal;
    ::sigaction(SIGINT, &action, nullptr);
    ::sigaction(SIGTERM, &action, nullptr);
    ::sigaction(SIGHUP, &action, nullptr);
    ::signal(SIGPIPE, SIG_IGN);
    ::signal(SIGXFSZ, SIG_IGN);  // a limit on file sizes then fails the write, which is told like a full disk
    return &interrupt;
}

int complain(const Error& error)
{
    put(stderr, "lockstep: {}\n{}\n", error.what, error.remedy);
    return kBadInput;
}

}  // namespace lockstep::app
