// One line of a table, cut into fields by the rules of RFC 4180.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::data {

struct CsvFault {
    std::size_t field = 0;  // from 0
    std::string what;       // "the quote is not closed on this line"
};

// A line's fields. Views point into the line, or into the object for fields with doubled quotes.
class CsvLine {
public:
    // A field that begins with a quote runs to the closing quote; two quotes inside stand for one. A quote
    // elsewhere is a character like others. A fault: a quote that is not closed on the line, and text
    // after a closing quote.
    std::optional<CsvFault> split(std::string_view line, char delimiter);

    const std::vector<std::string_view>& fields() const { return fields_; }
    void drop_last() { fields_.pop_back(); }

private:
    std::vector<std::string_view> fields_;
    std::string unquoted_;
};

}  // namespace lockstep::data
