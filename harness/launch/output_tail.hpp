// The last words of a program.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace lockstep::launch {

// The last `lines` lines of a text file, made fit for people and for JSON (see plain_text). Empty when the
// file is missing or empty.
std::string tail_of(const std::filesystem::path& file, int lines = 20);

// Valid UTF-8 without control codes and colour; what a progress bar overwrote is left out; lines longer than
// 400 bytes are cut and end with "...". Lines stay lines.
std::string plain_text(std::string_view text);

// plain_text on one line of at most `longest` bytes.
std::string one_line(std::string_view text, std::size_t longest = 400);

}  // namespace lockstep::launch
