// What each column of a table is: found from its first line, its options and what is already known.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/error.hpp"
#include "harness/data/csv_options.hpp"
#include "harness/data/image_size.hpp"
#include "harness/data/label_table.hpp"

namespace lockstep::data {

enum class ColumnRole : std::uint8_t { pixel, packed_pixels, label, one_hot, ignored };

// Without header and option the label's place is a guess, which the other rows have to bear out.
enum class LabelGuess : std::uint8_t {
    none,     // it was named or told
    numbers,  // the first row has numbers only: the first column
    word,     // the first or last field of the first row is a word: then all labels are
};

struct CsvSchema {
    bool header = false;                     // the first line holds names
    bool trailing_delimiter = false;         // the header ends with a delimiter, which is no column
    std::vector<std::string> names;          // by column; empty strings without a header
    std::vector<ColumnRole> roles;           // by column
    std::vector<std::int64_t> places;        // by column: of a pixel in the image, in HWC order
    std::optional<std::size_t> label;        // absent: no label column, or one-hot
    std::vector<std::size_t> one_hot;        // columns in class order; empty: none
    std::vector<std::string> one_hot_names;  // of the classes: the header's names, or what the option says
    std::optional<std::size_t> packed;       // the column that holds all pixels; absent: one column a pixel
    // Absent for a packed column without --shape: the first row decides.
    std::optional<ImageShape> shape;
    LabelGuess guess = LabelGuess::none;
    std::vector<std::string> ignores_used;  // of options.ignore

    bool has_labels() const { return label.has_value() || !one_hot.empty(); }
};

struct CsvQuestion {
    const std::string& file;  // for messages
    std::int64_t line = 1;    // of the first line, for messages
    const CsvOptions& options;
    Part part = Part::train;          // a test part may lack labels
    std::optional<ImageShape> known;  // of images already read, which must be the same here
};

// Fails when a column is neither label, pixel nor ignored; when pixel names are doubled, missing or of
// several kinds; when a label is needed and not found; when the number of pixels does not tell the shape;
// and when it cannot be told whether the first line is a header.
Result<CsvSchema> schema_of(const std::vector<std::string_view>& first_line, const CsvQuestion& question);

// The delimiter that the line has most of outside quotes, among , ; tab |. Absent when it has none, or
// when two are equally frequent.
std::optional<char> delimiter_of(std::string_view line);

// The shape of `pixels` values when nothing else tells: options.shape, the known shape, or a square.
Result<ImageShape> shape_of(std::int64_t pixels, const CsvQuestion& question);

// Where value k of a row belongs in an HWC image.
std::int64_t place_of(std::int64_t k, const ImageShape& shape, bool channels_first);

}  // namespace lockstep::data
