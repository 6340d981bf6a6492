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
    std::filesystem::path prefix(const std::string& share) const { return home / "installs" / share; }
};

}  // namespace lockstep::launch
