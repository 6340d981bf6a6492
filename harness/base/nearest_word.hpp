// "Did you mean ...": the known word nearest to one that is not known.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace lockstep {

// By edit distance (insert, delete, replace, swap neighbours), ties to the earlier word; absent when nothing
// is near (more than half of the word would have to change).
std::optional<std::string> nearest_word(std::string_view word, std::span<const std::string> known);

// "a, b and c"
std::string join_words(std::span<const std::string> words);

}  // namespace lockstep
