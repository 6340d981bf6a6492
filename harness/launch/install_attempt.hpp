// One install under way: from an empty folder to a full one. Locks and markers are install.cpp's.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/error.hpp"
#include "harness/launch/install.hpp"
#include "harness/launch/install_marker.hpp"
#include "harness/launch/manifest.hpp"
#include "harness/launch/places.hpp"

namespace lockstep::launch {

// Requires: the arguments outlive the attempt; nobody else works on the same install.
class InstallAttempt {
public:
    InstallAttempt(const Manifest& manifest, const Places& places, const InstallOptions& options);

    // Empties the prefix and the log, fills the prefix, and puts what is known about it into `facts`.
    Result<void> fill(Installed& facts);
    // Runs the worker's warm-up; returns its cost in seconds.
    Result<double> warm();

    static std::filesystem::path log_of(const std::string& share, const Places& places);

private:
    Result<void> step(const std::vector<std::string>& command, const std::vector<std::string>& environment,
                      const std::filesystem::path& folder, const std::string& subject);
    Result<void> pip(const std::filesystem::path& lock, const std::vector<std::string>& choices);
    Result<void> fill_python(Installed& facts);
    Result<void> fill_by_script(Installed& facts);
    void tell(const std::string& line) const;
    void report(std::string_view line) const;

    const Manifest& manifest_;
    const InstallPlan& plan_;
    const Places& places_;
    const InstallOptions& options_;
    std::filesystem::path prefix_;
    std::filesystem::path log_;
};

}  // namespace lockstep::launch
