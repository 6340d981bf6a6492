// Where things lie on this machine.
#pragma once

#include <filesystem>
#include <string>

namespace lockstep::launch {

struct Places {
    std::filesystem::path home;  // private installs and caches; outside the source tree
    std::filesystem::path sdk;   // workers/sdk of the source tree
    std::filesystem::path bin;   // built programs of workers

    std::filesystem::path installs() const { return home / "installs"; }
    // What an install by script fetched and may use again; kept when the install starts over.
    std::filesystem::path downloads(const std::string& share) const { return home / "downloads" / share; }
    std::filesystem::path prefix(const std::string& share) const { return home / "installs" / share; }
};

}  // namespace lockstep::launch
