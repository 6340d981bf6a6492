// `lockstep install` and `lockstep uninstall`.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "harness/app/command.hpp"
#include "harness/app/exit_code.hpp"
#include "harness/app/surroundings.hpp"
#include "harness/launch/install.hpp"
#include "harness/report/progress_line.hpp"

namespace lockstep::app {
namespace {

using launch::InstallKind;
using launch::Manifest;

Result<std::vector<const Manifest*>> named(const std::vector<std::string>& names,
                                           const launch::Catalog& catalog)
{
    std::vector<const Manifest*> manifests;
    if (names == std::vector<std::string>{"all"}) {
        for (const Manifest& manifest : catalog.manifests()) {
            if (manifest.install.kind == InstallKind::python ||
                manifest.install.kind == InstallKind::script) {
                manifests.push_back(&manifest);
            }
        }
        return manifests;
    }
    for (const std::string& name : names) {
        const auto manifest = catalog.find(name);
        if (!manifest) {
            return tl::unexpected(manifest.error());
        }
        manifests.push_back(*manifest);
    }
    return manifests;
}

int install(const std::vector<std::string>& names, const pipeline::Workshop& shop)
{
    const auto manifests = named(names, shop.catalog);
    if (!manifests) {
        return complain(manifests.error());
    }
    launch::InstallOptions options;
    options.progress = [](std::string_view line) {
        fmt::print("{}\n", line);
        std::fflush(stdout);
    };
    options.interrupt = shop.interrupt;
    int code = kResolved;
    for (const Manifest* manifest : *manifests) {
        const Result<launch::InstallReport> report = launch::install(*manifest, shop.places, options);
        if (!report) {
            code = complain(report.error());
        } else if (report->already || report->prefix.empty()) {
            fmt::print("{}: {}\n", manifest->name,
                       report->prefix.empty() ? "comes with lockstep" : "installed already");
        } else {
            fmt::print("{}: installed in {}\n", manifest->name, report::duration_words(report->seconds));
        }
    }
    return code;
}

int uninstall(const std::vector<std::string>& names, const pipeline::Workshop& shop)
{
    const auto manifests = named(names, shop.catalog);
    if (!manifests) {
        return complain(manifests.error());
    }
    std::set<std::string> shares;
    for (const Manifest* manifest : *manifests) {
        shares.insert(manifest->install.share);
    }
    for (const std::string& share : shares) {
        if (const Result<void> removed = launch::uninstall(share, shop.places, {}); !removed) {
            return complain(removed.error());
        }
        fmt::print("{}: removed\n", share);
    }
    return kResolved;
}

void add_one(CLI::App& program, Action& action, const char* name, const char* help,
             int (*act)(const std::vector<std::string>&, const pipeline::Workshop&))
{
    CLI::App* command = program.add_subcommand(name, help);
    auto names = std::make_shared<std::vector<std::string>>();
    command->add_option("names", *names, "Frameworks, or all")->required()->type_name("NAME...");
    command->callback([names, act, &action] {
        action = [names, act] {
            const Result<pipeline::Workshop> shop = open_workshop(catch_signals());
            return shop ? act(*names, *shop) : complain(shop.error());
        };
    });
}

}  // namespace

void add_install(CLI::App& program, Action& action)
{
    add_one(program, action, "install", "Bring a framework: private, pinned, outside of the source tree",
            install);
    add_one(program, action, "uninstall", "Remove what install brought", uninstall);
}

}  // namespace lockstep::app
