// Labels as users write them, and the classes 0..C-1 that they become.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "harness/base/error.hpp"

namespace lockstep::data {

// Where a label stands, for messages.
struct Place {
    const std::string* file = nullptr;
    std::int64_t line = 0;  // from 1; 0: the file has no lines
};

enum class Part { train, test };

struct Classes {
    std::vector<std::string> names;      // the users' labels, in class order
    std::vector<std::int32_t> class_of;  // by the id that LabelTable gave
};

class LabelTable {
public:
    LabelTable();

    // The id of a label, the same for the same text (spaces around it do not count). Fails on an empty
    // label, on text that is not UTF-8 or has control characters, and when there are more than 2^16
    // different ones, as a column of names or ids has.
    Result<std::int32_t> id_of(std::string_view text, Part part, const Place& place);

    // Fixes the classes and their order beforehand (class folders, one-hot columns), so that a class
    // without images keeps its place; no names: nothing is fixed. Requires: nothing added yet, no name twice.
    void declare(const std::vector<std::string>& names);

    // Classes in order: numerically when every label is a whole number ("3", "03", "+3" and "3.0" are
    // the same label; a class is named as it is written, or as the plain number when spellings differ),
    // by bytes when some are words. Fails on labels that are fractions, on a missing value such as "nan" or
    // a damaged number such as "5e" among numbers, and on a test label that no training image has.
    Result<Classes> classes() const;

private:
    struct Entry {
        std::string text;
        bool in_train = false;
        Place place;       // first seen
        std::string file;  // Place's file, kept
    };
    Result<std::int32_t> insert(std::string_view text, Part part, const Place& place);

    std::vector<Entry> entries_;
    std::unordered_map<std::string, std::int32_t> ids_;
    std::array<std::int32_t, 1000> short_numbers_;  // ids of "0".."999", the labels of most files; -1: none
    bool declared_ = false;
};

}  // namespace lockstep::data
