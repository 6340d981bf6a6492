// Ranges of versions: ">=3.8,<3.12".
#pragma once

#include <string_view>

#include "harness/base/error.hpp"

namespace lockstep::launch {

// Does `version` ("3.11.2") satisfy every term of `range`? Terms are separated by commas; operators are
// >= > <= < == !=; numbers are compared part by part, a missing part counts as 0. An empty range holds
// everything. Fails on a range that cannot be read. A version that cannot be read is in no range.
Result<bool> in_range(std::string_view version, std::string_view range);

}  // namespace lockstep::launch
