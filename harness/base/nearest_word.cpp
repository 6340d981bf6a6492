// Edit distance by two rows of the table.
#include "harness/base/nearest_word.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace lockstep {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b)
{
    std::vector<std::size_t> above(b.size() + 1);
    std::iota(above.begin(), above.end(), 0u);
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::vector<std::size_t> row{i + 1};
        for (std::size_t j = 0; j < b.size(); ++j) {
            row.push_back(std::min({above[j + 1] + 1, row[j] + 1, above[j] + (a[i] == b[j] ? 0u : 1u)}));
        }
        above = std::move(row);
    }
    return above.back();
}

}  // namespace

std::optional<std::string> nearest_word(std::string_view word, std::span<const std::string> known)
{
    std::optional<std::string> best;
    std::size_t least = word.size() / 2 + 1;
    for (const std::string& candidate : known) {
        const std::size_t distance = edit_distance(word, candidate);
        if (distance < least) {
            least = distance;
            best = candidate;
        }
    }
    return best;
}

std::string join_words(std::span<const std::string> words)
{
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i) {
        text += i == 0 ? "" : i + 1 == words.size() ? " and " : ", ";
        text += words[i];
    }
    return text;
}

}  // namespace lockstep
