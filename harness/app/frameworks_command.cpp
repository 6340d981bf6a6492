// `lockstep frameworks`: what can run here, and the one thing that is missing where something is.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "harness/app/command.hpp"
#include "harness/app/exit_code.hpp"
#include "harness/app/surroundings.hpp"
#include "harness/base/console.hpp"

namespace lockstep::app {
namespace {

struct Row {
    std::string name, version, devices, where, state;
};

std::vector<Row> rows_of(const pipeline::Workshop& shop)
{
    std::vector<Row> rows;
    for (const launch::Manifest& manifest : shop.catalog.manifests()) {
        const launch::Readiness ready = launch::readiness(manifest, shop.places);
        std::string devices;
        for (const std::string& device : manifest.can.devices) {
            devices += (devices.empty() ? "" : ",") + device;
        }
        const bool own = manifest.install.kind == launch::InstallKind::built_in;
        rows.push_back({manifest.name, ready.version, devices,
                        own ? "comes with lockstep" : ready.python.string(),
                        ready.ready ? "ready" : ready.missing + " " + ready.remedy});
    }
    return rows;
}

void print_table(const std::vector<Row>& rows)
{
    std::size_t name = 9;
    std::size_t version = 7;
    std::size_t devices = 7;
    for (const Row& row : rows) {
        name = std::max(name, row.name.size());
        version = std::max(version, row.version.size());
        devices = std::max(devices, row.devices.size());
    }
    put("{:<{}}  {:<{}}  {:<{}}  state\n", "framework", name, "version", version, "devices", devices);
    for (const Row& row : rows) {
        const std::string where = row.state == "ready" && !row.where.empty() ? ": " + row.where : "";
        put("{:<{}}  {:<{}}  {:<{}}  {}{}\n", row.name, name, row.version, version, row.devices, devices,
            row.state, where);
    }
}

}  // namespace

void add_frameworks(CLI::App& program, Action& action)
{
    CLI::App* command =
        program.add_subcommand("frameworks", "What can run here, and what is missing where something is");
    auto json = std::make_shared<bool>(false);
    command->add_flag("--json", *json, "For programs");
    command->callback([json, &action] {
        action = [json]() -> int {
            const Result<pipeline::Workshop> shop = open_workshop(nullptr);
            if (!shop) {
                return complain(shop.error());
            }
            const std::vector<Row> rows = rows_of(*shop);
            if (!*json) {
                print_table(rows);
                return kResolved;
            }
            nlohmann::ordered_json all = nlohmann::ordered_json::array();
            for (const Row& row : rows) {
                all.push_back({{"name", row.name},
                               {"version", row.version},
                               {"devices", row.devices},
                               {"where", row.where},
                               {"state", row.state}});
            }
            put("{}\n", all.dump(2));
            return kResolved;
        };
    });
}

}  // namespace lockstep::app
