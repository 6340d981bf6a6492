// Cutting lines; the common unquoted field is one memchr.
#include "harness/data/csv_line.hpp"

#include <cstring>

namespace lockstep::data {

std::optional<CsvFault> CsvLine::split(std::string_view line, char delimiter)
{
    fields_.clear();
    unquoted_.clear();
    unquoted_.reserve(line.size());  // never moves, so views into it stay valid
    const char* at = line.data();
    const char* const end = at + line.size();
    while (true) {
        if (at == end || *at != '"') {
            const void* found =
                at == end ? nullptr : std::memchr(at, delimiter, static_cast<std::size_t>(end - at));
            const char* const stop = found == nullptr ? end : static_cast<const char*>(found);
            fields_.emplace_back(at, static_cast<std::size_t>(stop - at));
            at = stop;
        } else {
            const std::size_t start = unquoted_.size();
            bool closed = false;
            for (++at; at != end && !closed; ++at) {
                const bool doubled = *at == '"' && at + 1 != end && at[1] == '"';
                closed = *at == '"' && !doubled;
                at += doubled ? 1 : 0;
                if (!closed) {
                    unquoted_.push_back(*at);
                }
            }
            if (!closed) {
                return CsvFault{fields_.size(), "the quote that opens the field is not closed on this line"};
            }
            if (at != end && *at != delimiter) {
                return CsvFault{fields_.size(), "there is text after the closing quote"};
            }
            fields_.push_back(std::string_view(unquoted_).substr(start));
        }
        if (at == end) {
            return {};
        }
        ++at;
    }
}

}  // namespace lockstep::data
