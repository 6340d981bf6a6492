// A value as a cell of a CSV file.
#pragma once

#include <string>

namespace lockstep::report {

// RFC 4180: quoted when it holds a comma, a quote or a line end.
std::string csv_cell(const std::string& text);

}  // namespace lockstep::report
