// `lockstep data fetch`: a built-in data set from the distribution's package, installed when this is root's
// call, unpacked into lockstep's own folder otherwise.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "harness/app/data_command.hpp"
#include "harness/app/exit_code.hpp"
#include "harness/app/surroundings.hpp"
#include "harness/base/atomic_file.hpp"
#include "harness/data/dataset_writer.hpp"
#include "harness/data/staging.hpp"
#include "harness/launch/command_run.hpp"
#include "harness/launch/environment.hpp"

namespace lockstep::app {
namespace {

namespace fs = std::filesystem;

class Fetcher {
public:
    Fetcher(data::BuiltinPlace place, fs::path cache)
        : place_(std::move(place)), work_(data::aside_of(cache / "fetch"))
    {
    }
    ~Fetcher()
    {
        std::error_code none;
        fs::remove_all(work_, none);
    }
    Fetcher(const Fetcher&) = delete;
    Fetcher& operator=(const Fetcher&) = delete;

    Result<void> install()
    {
        return prepare().and_then([&] {
            return run({"apt-get", "install", "-y", "--no-install-recommends", place_.package});
        });
    }

    // apt-get checks the package against the distribution's signed lists; nothing outside of the cache
    // changes.
    Result<void> unpack()
    {
        const Result<void> downloaded = prepare().and_then([&] {
            return run({"apt-get", "download", place_.package});
        });
        if (!downloaded) {
            return downloaded;
        }
        std::error_code code;
        fs::path package;
        for (const fs::directory_entry& entry : fs::directory_iterator(work_, code)) {
            package = entry.path().extension() == ".deb" ? entry.path() : package;
        }
        if (package.empty()) {
            return fail(fmt::format("apt-get ended well, but brought no package {}.", place_.package),
                        "Run apt-get update as root, then try again.");
        }
        const Result<void> unpacked = run({"dpkg-deb", "-x", package.string(), (work_ / "files").string()});
        if (!unpacked) {
            return unpacked;
        }
        const fs::path found = work_ / "files" / place_.packaged.relative_path();
        fs::create_directories(place_.own.parent_path(), code);
        fs::rename(found, place_.own, code);
        if (code) {
            return fail(fmt::format("{} cannot be put to {}: {}.", found.string(), place_.own.string(),
                                    code.message()),
                        "Check that the package holds that folder, and that you may write to the other.");
        }
        return {};
    }

private:
    Result<void> prepare()
    {
        std::error_code code;
        fs::create_directories(work_, code);
        if (code) {
            return fail(fmt::format("{} cannot be made: {}.", work_.string(), code.message()),
                        "Check that you may write there, or name another folder with LOCKSTEP_HOME.");
        }
        return {};
    }

    Result<void> run(std::vector<std::string> command)
    {
        const std::string words = fmt::format("{}", fmt::join(command, " "));
        const fs::path log = work_ / "log.txt";
        launch::Variables variables = launch::own_variables();
        variables["DEBIAN_FRONTEND"] = "noninteractive";
        const auto ended = launch::run_logged(
            {std::move(command), launch::entries(variables), work_, log, {}}, catch_signals());
        if (!ended) {
            return tl::unexpected(ended.error());
        }
        if (!ended->clean()) {
            const std::string said = last_line(read_file(log).value_or(""));
            return fail(fmt::format("`{}` failed{}{}", words, said.empty() ? "" : ": ", said) + ".",
                        "Check the network and that the distribution has this package (apt-get update, as "
                        "root), then run the same command again.");
        }
        return {};
    }

    data::BuiltinPlace place_;
    fs::path work_;
};

int fetch(const std::string& name)
{
    data::StagingOptions options;
    options.cache = home_folder() / "data";
    const Result<data::BuiltinPlace> place = data::find_builtin(name, options);
    if (!place) {
        return complain(place.error());
    }
    if (!place->folder) {
        Fetcher fetcher(*place, options.cache);
        const Result<void> done = ::geteuid() == 0 ? fetcher.install() : fetcher.unpack();
        if (!done) {
            return complain(done.error());
        }
    }
    const Result<data::Dataset> dataset = data::stage(name, options);
    if (!dataset) {
        return complain(dataset.error());
    }
    print_dataset(*dataset);
    return kResolved;
}

}  // namespace

void add_data_fetch(CLI::App& data, Action& action)
{
    CLI::App* command = data.add_subcommand(
        "fetch",
        "Get a built-in data set from the distribution's package: installed for root, unpacked "
        "into lockstep's own folder for others");
    auto name = std::make_shared<std::string>();
    command->add_option("name", *name, "fashion-mnist")->required();
    command->callback([name, &action] { action = [name] { return fetch(*name); }; });
}

}  // namespace lockstep::app
