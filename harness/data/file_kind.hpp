// Files that are something else than their name says: archives, web pages, pointers, other encodings.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "harness/base/error.hpp"

namespace lockstep::data {

// What the first bytes of a file named `name` show, if it is surely no text table: a compressed or
// archive format, another encoding, a web page, a pointer to large-file storage, an image or a binary
// data format. Absent when it may be a table; an empty `head` is reported as an empty file.
std::optional<Error> not_a_table(std::string_view head, const std::string& name);

}  // namespace lockstep::data
