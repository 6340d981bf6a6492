// The reader: a buffer of whole lines, a fast way for rows of plain fields (csv_pixels), and a careful way
// for every other row, which alone decides what is wrong with it. The fast way only ever accepts rows that
// the careful way would read to the same values.
//
// Over 400 lines: buffer, rows and messages share the position in the file.
#include "harness/data/csv_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bitset>
#include <cctype>
#include <cstring>

#include "harness/data/byte_source.hpp"
#include "harness/data/csv_line.hpp"
#include "harness/data/csv_pixels.hpp"
#include "harness/data/csv_schema.hpp"
#include "harness/data/csv_value.hpp"
#include "harness/data/file_kind.hpp"

namespace lockstep::data {
namespace {

// Read at a time: stays in a second-level cache from the system's copy over the digest to the parser, and
// holds a few lines of large images, so that little is moved to the front for the next one.
constexpr std::size_t kBlock = std::size_t{1} << 18;
constexpr std::size_t kFirstBuffer = 2 * kBlock;
constexpr const char* kNothing = "Correct the file; nothing was imported.";

bool is_line_end(char c)
{
    return c == '\n' || c == '\r';
}

std::string numbered(std::size_t count, const char* what)
{
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

}  // namespace

class CsvFile::Reader {
public:
    Reader(ByteSource source, const CsvOptions& options, Part part)
        : source_(std::move(source)),
          options_(options),
          part_(part),
          buffer_(2 * kPixelSlack + kFirstBuffer, '\n')
    {
    }

    Result<void> open(std::optional<ImageShape> known);
    Result<bool> next(std::span<std::uint8_t> pixels, SourceLabel& label);

    const CsvSchema& schema() const { return schema_; }
    const ByteSource& source() const { return source_; }

private:
    // Buffer and lines.
    Result<void> refill();
    void find_whole_lines(std::size_t from);
    Result<std::string_view> line_at_begin();  // makes one whole line available; empty at the end
    void step_over_line(std::size_t size);
    Result<void> skip_blank_lines();

    // Rows.
    Result<void> split(std::string_view line);
    Result<void> settle_delimiter(std::string_view line);
    Result<void> settle_packed_shape();
    void settle_fast_way();
    bool names_could_be_pixels() const;
    bool fast_row(SourceLabel& label);
    Result<void> careful_row(std::string_view line, SourceLabel& label);
    Result<void> check_count(std::string_view line);
    Result<void> careful_packed(std::size_t column);
    Result<void> careful_one_hot(SourceLabel& label);
    void deliver(std::span<std::uint8_t> pixels);
    Result<void> check_guess(std::string_view label);
    Result<void> check_guess_at_end() const;

    // Messages.
    tl::unexpected<Error> at_line(std::string what, std::string remedy) const;
    tl::unexpected<Error> at_column(std::size_t column, std::string what, std::string remedy) const;
    tl::unexpected<Error> bad_pixel(std::size_t column, std::string_view text,
                                    std::optional<std::size_t> number) const;
    bool repeats_header() const;

    ByteSource source_;
    CsvOptions options_;
    Part part_;
    CsvSchema schema_;
    char delimiter_ = ',';

    std::vector<char> buffer_;  // kPixelSlack bytes stand free on either side
    std::size_t begin_ = kPixelSlack;
    std::size_t whole_ = kPixelSlack;  // lines end here: nothing before needs more bytes
    std::size_t end_ = kPixelSlack;
    bool all_read_ = false;
    std::int64_t line_ = 1;  // of the line at begin_

    CsvLine fields_;
    std::optional<bool> trailing_;  // do rows end with a delimiter? absent until the first row

    std::vector<std::uint8_t> row_;    // one image in the file's order
    std::vector<std::int64_t> order_;  // image[order_[k]] = row_[k]; empty: the same order
    bool fast_ = false;
    std::size_t first_pixel_ = 0;  // column
    PixelParser parse_ = pixel_parser();

