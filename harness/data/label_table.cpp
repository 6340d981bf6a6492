// Ids first, classes at the end: only then is it known whether all labels are numbers.
#include "harness/data/label_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "harness/data/csv_value.hpp"

namespace lockstep::data {
namespace {

constexpr std::size_t kMostLabels = std::size_t{1} << 16;

std::string at(const Place& place)
{
    const std::string file = place.file != nullptr ? *place.file : "the data";
    return place.line > 0 ? fmt::format("{}, line {}", file, place.line) : file;
}

// "0".."999" without leading zeros; -1 for anything else.
int short_number(std::string_view text)
{
    if (text.empty() || text.size() > 3 || (text[0] == '0' && text.size() > 1)) {
        return -1;
    }
    int value = 0;
    for (const char c : text) {
        if (c < '0' || c > '9') {
            return -1;
        }
        value = value * 10 + (c - '0');
    }
    return value;
}

// RFC 3629; no control characters (below space, and delete).
bool is_clean_text(std::string_view text)
{
    std::size_t i = 0;
    while (i < text.size()) {
        const auto byte = [&](std::size_t k) {
            return k < text.size() ? static_cast<unsigned char>(text[k]) : 0u;
        };
        const unsigned first = byte(i);
        const std::size_t length = first < 0x80                    ? 1
                                   : first >= 0xc2 && first < 0xe0 ? 2
                                   : first >= 0xe0 && first < 0xf0 ? 3
                                   : first >= 0xf0 && first < 0xf5 ? 4
                                                                   : 0;
        if (length == 0 || (length == 1 && (first < 0x20 || first == 0x7f))) {
            return false;
        }
        for (std::size_t k = 1; k < length; ++k) {
            if ((byte(i + k) & 0xc0u) != 0x80u) {
                return false;
            }
        }
        const unsigned second = byte(i + 1);
        if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) ||
            (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f)) {
            return false;
        }
        i += length;
    }
    return true;
}

bool is_missing_value(std::string_view text)
{
    std::string lower(text);
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
    return lower == "nan" || lower == "na" || lower == "n/a" || lower == "null" || lower == "none" ||
           lower == "inf" || lower == "-inf" || lower == "-nan";
}

// "5e", "7\"" or "-": among numbers more likely a slip than a class of its own.
bool begins_like_number(std::string_view text)
{
    return std::string_view("+-.,0123456789").find(text.front()) != std::string_view::npos;
}

}  // namespace

LabelTable::LabelTable()
{
    short_numbers_.fill(-1);
}

Result<std::int32_t> LabelTable::id_of(std::string_view text, Part part, const Place& place)
{
    text = trimmed(text);
    const int number = short_number(text);
    if (number >= 0) {
        const std::int32_t id = short_numbers_[static_cast<std::size_t>(number)];
        if (id >= 0 && (part == Part::test || entries_[static_cast<std::size_t>(id)].in_train)) {
            return id;
        }
    }
    const Result<std::int32_t> id = insert(text, part, place);
    if (id && number >= 0) {
        short_numbers_[static_cast<std::size_t>(number)] = *id;
    }
    return id;
}

Result<std::int32_t> LabelTable::insert(std::string_view text, Part part, const Place& place)
{
    const auto known = ids_.find(std::string(text));
    if (known != ids_.end()) {
        Entry& entry = entries_[static_cast<std::size_t>(known->second)];
        entry.in_train = entry.in_train || part == Part::train;
        return known->second;
    }
    if (text.empty()) {
        return fail(fmt::format("{}: the label is empty.", at(place)),
                    "Give every image a label, or leave the row out.");
    }
    if (!is_clean_text(text)) {
        return fail(fmt::format("{}: the label {} is not plain UTF-8 text.", at(place), quoted(text)),
                    "Convert the file to UTF-8 and remove control characters.");
    }
    if (entries_.size() == kMostLabels) {
        return fail(
            fmt::format("{}: there are more than {} different labels.", at(place), kMostLabels),
            "Check which column holds the label and name it with --label; ids are left out with --ignore.");
    }
    entries_.push_back({std::string(text),
                        part == Part::train,
                        {nullptr, place.line},
                        place.file != nullptr ? *place.file : ""});
    const std::int32_t id = static_cast<std::int32_t>(entries_.size() - 1);
    ids_.emplace(std::string(text), id);
    return id;
}

void LabelTable::declare(const std::vector<std::string>& names)
{
    for (const std::string& name : names) {
        ids_.emplace(name, static_cast<std::int32_t>(entries_.size()));
        entries_.push_back({name, true, {}, ""});
    }
    declared_ = declared_ || !names.empty();
}

// Over sixty lines: one pass that finds the order of all labels and one that names and numbers the classes.
Result<Classes> LabelTable::classes() const
{
    const auto place_of = [](const Entry& entry) { return at({&entry.file, entry.place.line}); };
    bool all_whole = !declared_;
    bool some_whole = false;
    std::vector<std::optional<std::int64_t>> numbers;
    for (const Entry& entry : entries_) {
        numbers.push_back(whole_number(entry.text));
        all_whole = all_whole && numbers.back().has_value();
        some_whole = some_whole || numbers.back().has_value();
    }
    for (std::size_t i = 0; i < entries_.size() && !declared_; ++i) {
        const Entry& entry = entries_[i];
        const bool missing = is_missing_value(entry.text);
        const bool damaged = is_number_like(entry.text) || (some_whole && begins_like_number(entry.text));
        if (!numbers[i] && (missing ? some_whole : damaged)) {
            return fail(fmt::format("{}: the label {} is {}, not a whole number or a word.", place_of(entry),
                                    quoted(entry.text),
                                    missing                      ? "a missing value"
                                    : is_number_like(entry.text) ? "a fraction or too large"
                                                                 : "a damaged number"),
                        "Correct the label, or name the column that holds the classes with --label.");
        }
    }
    // The same number may be spelled in several ways; words are themselves.
    std::vector<std::int32_t> order(entries_.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        order[i] = static_cast<std::int32_t>(i);
    }
    const auto same = [&](std::int32_t a, std::int32_t b) { return all_whole && numbers[a] == numbers[b]; };
    if (!declared_) {
        std::sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
            return all_whole && numbers[a] != numbers[b] ? *numbers[a] < *numbers[b]
                                                         : entries_[a].text < entries_[b].text;
        });
    }
    Classes classes;
    classes.class_of.assign(entries_.size(), -1);
    for (std::size_t first = 0; first < order.size();) {
        std::size_t last = first + 1;
        while (last < order.size() && same(order[first], order[last])) {
            ++last;
        }
        const Entry& entry = entries_[order[first]];
        const bool trained = std::any_of(order.begin() + static_cast<std::ptrdiff_t>(first),
                                         order.begin() + static_cast<std::ptrdiff_t>(last),
                                         [&](std::int32_t id) { return entries_[id].in_train; });
        if (!trained) {
            return fail(fmt::format("{}: the test label {} occurs in no training image.", place_of(entry),
                                    quoted(entry.text)),
                        "Correct the label, or add training images of this class.");
        }
        for (std::size_t i = first; i < last; ++i) {
            classes.class_of[order[i]] = static_cast<std::int32_t>(classes.names.size());
        }
        classes.names.push_back(last - first > 1 ? std::to_string(*numbers[order[first]]) : entry.text);
        first = last;
    }
    return classes;
}

}  // namespace lockstep::data
