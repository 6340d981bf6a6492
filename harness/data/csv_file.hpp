// Tables of images as text: one image a row. Reads what is clear, is told what is not, refuses the rest
// with file, line, column and name.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/data/csv_options.hpp"
#include "harness/data/image_source.hpp"

namespace lockstep::data {

// Longest line read: an image of 8 million pixels as text. A file of another kind has no line ends, so
// there has to be a limit.
inline constexpr std::size_t kLongestLine = std::size_t{1} << 25;

// Reads a table, plain or packed with gzip or zstd, from a file, a pipe or standard input ("-"). Memory
// is half a megabyte and twice the longest line, however long the file.
//
// Fails at open: the file is missing, empty, of another kind (harness/data/file_kind.hpp), has only a
// header, or its columns are not understood (harness/data/csv_schema.hpp). Fails at a row: a value that
// is not a whole number from 0 to 255, more or fewer values than the first row has, an unclosed quote, a
// zero byte, a repeated header, a one-hot row without exactly one 1.
class CsvFile : public ImageSource {
public:
    // `known`: the shape of images already read, which must be the same here.
    static Result<std::unique_ptr<CsvFile>> open(const std::string& path, const CsvOptions& options,
                                                 Part part, std::optional<ImageShape> known);
    ~CsvFile() override;

    ImageShape shape() const override;
    bool has_labels() const override;
    std::vector<std::string> declared_classes() const override;  // one-hot columns; else empty
    Result<bool> next(std::span<std::uint8_t> pixels, SourceLabel& label) override;
    std::string digest() const override;

    const std::vector<std::string>& ignores_used() const;  // of options.ignore

private:
    class Reader;
    explicit CsvFile(std::unique_ptr<Reader> reader);
    std::unique_ptr<Reader> reader_;
};

}  // namespace lockstep::data
