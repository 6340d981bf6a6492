// The file that says: this install is whole. Written last, removed first.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "harness/base/error.hpp"
#include "harness/launch/places.hpp"

namespace lockstep::launch {

struct Installed {
    std::string digest;                           // of all that the install depends on
    std::string python;                           // version of the interpreter; empty without one
    std::map<std::string, std::string> versions;  // package -> version
    std::string date;                             // when, local time: 2026-03-15 14:22:01
    double seconds = 0.0;                         // what the install took
    std::map<std::string, double> warm_seconds;   // worker -> cost of its warm-up
};

// Absent when the install was never finished, or its marker cannot be read.
std::optional<Installed> installed(const std::string& share, const Places& places);
Result<void> write_marker(const std::string& share, const Places& places, const Installed& facts);
void remove_marker(const std::string& share, const Places& places);

// "name==version" lines, as pip prints them; other lines are passed over. Names in lower case with '-' for
// '_'.
std::map<std::string, std::string> parse_versions(std::string_view text);
std::string normal_name(std::string_view package);

}  // namespace lockstep::launch
