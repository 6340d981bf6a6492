// worker.toml: all that the harness knows about a worker before it runs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "harness/base/error.hpp"
#include "protocol/job.hpp"

namespace lockstep::launch {

// Key `can`. What a worker says about itself before it runs; the answer to `hello` is what counts.
// An empty list: not said, ask the worker.
struct Abilities {
    std::vector<std::string> layers;
    std::vector<std::string> optimizers;
    std::vector<std::string> precision;
    std::vector<std::string> input;
    std::vector<std::string> devices;
    std::vector<std::string> verbs;
    // The framework's own options and the values that each may have; no values: any text. Written as
    // `options = ["compile=off|on", "optimizer"]`.
    std::map<std::string, std::vector<std::string>> options;
};

enum class InstallKind {
    built_in,  // built with lockstep itself: nothing to install
    python,    // a private virtual environment, filled from a lock with hashes
    script,    // the worker folder's own script, which fills a private folder
    none,      // cannot be installed from here; `how` says how the user gets it
};

// Key `install`.
struct InstallPlan {
    InstallKind kind = InstallKind::built_in;
    std::string how;                    // one line that tells how the user gets it; of a script: that finds
                                        // what the user must have already
    std::filesystem::path lock;         // absolute; python: the pinned requirements with hashes
    std::filesystem::path source_lock;  // absolute or empty; python: more of them, built from source after
                                        // `lock`, without build isolation and without dependencies
    std::string python;                 // python: range of versions, ">=3.8,<3.12"; empty: any
    std::filesystem::path script;       // absolute; script: what to run, default {folder}/install
    std::vector<std::filesystem::path> inputs;  // absolute; files and folders that the install depends on:
                                                // a change makes it out of date
    std::string share;                          // folder name under home/installs; default: the worker's name
    std::vector<std::string> packages;          // Debian packages that must be there
    std::int64_t size_mb = 0;                   // on disk when installed; 0: not said
    std::vector<std::string> warm;              // command run once after the install, outside timed runs
    std::string version_of;                     // the package whose version is the framework's
};

struct Manifest {
    std::string name;                        // lower-case letters, digits and underscores
    std::string title;                       // for people; default: the name
    std::filesystem::path folder;            // absolute
    std::vector<std::string> command;        // with placeholders
    std::map<std::string, std::string> env;  // with placeholders
    protocol::Layouts wants;
    Abilities can;
    std::map<std::string, std::string> threads;  // variables that set the thread count, with placeholders
    bool ranked = true;  // false: a control, shown but never compared (the null worker)
    InstallPlan install;
};

// Reads folder/worker.toml. Fails with file and line on a broken file, an unknown key or value (naming the
// nearest valid one), a missing key, a placeholder that does not exist, or a lock or script that is missing.
Result<Manifest> read_manifest(const std::filesystem::path& folder);

}  // namespace lockstep::launch
