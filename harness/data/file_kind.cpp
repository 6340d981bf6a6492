// Known first bytes; each row names where its format fixes them.
#include "harness/data/file_kind.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace lockstep::data {
namespace {

using namespace std::string_view_literals;

struct Signature {
    std::string_view bytes;
    std::string_view kind;
    std::string_view remedy;
};

constexpr std::string_view kUnpack =
    "Unpack it first, then import the CSV file inside; gzip and zstd are read as they are.";
constexpr std::string_view kUtf8 = "Convert it first: iconv -f UTF-16 -t UTF-8 OLD > NEW.";
constexpr std::string_view kReal = "Fetch the real file; what is here is only what a server answered.";
constexpr std::string_view kSave = "Save the table as CSV first.";

constexpr std::array<Signature, 17> kSignatures{{
    {"PK\x03\x04"sv, "a zip archive or an Excel workbook", kUnpack},         // APPNOTE.TXT 4.3.7
    {"PK\x05\x06"sv, "an empty zip archive", kUnpack},                       // APPNOTE.TXT 4.3.16
    {"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"sv, "an old Excel workbook", kSave},  // MS-CFB 2.2
    {"7z\xbc\xaf\x27\x1c"sv, "a 7z archive", kUnpack},                       // 7zFormat.txt
    {"Rar!\x1a\x07"sv, "a RAR archive", kUnpack},                            // RAR technote
    {"\xfd"
     "7zXZ\0"sv,
     "xz data", kUnpack},              // .xz format 2.1.1.1
    {"BZh"sv, "bzip2 data", kUnpack},  // bzip2 manual
    {"\xff\xfe\0\0"sv, "UTF-32 text",
     "Convert it first: iconv -f UTF-32 -t UTF-8 OLD > NEW."},  // Unicode 23.8
    {"\xff\xfe"sv, "UTF-16 text", kUtf8},                       // Unicode 23.8
    {"\xfe\xff"sv, "UTF-16 text", kUtf8},
    {"version https://git-lfs"sv, "a Git LFS pointer, not the data", "Fetch the data with: git lfs pull."},
    {"PAR1"sv, "a Parquet file", kSave},
    {"\x89HDF\r\n\x1a\n"sv, "an HDF5 file", kSave},
    {"\x93NUMPY"sv, "a NumPy array", "Import the folder it belongs to, or save the table as CSV."},
    {"\x89PNG\r\n\x1a\n"sv, "a PNG image", "Import the folder of images that it belongs to."},
    {"\xff\xd8\xff"sv, "a JPEG image", "Import the folder of images that it belongs to."},
    {"%PDF"sv, "a PDF document", kSave},
}};

constexpr std::size_t kTarMagicAt = 257;  // POSIX.1-2017, pax, ustar interchange format

bool starts_like_markup(std::string_view head)
{
    const std::size_t at = head.find_first_not_of(" \t\r\n");
    return at != std::string_view::npos && head[at] == '<';
}

// UTF-16 without a mark: text in Latin letters and digits has every other byte zero.
bool every_other_byte_is_zero(std::string_view head)
{
    const std::size_t size = std::min<std::size_t>(head.size(), 64);
    std::size_t zeros = 0;
    for (std::size_t i = 0; i < size; ++i) {
        zeros += head[i] == '\0' ? 1 : 0;
    }
    return size >= 4 && zeros * 2 >= size - 1 && zeros * 2 <= size + 1 &&
           (head[0] == '\0') != (head[1] == '\0');
}

}  // namespace

std::optional<Error> not_a_table(std::string_view head, const std::string& name)
{
    const auto is = [&](std::string_view kind, std::string_view remedy) {
        return Error{fmt::format("{} is {}, not a table of text.", name, kind), std::string(remedy)};
    };
    if (head.empty()) {
        return Error{fmt::format("{} is empty.", name),
                     "Check that it is the right file and that its copy was complete."};
    }
    for (const Signature& known : kSignatures) {
        if (head.starts_with(known.bytes)) {
            return is(known.kind, known.remedy);
        }
    }
    if (head.size() > kTarMagicAt + 5 && head.substr(kTarMagicAt, 5) == "ustar") {
        return is("a tar archive", kUnpack);
    }
    const std::string_view text = head.starts_with("\xef\xbb\xbf") ? head.substr(3) : head;
    if (starts_like_markup(text)) {
        return is("a web page or XML", kReal);
    }
    if (text.starts_with('{') || text.starts_with('[')) {
        return is("JSON", kSave);
    }
    if (every_other_byte_is_zero(head)) {
        return is("UTF-16 text", kUtf8);
    }
    return {};
}

}  // namespace lockstep::data
