// `lockstep install` and `lockstep uninstall`.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "harness/app/command.hpp"
#include "harness/app/exit_code.hpp"
#include "harness/app/surroundings.hpp"
#include "harness/base/console.hpp"
#include "harness/launch/install.hpp"
#include "harness/report/progress_line.hpp"

namespace lockstep::app {
namespace {

using launch::InstallKind;
using launch::Manifest;

struct Wish {
    std::vector<std::string> names;    // {"all"}: every framework that can be installed from here
    std::vector<std::string> without;  // left out of all

    bool all() const { return names == std::vector<std::string>{"all"}; }
};

// Scripts last: what they compile may use what the others brought.
Result<std::vector<const Manifest*>> wanted(const Wish& wish, const launch::Catalog& catalog)
{
    std::vector<const Manifest*> manifests;
    const bool all = wish.all();
    if (!all && !wish.without.empty()) {
        return fail("--without leaves frameworks out of all, which was not asked for.",
                    "Write all --without NAME,..., or name the frameworks alone.");
    }
    for (const std::string& name : all ? wish.without : wish.names) {
        const auto manifest = catalog.find(name);
        if (!manifest) {
            return tl::unexpected(manifest.error());
        }
        if (!all) {
            manifests.push_back(*manifest);
        }
    }
    for (const InstallKind kind : {InstallKind::python, InstallKind::script}) {
        for (const Manifest& manifest : catalog.manifests()) {
            if (all && manifest.install.kind == kind &&
                std::find(wish.without.begin(), wish.without.end(), manifest.name) == wish.without.end()) {
                manifests.push_back(&manifest);
            }
        }
    }
    return manifests;
}

int install(const Wish& wish, const pipeline::Workshop& shop)
{
    const auto manifests = wanted(wish, shop.catalog);
    if (!manifests) {
        return complain(manifests.error());
    }
    launch::InstallOptions options;
    options.progress = [](std::string_view line) {
        put("{}\n", line);
        std::fflush(stdout);
    };
    options.interrupt = shop.interrupt;
    int code = kResolved;
    for (const Manifest* manifest : *manifests) {
        const Result<launch::InstallReport> report = launch::install(*manifest, shop.places, options);
        if (!report && wish.all() && !manifest->install.how.empty()) {
            put("{}: left out. {}\n", manifest->name, manifest->install.how);  // nobody could bring it
        } else if (!report) {
            code = complain(report.error());
        } else if (report->already || report->prefix.empty()) {
            put("{}: {}\n", manifest->name,
                report->prefix.empty() ? "comes with lockstep" : "installed already");
        } else {
            put("{}: installed in {}\n", manifest->name, report::duration_words(report->seconds));
        }
    }
    return code;
}

int uninstall(const Wish& wish, const pipeline::Workshop& shop)
{
    const auto manifests = wanted(wish, shop.catalog);
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
        put("{}: removed\n", share);
    }
    return kResolved;
}

void add_one(CLI::App& program, Action& action, const char* name, const char* help,
             int (*act)(const Wish&, const pipeline::Workshop&))
{
    CLI::App* command = program.add_subcommand(name, help);
    auto wish = std::make_shared<Wish>();
    command->add_option("names", wish->names, "Frameworks, or all")->required()->type_name("NAME...");
    command->add_option("--without", wish->without, "Frameworks to leave out of all")
        ->delimiter(',')
        ->type_name("NAME,...");
    command->callback([wish, act, &action] {
        action = [wish, act] {
            const Result<pipeline::Workshop> shop = open_workshop(catch_signals());
            return shop ? act(*wish, *shop) : complain(shop.error());
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
