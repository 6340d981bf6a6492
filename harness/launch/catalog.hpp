// Every worker that can be found, and whether it can be started.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/error.hpp"
#include "harness/launch/manifest.hpp"
#include "harness/launch/places.hpp"

namespace lockstep::launch {

// The folders named in LOCKSTEP_WORKERS (separated by colons), then `source_workers`.
std::vector<std::filesystem::path> worker_folders(const std::filesystem::path& source_workers);

class Catalog {
public:
    // Looks for worker.toml in each subfolder of `folders` (and in the folder itself), leaving out names that
    // begin with '_' and "sdk". Fails on a folder that does not exist, a broken manifest, one name in two
    // places, or two workers that share an install but ask for different ones.
    static Result<Catalog> read(const std::vector<std::filesystem::path>& folders);

    const std::vector<Manifest>& manifests() const { return manifests_; }  // by name
    std::vector<std::string> names() const;
    // Fails with the nearest name, or with the list of names. The pointer lives as long as the catalog.
    Result<const Manifest*> find(std::string_view name) const;

private:
    std::vector<Manifest> manifests_;
};

struct Readiness {
    bool ready = false;
    std::string missing;           // one sentence; empty when ready
    std::string remedy;            // one sentence; empty when ready
    std::filesystem::path python;  // the interpreter; empty when the worker needs none
    std::string version;           // of the framework, where the install knows it
};

// Looks, starts nothing. `user_python` (an interpreter that the user already has) takes the place of the
// private install of a worker of kind python; empty: none.
Readiness readiness(const Manifest& manifest, const Places& places,
                    const std::filesystem::path& user_python = {});

// What starts the worker: its command with placeholders filled in, and its whole environment (that of this
// process, less what would disturb: thread counts, foreign Python paths; plus the manifest's). Entries are
// "NAME=value", sorted. Thread variables come last and win. Fails on a placeholder without a value.
struct CommandLine {
    std::vector<std::string> command;
    std::vector<std::string> environment;
};
Result<CommandLine> command_line(const Manifest& manifest, const Places& places,
                                 const std::filesystem::path& python, int threads);
// The same for another command of the worker (its warm-up).
Result<CommandLine> command_line(const Manifest& manifest, const std::vector<std::string>& command,
                                 const Places& places, const std::filesystem::path& python, int threads);

}  // namespace lockstep::launch