    // For a guessed label: which values its column and the last one take.
    std::bitset<256> first_values_;
    std::bitset<256> last_values_;
    bool first_is_small_ = true;
};

tl::unexpected<Error> CsvFile::Reader::at_line(std::string what, std::string remedy) const
{
    return fail(fmt::format("{}, line {}: {}", source_.name(), line_, what), std::move(remedy));
}

tl::unexpected<Error> CsvFile::Reader::at_column(std::size_t column, std::string what,
                                                 std::string remedy) const
{
    const std::string name = column < schema_.names.size() && !schema_.names[column].empty()
                                 ? fmt::format(" ({})", schema_.names[column])
                                 : std::string();
    return fail(fmt::format("{}, line {}, column {}{}: {}", source_.name(), line_, column + 1, name, what),
                std::move(remedy));
}

tl::unexpected<Error> CsvFile::Reader::bad_pixel(std::size_t column, std::string_view text,
                                                 std::optional<std::size_t> number) const
{
    const std::string which = number ? fmt::format("value {}, ", *number) : std::string();
    const std::string_view inside = trimmed(text);
    const std::string found =
        inside.empty() ? std::string("the value is empty; it must be") : quoted(inside) + " is not";
    const bool fraction = inside.find('.') != std::string_view::npos && is_number_like(inside);
    return at_column(column, fmt::format("{}{} a whole number from 0 to 255.", which, found),
                     fraction ? "Fix the row, or scale the file to 0..255 first; nothing was imported."
                              : "Fix the row, or leave the column out with --ignore; nothing was imported.");
}

bool CsvFile::Reader::repeats_header() const
{
    const auto& fields = fields_.fields();
    return schema_.header && fields.size() == schema_.names.size() &&
           std::equal(fields.begin(), fields.end(), schema_.names.begin(),
                      [](std::string_view field, const std::string& name) { return trimmed(field) == name; });
}

// Moves the unfinished line to the front, grows the buffer when that line fills it, and reads on.
Result<void> CsvFile::Reader::refill()
{
    const std::size_t kept = end_ - begin_;
    std::memmove(buffer_.data() + kPixelSlack, buffer_.data() + begin_, kept);
    std::memset(buffer_.data(), '\n', kPixelSlack);
    begin_ = whole_ = kPixelSlack;
    end_ = kPixelSlack + kept;
    if (kept * 2 > buffer_.size()) {
        if (kept >= kLongestLine) {
            return at_line(fmt::format("the line is longer than {} bytes.", kLongestLine),
                           "Check that the file is a table of images with a line for each.");
        }
        buffer_.resize(buffer_.size() * 2, '\n');
    }
    const std::size_t room = std::min(buffer_.size() - kPixelSlack - end_, kBlock);
    const Result<std::size_t> got = source_.read(std::span(buffer_).subspan(end_, room));
    if (!got) {
        return tl::unexpected(got.error());
    }
    const std::size_t from = end_;
    end_ += *got;
    all_read_ = *got < room;
    std::memset(buffer_.data() + end_, '\n', kPixelSlack);  // ends a last line that has no end of its own
    find_whole_lines(from);
    return {};
}

// A '\r' may be half of "\r\n", so it counts only when the byte after it is here.
void CsvFile::Reader::find_whole_lines(std::size_t from)
{
    if (all_read_) {
        whole_ = end_;
        return;
    }
    const std::size_t start = std::max(begin_, from - 1);
    if (const void* last = ::memrchr(buffer_.data() + start, '\n', end_ - start)) {
        whole_ = static_cast<std::size_t>(static_cast<const char*>(last) - buffer_.data()) + 1;
    } else if (end_ > start + 1) {
        if (const void* carriage = ::memrchr(buffer_.data() + start, '\r', end_ - start - 1)) {
            whole_ = static_cast<std::size_t>(static_cast<const char*>(carriage) - buffer_.data()) + 1;
        }
    }
}

Result<std::string_view> CsvFile::Reader::line_at_begin()
{
    while (begin_ == whole_ && !(all_read_ && begin_ == end_)) {
        if (Result<void> filled = refill(); !filled) {
            return tl::unexpected(filled.error());
        }
    }
    const char* const at = buffer_.data() + begin_;
    const std::size_t most = whole_ - begin_;
    const void* newline = std::memchr(at, '\n', most);
    const std::size_t size =
        newline == nullptr ? most : static_cast<std::size_t>(static_cast<const char*>(newline) - at);
    const void* carriage = std::memchr(at, '\r', size);
    return std::string_view(
        at, carriage == nullptr ? size : static_cast<std::size_t>(static_cast<const char*>(carriage) - at));
}

// `size` bytes of a line, then its end.
void CsvFile::Reader::step_over_line(std::size_t size)
{
    begin_ += size;
    if (begin_ < end_ && buffer_[begin_] == '\r') {
        ++begin_;
        begin_ += begin_ < end_ && buffer_[begin_] == '\n' ? 1 : 0;
    } else if (begin_ < end_) {
        ++begin_;
    }
    whole_ = std::max(whole_, begin_);
    ++line_;
}

Result<void> CsvFile::Reader::skip_blank_lines()
{
    while (true) {
        const Result<std::string_view> line = line_at_begin();
        if (!line) {
            return tl::unexpected(line.error());
        }
        const bool blank = std::all_of(line->begin(), line->end(),
                                       [&](char c) { return (c == ' ' || c == '\t') && c != delimiter_; });
        if (!blank || begin_ == end_) {
            return {};
        }
        step_over_line(line->size());
    }
}

Result<void> CsvFile::Reader::split(std::string_view line)
{
    if (const std::size_t zero = line.find('\0'); zero != std::string_view::npos) {
        const auto column = static_cast<std::size_t>(
            std::count(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(zero), delimiter_));
        return at_column(column, "there is a zero byte, which text never has.",
                         "The file is damaged or cut off; copy it anew. Nothing was imported.");
    }
    if (const auto fault = fields_.split(line, delimiter_)) {
        return at_column(fault->field, fault->what + ".", kNothing);
    }
    return {};
}

Result<void> CsvFile::Reader::settle_delimiter(std::string_view line)
{
    const std::optional<char> found = options_.delimiter ? options_.delimiter : delimiter_of(line);
    if (!found && !options_.pixels) {
        return at_line(
            fmt::format("it is not clear what stands between columns: the line begins {}.", quoted(line)),
            "Name the delimiter with --delimiter, or check that the file is a table.");
    }
    delimiter_ = found.value_or(',');
    if (std::string_view("\"'.+-\r\n\0", 8).find(delimiter_) != std::string_view::npos ||
        std::isalnum(static_cast<unsigned char>(delimiter_)) != 0) {
        return fail(fmt::format("{} cannot stand between columns.", quoted(std::string_view(&delimiter_, 1))),
                    "Give a delimiter such as a comma, a semicolon or a tab.");
    }
    return {};
}

Result<void> CsvFile::Reader::open(std::optional<ImageShape> known)
{
    if (Result<void> filled = refill(); !filled) {
        return filled;
    }
    const std::string_view head(buffer_.data() + begin_, end_ - begin_);
    if (const auto kind = not_a_table(head, source_.name())) {
        return tl::unexpected(*kind);
    }
    if (head.starts_with("\xef\xbb\xbf")) {
        begin_ += 3;
        whole_ = std::max(whole_, begin_);
    }
    delimiter_ = '\n';  // until it is known, no blank is a delimiter
    if (Result<void> skipped = skip_blank_lines(); !skipped) {
        return skipped;
    }
    const Result<std::string_view> line = line_at_begin();
    if (!line) {
        return tl::unexpected(line.error());
    }
    if (begin_ == end_) {
        return fail(fmt::format("{} holds nothing but blank lines.", source_.name()),
                    "Check that it is the right file.");
    }
    if (Result<void> settled = settle_delimiter(*line); !settled) {
        return settled;
    }
    if (Result<void> cut = split(*line); !cut) {
        return cut;
    }
    const Result<CsvSchema> schema =
        schema_of(fields_.fields(), {source_.name(), line_, options_, part_, known});
    if (!schema) {
        return tl::unexpected(schema.error());
    }
    schema_ = *schema;
    if (schema_.trailing_delimiter) {
        trailing_ = true;
    }
    if (schema_.header) {
        step_over_line(line->size());
    }
    if (Result<void> skipped = skip_blank_lines(); !skipped) {
        return skipped;
    }
    if (begin_ == end_) {
        return fail(fmt::format("{} has a header, but no image.", source_.name()),
                    "Check that its copy was complete.");
    }
    if (schema_.packed && !schema_.shape) {
        if (Result<void> settled = settle_packed_shape(); !settled) {
            return settled;
        }
    }
    settle_fast_way();
    return {};
}

// The number of values in the first row's packed column tells the shape.
Result<void> CsvFile::Reader::settle_packed_shape()
{
    const Result<std::string_view> line = line_at_begin();
    if (!line) {
        return tl::unexpected(line.error());
    }
    if (Result<void> cut = split(*line); !cut) {
        return cut;
    }
    if (fields_.fields().size() <= *schema_.packed) {
        return at_line(fmt::format("there is no column {}.", *schema_.packed + 1), kNothing);
    }
    const std::string_view text = trimmed(fields_.fields()[*schema_.packed]);
    std::int64_t values = text.empty() ? 0 : 1;
    for (std::size_t i = 1; i < text.size(); ++i) {
        const bool between =
            options_.separator ? text[i] == *options_.separator : text[i] == ' ' && text[i - 1] != ' ';
        values += between ? 1 : 0;
    }
    return shape_of(values, {source_.name(), line_, options_, part_, {}}).map([&](ImageShape shape) {
        schema_.shape = shape;
    });
}

// Then a repeated header would pass for an image, so that every row has to be compared with it.
bool CsvFile::Reader::names_could_be_pixels() const
{
    return schema_.header && std::all_of(schema_.roles.begin(), schema_.roles.end(),
                                         [&, i = std::size_t{0}](ColumnRole role) mutable {
                                             const std::string& name = schema_.names[i++];
                                             return role != ColumnRole::pixel ||
                                                    pixel_value(name).has_value();
                                         });
}

void CsvFile::Reader::settle_fast_way()
{
    const std::size_t count = static_cast<std::size_t>(schema_.shape->pixels());
    row_.resize(count + kPixelSlack);
    std::vector<std::int64_t> order;
    std::vector<std::size_t> columns;
    for (std::size_t i = 0; i < schema_.roles.size(); ++i) {
        if (schema_.roles[i] == ColumnRole::pixel) {
            columns.push_back(i);
            order.push_back(schema_.places[i]);
        }
    }
    if (schema_.packed) {
        for (std::size_t k = 0; k < count; ++k) {
            order.push_back(place_of(static_cast<std::int64_t>(k), *schema_.shape, options_.channels_first));
        }
    } else {
        first_pixel_ = columns.front();
        fast_ = columns.back() - columns.front() + 1 == count && schema_.one_hot.empty() &&
                is_fast_delimiter(delimiter_) && !trailing_.value_or(false) && !names_could_be_pixels();
    }
    if (!std::is_sorted(order.begin(), order.end())) {
        order_ = std::move(order);
    }
}

// Reads the row at begin_ and steps over it, or returns false and leaves everything as it was.
bool CsvFile::Reader::fast_row(SourceLabel& label)
{
    const char* at = buffer_.data() + begin_;
    const std::size_t columns = schema_.roles.size();
    const std::size_t count = static_cast<std::size_t>(schema_.shape->pixels());
    for (std::size_t i = 0; i < columns;) {
        if (i == first_pixel_) {
            at = parse_(at, delimiter_, static_cast<std::int64_t>(count), row_.data());
            if (at == nullptr) {
                return false;
            }
            i += count;
        } else {
            const char* const start = at;
            while (*at != delimiter_ && static_cast<unsigned char>(*at) >= ' ' && *at != '"') {
                ++at;
            }
            if (*at != delimiter_ && !is_line_end(*at)) {
                return false;
            }
            if (schema_.label == i) {
                label.text = trimmed(std::string_view(start, static_cast<std::size_t>(at - start)));
                if (label.text.empty()) {
                    return false;
                }
            }
            ++i;
        }
        if (i < columns) {
            if (*at != delimiter_) {
                return false;
            }
            ++at;
        }
    }
    if (!is_line_end(*at)) {
        return false;
    }
    label.place = {&source_.name(), line_};
    step_over_line(static_cast<std::size_t>(at - buffer_.data()) - begin_);
    return true;
}

Result<void> CsvFile::Reader::check_count(std::string_view line)
{
    const std::size_t wanted = schema_.roles.size();
    if (!trailing_) {
        trailing_ = fields_.fields().size() == wanted + 1 && fields_.fields().back().empty();
        fast_ = fast_ && !*trailing_;
    }
    const std::size_t found = fields_.fields().size() - (*trailing_ ? 1 : 0);
    if (*trailing_ && (!fields_.fields().back().empty() || found == 0)) {
        return at_line("the line does not end with a delimiter, as those before it do.", kNothing);
    }
    if (found == wanted) {
        if (*trailing_) {
            fields_.drop_last();
        }
        return {};
    }
    std::string why;
    if (found > wanted) {
        why = found + 1 >= 2 * wanted ? "; a line end seems to be lost" : "";
    } else if (all_read_ && line.data() + line.size() == buffer_.data() + end_) {
        why = "; the file ends here and seems to be cut off";
    }
    return at_line(
        fmt::format("there are {} where {} are expected{}.", numbered(found, "value"), wanted, why),
        kNothing);
}

Result<void> CsvFile::Reader::careful_packed(std::size_t column)
{
    std::string_view text = trimmed(fields_.fields()[column]);
    const auto count = static_cast<std::size_t>(schema_.shape->pixels());
    const char separator = options_.separator.value_or(' ');
    std::size_t used = 0;
    for (bool more = !text.empty(); more; ++used) {
        const std::size_t stop = text.find(separator);
        more = stop != std::string_view::npos;
        const std::string_view value = text.substr(0, stop);
        const auto pixel = pixel_value(value);
        if (!pixel) {
            return bad_pixel(column, value, used + 1);
        }
        if (used < count) {
            row_[used] = *pixel;
        }
        text.remove_prefix(more ? stop + 1 : 0);
        while (more && !options_.separator && text.starts_with(' ')) {
            text.remove_prefix(1);
        }
    }
    if (used != count) {
        return at_column(column,
                         fmt::format("there are {} where {} are expected.", numbered(used, "pixel"), count),
                         kNothing);
    }
    return {};
}

Result<void> CsvFile::Reader::careful_one_hot(SourceLabel& label)
{
    std::optional<std::size_t> hot;
    for (const std::size_t column : schema_.one_hot) {
        const std::string_view field = fields_.fields()[column];
        const auto value = whole_number(field);
        if (value != 0 && value != 1) {
            return at_column(column, fmt::format("{} is neither 0 nor 1.", quoted(field)), kNothing);
        }
        if (value == 1 && hot) {
            return at_column(column, fmt::format("a second class is 1, after column {}.", *hot + 1),
                             kNothing);
        }
        hot = value == 1 ? column : hot;
    }
    if (!hot) {
        return at_line("no class column is 1.", "Give every image one class, or leave the row out.");
    }
    const auto which =
        std::find(schema_.one_hot.begin(), schema_.one_hot.end(), *hot) - schema_.one_hot.begin();
    label.text = schema_.one_hot_names[static_cast<std::size_t>(which)];
    return {};
}

// Every row can take this way; it decides what is wrong. Leaves begin_ where it is.
Result<void> CsvFile::Reader::careful_row(std::string_view line, SourceLabel& label)
{
    if (Result<void> cut = split(line); !cut) {
        return cut;
    }
    if (Result<void> counted = check_count(line); !counted) {
        return counted;
    }
    if (repeats_header()) {
        return at_line("the header stands here again.",
                       "Remove the line; several files are imported by naming them all.");
    }
    const auto& fields = fields_.fields();
    std::size_t k = 0;
    for (std::size_t i = 0; i < fields.size(); ++i) {
        if (schema_.roles[i] == ColumnRole::packed_pixels) {
            if (Result<void> read = careful_packed(i); !read) {
                return read;
            }
        } else if (schema_.roles[i] == ColumnRole::label) {
            label.text = trimmed(fields[i]);
            if (label.text.empty()) {
                return at_column(i, "the label is empty.", "Give every image a label, or leave the row out.");
            }
        } else if (schema_.roles[i] == ColumnRole::pixel) {
            const auto pixel = pixel_value(fields[i]);
            if (!pixel) {
                return bad_pixel(i, fields[i], {});
            }
            row_[k++] = *pixel;
        }
    }
    label.place = {&source_.name(), line_};
    return schema_.one_hot.empty() ? Result<void>() : careful_one_hot(label);
}

void CsvFile::Reader::deliver(std::span<std::uint8_t> pixels)
{
    if (order_.empty()) {
        std::memcpy(pixels.data(), row_.data(), pixels.size());
        return;
    }
    for (std::size_t k = 0; k < order_.size(); ++k) {
        pixels[static_cast<std::size_t>(order_[k])] = row_[k];
    }
}

// Notes one row's label for the guess of its place; called when the row was read and stepped over.
Result<void> CsvFile::Reader::check_guess(std::string_view label)
{
    if (schema_.guess == LabelGuess::none) {
        return {};
    }
    const auto value = whole_number(label);
    if (schema_.guess == LabelGuess::word) {
        if (value) {
            return fail(
                fmt::format("{}, line {}: the label is the number {}, but the first one is a word.",
                            source_.name(), line_ - 1, *value),
                "The file has no header, so say where the label stands: --label first or --label last.");
        }
        return {};
    }
    first_is_small_ = first_is_small_ && value && *value >= 0 && *value <= 255;
    first_values_.set(first_is_small_ ? static_cast<std::size_t>(*value) : 0);
    last_values_.set(row_[static_cast<std::size_t>(schema_.shape->pixels()) - 1]);
    return {};
}

// With numbers only and no header the first column is taken for the label. That is wrong when it cannot be
// one (not 0..C-1 or 1..C with two classes or more) and the last column could.
Result<void> CsvFile::Reader::check_guess_at_end() const
{
    const auto could_be_label = [](const std::bitset<256>& values) {
        const std::size_t first = values[0] ? 0 : 1;
        std::size_t run = 0;
        while (first + run < values.size() && values[first + run]) {
            ++run;
        }
        return run >= 2 && run == values.count();
    };
    if (schema_.guess != LabelGuess::numbers || (first_is_small_ && could_be_label(first_values_)) ||
        !could_be_label(last_values_)) {
        return {};
    }
    return fail(fmt::format("{} has no header, and its last column looks more like a label than its first.",
                            source_.name()),
                "Say which one holds the label: --label first or --label last.");
}

Result<bool> CsvFile::Reader::next(std::span<std::uint8_t> pixels, SourceLabel& label)
{
    label = {};
    while (true) {
        if (begin_ == whole_) {
            if (all_read_) {
                return check_guess_at_end().map([] { return false; });
            }
            if (Result<void> filled = refill(); !filled) {
                return tl::unexpected(filled.error());
            }
            continue;
        }
        if (trailing_ && fast_ && fast_row(label)) {
            break;
        }
        if (Result<void> skipped = skip_blank_lines(); !skipped) {
            return tl::unexpected(skipped.error());
        }
        if (begin_ == whole_) {
            continue;
        }
        const Result<std::string_view> line = line_at_begin();
        if (Result<void> read = careful_row(*line, label); !read) {
            return tl::unexpected(read.error());
        }
        step_over_line(line->size());
        break;
    }
    if (Result<void> borne_out = check_guess(label.text); !borne_out) {
        return tl::unexpected(borne_out.error());
    }
    deliver(pixels);
    return true;
}

CsvFile::CsvFile(std::unique_ptr<Reader> reader) : reader_(std::move(reader)) {}
CsvFile::~CsvFile() = default;

Result<std::unique_ptr<CsvFile>> CsvFile::open(const std::string& path, const CsvOptions& options, Part part,
                                               std::optional<ImageShape> known)
{
    Result<ByteSource> source = ByteSource::open(path);
    if (!source) {
        return tl::unexpected(source.error());
    }
    auto reader = std::make_unique<Reader>(std::move(*source), options, part);
    if (Result<void> opened = reader->open(known); !opened) {
        return tl::unexpected(opened.error());
    }
    return std::unique_ptr<CsvFile>(new CsvFile(std::move(reader)));
}

ImageShape CsvFile::shape() const
{
    return *reader_->schema().shape;
}
bool CsvFile::has_labels() const
{
    return reader_->schema().has_labels();
}
std::string CsvFile::digest() const
{
    return reader_->source().digest();
}
const std::vector<std::string>& CsvFile::ignores_used() const
{
    return reader_->schema().ignores_used;
}

std::vector<std::string> CsvFile::declared_classes() const
{
    return reader_->schema().one_hot_names;
}

Result<bool> CsvFile::next(std::span<std::uint8_t> pixels, SourceLabel& label)
{
    return reader_->next(pixels, label);
}

}  // namespace lockstep::data
