// Private, pinned, repeatable installs under home/installs, outside the source tree.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "harness/base/error.hpp"
#include "harness/launch/install_marker.hpp"
#include "harness/launch/interrupt.hpp"
#include "harness/launch/manifest.hpp"
#include "harness/launch/places.hpp"

namespace lockstep::launch {

struct InstallOptions {
    std::function<void(std::string_view)> progress;  // one line, without its end; may be empty
    const Interrupt* interrupt = nullptr;
    int threads = 0;  // for the warm-up; 0: all that this process may use
};

struct InstallReport {
    bool already = false;          // nothing had to be done
    std::filesystem::path prefix;  // empty for a worker that needs no install
    double seconds = 0.0;          // install alone
    double warm_seconds = 0.0;     // the warm-up, when one ran now
};

// Brings the worker's install to what its manifest asks for; safe to run twice, after a broken attempt, and
// in two terminals at once (the second waits). Says size and free space first. The whole output is kept in
// home/installs/<share>.log. Fails, with the way out, on: no network, a full disk, a wrong hash, no compiler,
// missing Debian packages, no Maven, no fitting Python, an interrupt, anything else (with the log's end).
Result<InstallReport> install(const Manifest& manifest, const Places& places, const InstallOptions& options);

// Removes the install with all that lies in its folder (caches too), its downloads and its log. Succeeds when
// there is none. Waits for an install under way.
Result<void> uninstall(const std::string& share, const Places& places, const InstallOptions& options);

// The framework's version as the install knows it (manifest key install.version_of); absent otherwise.
std::optional<std::string> installed_version(const Manifest& manifest, const Places& places);

// Digest of all that the install depends on: lock, script, inputs, kind, range of Python versions.
Result<std::string> install_digest(const Manifest& manifest);

}  // namespace lockstep::launch
