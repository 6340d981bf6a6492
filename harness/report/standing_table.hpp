// The tables that end a campaign: as text for people, as JSON for programs.
#pragma once

#include <string>
#include <vector>

#include "harness/record/standing.hpp"

namespace lockstep::report {

// Fixed columns, absent values blank. `colour`: words in colour by terminal escapes.
std::string table_text(const record::StandingTable& table, bool colour);
std::string tables_json(const std::vector<record::StandingTable>& tables);

}  // namespace lockstep::report
