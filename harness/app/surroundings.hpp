// Where this program finds its workers and models, and where it keeps what it installs and caches.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/base/error.hpp"
#include "harness/pipeline/workshop.hpp"

namespace lockstep::app {

// LOCKSTEP_HOME, else $XDG_DATA_HOME/lockstep, else ~/.local/share/lockstep.
std::filesystem::path home_folder();

// Everything a command needs of this machine. Workers and models are looked for in share/lockstep beside an
// installed program, else in the source tree that it was built from. Fails on a broken manifest.
Result<pipeline::Workshop> open_workshop(const launch::Interrupt* interrupt);

// Frameworks that can be compared here now, by name: lockstep's own, and the others that are ready. Controls
// (the worker that does nothing) are in neither.
struct ReadyFrameworks {
    std::vector<std::string> own;
    std::vector<std::string> others;

    std::vector<std::string> all() const;  // lockstep's own first
};
ReadyFrameworks ready_frameworks(const pipeline::Workshop& shop);

// Raised by Ctrl-C and by SIGTERM; one for the whole program. A second signal ends the program at once.
const launch::Interrupt* catch_signals();

// "lockstep: what.\nRemedy." on standard error; returns kBadInput.
int complain(const Error& error);

}  // namespace lockstep::app
