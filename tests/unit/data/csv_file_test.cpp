// Every way in which tables come: read right, told by an option, or refused with line, column and name.
#include "harness/data/csv_file.hpp"

#include <gtest/gtest.h>
#include <zlib.h>
#include <zstd.h>

#include <sys/stat.h>

#include <functional>
#include <thread>

#include "harness/data/byte_source.hpp"
#include "tests/unit/data/temporary_folder.hpp"

namespace lockstep::data {
namespace {

using namespace std::string_literals;

struct Read {
    std::vector<std::string> labels;
    std::vector<std::vector<int>> images;
    ImageShape shape;
};

Result<Read> read_file_as(const std::string& path, const CsvOptions& options, Part part = Part::train,
                          std::optional<ImageShape> known = {})
{
    auto file = CsvFile::open(path, options, part, known);
    if (!file) {
        return tl::unexpected(file.error());
    }
    Read read;
    read.shape = (*file)->shape();
    std::vector<std::uint8_t> pixels(static_cast<std::size_t>(read.shape.pixels()));
    SourceLabel label;
    while (true) {
        const Result<bool> more = (*file)->next(pixels, label);
        if (!more) {
            return tl::unexpected(more.error());
        }
        if (!*more) {
            return read;
        }
        if ((*file)->has_labels()) {
            read.labels.emplace_back(label.text);
        }
        read.images.emplace_back(pixels.begin(), pixels.end());
    }
}

Result<Read> read_text(const std::string& text, const CsvOptions& options = {}, Part part = Part::train,
                       std::optional<ImageShape> known = {})
{
    const TemporaryFolder folder;
    return read_file_as(folder.file("train.csv", text).string(), options, part, known);
}

CsvOptions with(const std::function<void(CsvOptions&)>& set)
{
    CsvOptions options;
    set(options);
    return options;
}

struct Accepted {
    const char* name;
    std::string text;
    CsvOptions options = {};
    std::vector<std::string> labels = {"3", "7"};
    std::vector<std::vector<int>> images = {{0, 12, 255, 4}, {5, 6, 7, 8}};
};

const std::string kHeader = "label,pixel0,pixel1,pixel2,pixel3\n";

std::vector<Accepted> accepted_cases()
{
    return {
        {"plain", kHeader + "3,0,12,255,4\n7,5,6,7,8\n"},
        {"a byte order mark", "\xef\xbb\xbf" + kHeader + "3,0,12,255,4\n7,5,6,7,8\n"},
        {"a byte order mark without header",
         "\xef\xbb\xbf"
         "3,0,12,255,4\n7,5,6,7,8\n"},
        {"CRLF", "label,pixel0,pixel1,pixel2,pixel3\r\n3,0,12,255,4\r\n7,5,6,7,8\r\n"},
        {"CR", "label,pixel0,pixel1,pixel2,pixel3\r3,0,12,255,4\r7,5,6,7,8\r"},
        {"mixed line ends", "label,pixel0,pixel1,pixel2,pixel3\r3,0,12,255,4\r\n7,5,6,7,8\n"},
        {"no last line end", kHeader + "3,0,12,255,4\n7,5,6,7,8"},
        {"no last line end after CR", "label,pixel0,pixel1,pixel2,pixel3\r3,0,12,255,4\r7,5,6,7,8"},
        {"blank lines", "\n\n" + kHeader + "\n3,0,12,255,4\n   \n7,5,6,7,8\n\n\n"},
        {"quoted fields", kHeader + "\"3\",\"0\",\"12\",255,4\n7,5,6,\"7\",8\n"},
        {"a quoted header",
         "\"label\",\"pixel0\",\"pixel1\",\"pixel2\",\"pixel3\"\n3,0,12,255,4\n7,5,6,7,8\n"},
        {"spaces around numbers", kHeader + " 3, 0 ,12 , 255,4 \n7,5,6,7,8\n"},
        {"spaces around names", "label, pixel0 ,pixel1, pixel2,pixel3\n3,0,12,255,4\n7,5,6,7,8\n"},
        {"leading zeros", kHeader + "3,000,0012,255,004\n7,5,6,7,8\n"},
        {"plus signs", kHeader + "3,+0,+12,255,+4\n7,5,6,7,8\n"},
        {"fractions of zero", kHeader + "3,0.0,12.0,255.00,4\n7,5,6,7,8.0\n"},
        {"semicolons", "label;pixel0;pixel1;pixel2;pixel3\n3;0;12;255;4\n7;5;6;7;8\n"},
        {"tabs", "label\tpixel0\tpixel1\tpixel2\tpixel3\n3\t0\t12\t255\t4\n7\t5\t6\t7\t8\n"},
        {"no header", "3,0,12,255,4\n7,5,6,7,8\n"},
        {"no header, one row", "3,0,12,255,4\n", {}, {"3"}, {{0, 12, 255, 4}}},
        {"label last", "pixel0,pixel1,pixel2,pixel3,label\n0,12,255,4,3\n5,6,7,8,7\n"},
        {"a label named class", "class,pixel0,pixel1,pixel2,pixel3\n3,0,12,255,4\n7,5,6,7,8\n"},
        {"a label named Label", "Label,pixel0,pixel1,pixel2,pixel3\n3,0,12,255,4\n7,5,6,7,8\n"},
        {"a label in the middle", "pixel0,pixel1,label,pixel2,pixel3\n0,12,3,255,4\n5,6,7,7,8\n"},
        {"a trailing comma in every row", "label,pixel0,pixel1,pixel2,pixel3,\n3,0,12,255,4,\n7,5,6,7,8,\n"},
        {"a trailing comma in every row but the header", kHeader + "3,0,12,255,4,\n7,5,6,7,8,\n"},
        {"names in another order", "label,pixel2,pixel0,pixel3,pixel1\n3,255,0,4,12\n7,7,5,8,6\n"},
        {"names from 1", "label,pixel1,pixel2,pixel3,pixel4\n3,0,12,255,4\n7,5,6,7,8\n"},
        {"names by row and column", "label,1x1,1x2,2x1,2x2\n3,0,12,255,4\n7,5,6,7,8\n"},
        {"names by row and column, columns first", "label,1x1,2x1,1x2,2x2\n3,0,255,12,4\n7,5,7,6,8\n"},
        {"names by row and column from 0", "label,0x0,0x1,1x0,1x1\n3,0,12,255,4\n7,5,6,7,8\n"},
        {"names that are numbers", "label,0,1,2,3\n3,0,12,255,4\n7,5,6,7,8\n"},
        {"words as labels",
         kHeader + "cat,0,12,255,4\n\"a dog, small\",5,6,7,8\n",
         {},
         {"cat", "a dog, small"}},
        {"words as labels without header", "cat,0,12,255,4\ndog,5,6,7,8\n", {}, {"cat", "dog"}},
        {"words as last labels without header", "0,12,255,4,cat\n5,6,7,8,dog\n", {}, {"cat", "dog"}},
        {"doubled quotes in a label",
         kHeader + "\"the \"\"cat\"\"\",0,12,255,4\n7,5,6,7,8\n",
         {},
         {"the \"cat\"", "7"}},
        // Told by an option.
        {"a told delimiter", "label:pixel0:pixel1:pixel2:pixel3\n3:0:12:255:4\n7:5:6:7:8\n",
         with([](CsvOptions& o) { o.delimiter = ':'; })},
        {"spaces as a told delimiter", "3 0 12 255 4\n7 5 6 7 8\n",
         with([](CsvOptions& o) { o.delimiter = ' '; })},
        {"a told header", "label,a0,a1,a2,a3\n3,0,12,255,4\n7,5,6,7,8\n",
         with([](CsvOptions& o) { o.header = true; })},
        {"no header, although it counts up",
         "3,0,1,2,3\n",
         with([](CsvOptions& o) { o.header = false; }),
         {"3"},
         {{0, 1, 2, 3}}},
        {"a told label", "kind,pixel0,pixel1,pixel2,pixel3\n3,0,12,255,4\n7,5,6,7,8\n",
         with([](CsvOptions& o) { o.label = {"kind"}; })},
        {"a label told by position", "0,12,255,4,3\n5,6,7,8,7\n",
         with([](CsvOptions& o) { o.label = {"#5"}; })},
        {"the last column told", "0,12,255,4,3\n5,6,7,8,7\n",
         with([](CsvOptions& o) { o.label = {"last"}; })},
        {"one-hot columns",
         "cat,dog,pixel0,pixel1,pixel2,pixel3\n0,1,0,12,255,4\n1,0,5,6,7,8\n",
         with([](CsvOptions& o) {
             o.label = {"cat", "dog"};
         }),
         {"dog", "cat"}},
        {"an ignored id", "id,label,pixel0,pixel1,pixel2,pixel3\nx1,3,0,12,255,4\nx2,7,5,6,7,8\n",
         with([](CsvOptions& o) { o.ignore = {"id"}; })},
        {"an ignored first column without name",
         ",label,pixel0,pixel1,pixel2,pixel3\n0,3,0,12,255,4\n1,7,5,6,7,8\n",
         with([](CsvOptions& o) { o.ignore = {"#1"}; })},
        {"an ignored column among pixels",
         "label,pixel0,pixel1,note,pixel2,pixel3\n3,0,12,x,255,4\n7,5,6,y,7,8\n",
         with([](CsvOptions& o) { o.ignore = {"note"}; })},
        {"all pixels in one column", "emotion,pixels,Usage\n3,0 12 255 4,Training\n7,5  6 7 8,Test\n",
         with([](CsvOptions& o) {
             o.label = {"emotion"};
             o.pixels = "pixels";
             o.ignore = {"Usage"};
         })},
        {"all pixels in one column with a separator", "label,pixels\n3,0;12;255;4\n7,5;6;7;8\n",
         with([](CsvOptions& o) {
             o.pixels = "pixels";
             o.separator = ';';
             o.delimiter = ',';
         })},
    };
}

TEST(CsvFile, what_can_be_read_is_read_right)
{
    for (const Accepted& wanted : accepted_cases()) {
        const auto read = read_text(wanted.text, wanted.options);
        ASSERT_TRUE(read) << wanted.name << ": " << read.error().what << ' ' << read.error().remedy;
        EXPECT_EQ(read->labels, wanted.labels) << wanted.name;
        EXPECT_EQ(read->images, wanted.images) << wanted.name;
        EXPECT_EQ(read->shape, (ImageShape{2, 2, 1})) << wanted.name;
    }
}

struct Refused {
    const char* name;
    std::string text;
    std::vector<std::string> said;  // parts of the message
    CsvOptions options = {};
};

const std::string kRow = "3,0,12,255,4\n";

std::vector<Refused> refused_cases()
{
    const auto pixel = [](const char* value) { return kHeader + kRow + "7,5," + value + ",7,8\n"; };
    const std::vector<std::string> at{"train.csv, line 3, column 3 (pixel1): ",
                                      "a whole number from 0 to 255"};
    const auto and_value = [&](const char* value) {
        return std::vector<std::string>{at[0], at[1], "\""s + value + "\""};
    };
    return {
        {"above 255", pixel("256"), and_value("256")},
        {"300 in a long line", pixel("300"), and_value("300")},
        {"negative", pixel("-1"), and_value("-1")},
        {"minus zero", pixel("-0"), and_value("-0")},
        {"a fraction", pixel("0.5"), and_value("0.5")},
        {"a nearly whole fraction", pixel("12.000001"), and_value("12.000001")},
        {"a decimal comma", "label;pixel0;pixel1;pixel2;pixel3\n3;0;12;255;4\n7;5;12,0;7;8\n",
         and_value("12,0")},
        {"an exponent", pixel("1e2"), and_value("1e2")},
        {"past 32 bits", pixel("4294967297"), and_value("4294967297")},
        {"past 64 bits", pixel("18446744073709551617"), and_value("18446744073709551617")},
        {"NaN", pixel("NaN"), and_value("NaN")},
        {"infinity", pixel("inf"), and_value("inf")},
        {"hexadecimal", pixel("0x1F"), and_value("0x1F")},
        {"a space within", pixel("1 2"), and_value("1 2")},
        {"an underscore within", pixel("1_2"), and_value("1_2")},
        {"empty", pixel(""), {at[0], at[1], "empty"}},
        {"only a space", pixel(" "), {at[0], at[1], "empty"}},
        {"a word", pixel("black"), and_value("black")},
        {"digits of another script", pixel("\xd9\xa1"), {at[0], at[1]}},
        {"a short row", kHeader + kRow + "7,5,6,7\n", {"line 3: there are 4 values where 5 are expected"}},
        {"a long row", kHeader + kRow + "7,5,6,7,8,9\n", {"line 3: there are 6 values where 5 are expected"}},
        {"a lost line end",
         kHeader + "3,0,12,255,47,5,6,7,8\n",
         {"line 2: there are 9 values where 5 are expected", "line end"}},
        {"a cut tail", kHeader + kRow + "7,5,6", {"line 3: there are 3 values", "cut off"}},
        {"a tail of zero bytes", kHeader + kRow + "7,5,6\0\0\0\0"s, {"line 3", "zero byte"}},
        {"a zero byte in a label", kHeader + "\0,0,12,255,4\n"s, {"line 2, column 1 (label)", "zero byte"}},
        {"a header in the middle", kHeader + kRow + kHeader + kRow, {"line 3", "header stands here again"}},
        {"a numeric header in the middle",
         "label,0,1,2,3\n" + kRow + "label,0,1,2,3\n",
         {"line 3", "header stands here again"}},
        {"an unclosed quote",
         kHeader + "3,0,\"12,255,4\n7,5,6,7,8\n",
         {"line 2, column 3 (pixel1)", "not closed"}},
        {"text after a quote",
         kHeader + "3,0,\"1\"2,255,4\n",
         {"line 2, column 3 (pixel1)", "after the closing quote"}},
        {"a doubled pixel name",
         "label,pixel0,pixel1,pixel1,pixel2\n" + kRow,
         {"line 1: columns 3 and 4 are both pixel pixel1"}},
        {"a missing pixel name",
         "label,pixel0,pixel1,pixel2,pixel4\n" + kRow,
         {"line 1", "pixel4", "no column pixel3"}},
        {"pixel names from 2", "label,pixel2,pixel3,pixel4,pixel5\n" + kRow, {"line 1", "begin with pixel2"}},
        {"a doubled grid name",
         "label,1x1,1x2,2x1,2x1\n" + kRow,
         {"column 4 (\"2x1\") and column 5 (\"2x1\") are the same pixel"}},
        {"a missing grid name", "label,1x1,1x2,2x2\n3,0,12,255\n", {"no column for the pixel 2x1"}},
        {"an unexplained id",
         "id,label,pixel0,pixel1,pixel2,pixel3\n1," + kRow,
         {"line 1: column 1 (\"id\")", "neither"}},
        {"an unexplained column without name",
         ",label,pixel0,pixel1,pixel2,pixel3\n1," + kRow,
         {"line 1: column 1 (\"\")", "neither"}},
        {"an unexplained id without header", "1,3,0,12,255,4\n", {"line 1: 5 pixels are not a square image"}},
        {"no label", "pixel0,pixel1,pixel2,pixel3\n0,12,255,4\n", {"line 1: no column is named label"}},
        {"no label and no header", "0,12,255,4\n", {"line 1: the 4 columns are an image without a label"}},
        {"two labels", "label,class,pixel0,pixel1,pixel2,pixel3\n3," + kRow, {"may both be the label"}},
        {"an empty label",
         kHeader + kRow + ",0,12,255,4\n",
         {"line 3, column 1 (label): the label is empty"}},
        {"a damaged last pixel without header",
         "2,0,224,194,0e\n2,8,4,0,0\n",
         {"line 1, column 5: \"0e\" is not"}},
        {"words and numbers as labels without header",
         "x,0,224,194,0\n2,8,4,0,0\n",
         {"line 2: the label is the number 2"}},
        {"a label that may be first or last", "0,1,1,1,0\n0,2,2,2,1\n", {"more like a label"}},
        {"a counting first row", "3,0,1,2,3\n" + kRow, {"line 1: the numbers count up"}},
        {"pixels of a colour image",
         "label,pixel0,pixel1,pixel2\n3,0,12,255\n",
         {
             "3 pixels are not a square",
         }},
        {"a wrong shape", kHeader + kRow, {"4 pixels", "3x3x1 has 9"}, with([](CsvOptions& o) {
             o.shape = ImageShape{3, 3, 1};
         })},
        {"an unknown label", kHeader + kRow, {"no column is named \"lable\""}, with([](CsvOptions& o) {
             o.label = {"lable"};
         })},
        {"a position beyond the columns", kRow, {"there is no column #9"}, with([](CsvOptions& o) {
             o.label = {"#9"};
         })},
        {"two ones",
         "cat,dog,pixel0,pixel1,pixel2,pixel3\n1,1,0,12,255,4\n",
         {"line 2, column 2 (dog)", "second class"},
         with([](CsvOptions& o) {
             o.label = {"cat", "dog"};
         })},
        {"no one",
         "cat,dog,pixel0,pixel1,pixel2,pixel3\n0,0,0,12,255,4\n",
         {"line 2: no class column is 1"},
         with([](CsvOptions& o) {
             o.label = {"cat", "dog"};
         })},
        {"a one-hot word",
         "cat,dog,pixel0,pixel1,pixel2,pixel3\n0,x,0,12,255,4\n",
         {"line 2, column 2 (dog): \"x\" is neither"},
         with([](CsvOptions& o) {
             o.label = {"cat", "dog"};
         })},
        {"too few pixels in one column",
         "label,pixels\n3,0 12 255 4\n7,5 6 7\n",
         {"line 3, column 2 (pixels): there are 3 pixels where 4"},
         with([](CsvOptions& o) { o.pixels = "pixels"; })},
        {"a bad pixel in one column",
         "label,pixels\n3,0 12 255 4\n7,5 6 777 8\n",
         {"line 3, column 2 (pixels): value 3, \"777\""},
         with([](CsvOptions& o) { o.pixels = "pixels"; })},
        {"a row without the trailing comma of others",
         kHeader + "3,0,12,255,4,\n7,5,6,7,8\n",
         {"line 3", "delimiter"}},
        {"one column", "label\n3\n", {"line 1: it is not clear what stands between columns"}},
        {"two delimiters", "1,2;3\n", {"line 1: it is not clear what stands between columns"}},
        // By kind.
        {"UTF-16", "\xff\xfel\0a\0b\0"s, {"is UTF-16"}},
        {"UTF-16, the other way round", "\xfe\xff\0l\0a"s, {"is UTF-16"}},
        {"UTF-16 without a mark", "l\0a\0b\0e\0l\0,\0p\0"s, {"is UTF-16"}},
        {"zip",
         "PK\x03\x04"
         "abcdef",
         {"is a zip archive"}},
        {"xz",
         "\xfd"
         "7zXZ\0abc"s,
         {"is xz data"}},
        {"bzip2", "BZh91AY&SY", {"is bzip2"}},
        {"7z",
         "7z\xbc\xaf\x27\x1c"
         "abc",
         {"is a 7z archive"}},
        {"tar", std::string(257, 'a') + "ustar" + std::string(20, '\0'), {"is a tar archive"}},
        {"a web page", "\n<!DOCTYPE html><html>", {"is a web page"}},
        {"an LFS pointer", "version https://git-lfs.github.com/spec/v1\noid sha256:0\n", {"Git LFS pointer"}},
        {"JSON", "{\"error\": \"not found\"}", {"is JSON"}},
        {"empty", "", {"is empty"}},
        {"only blank lines", "\n\n  \n", {"nothing but blank lines"}},
        {"only a header", kHeader, {"has a header, but no image"}},
        {"only a header without line end",
         "label,pixel0,pixel1,pixel2,pixel3",
         {"has a header, but no image"}},
        {"a cut gzip stream", "\x1f\x8b\x08\0\0\0\0\0"s, {"gzip", "ends in the middle"}},
        {"a damaged gzip stream", "\x1f\x8b\x08\0\0\0\0\0\0\x03\xff\xff\xff\xff"s, {"gzip", "is damaged"}},
    };
}

TEST(CsvFile, what_is_wrong_is_refused_with_its_place)
{
    for (const Refused& wanted : refused_cases()) {
        const auto read = read_text(wanted.text, wanted.options);
        ASSERT_FALSE(read) << wanted.name;
        for (const std::string& part : wanted.said) {
            EXPECT_NE(read.error().what.find(part), std::string::npos)
                << wanted.name << ": " << read.error().what;
        }
        EXPECT_TRUE(read.error().what.ends_with('.') && read.error().remedy.ends_with('.'))
            << wanted.name << ": " << read.error().what << read.error().remedy;
    }
}

TEST(CsvFile, images_that_are_not_square_or_have_channels_are_told_by_a_shape)
{
    const std::string text = "label,pixel0,pixel1,pixel2,pixel3,pixel4,pixel5\n1,1,2,3,4,5,6\n";
    const auto wide = read_text(text, with([](CsvOptions& o) { o.shape = ImageShape{2, 3, 1}; }));
    ASSERT_TRUE(wide);
    EXPECT_EQ(wide->shape, (ImageShape{2, 3, 1}));
    EXPECT_EQ(wide->images[0], (std::vector<int>{1, 2, 3, 4, 5, 6}));
    const auto planes = read_text(text, with([](CsvOptions& o) {
                                      o.shape = ImageShape{1, 2, 3};
                                      o.channels_first = true;
                                  }));
    ASSERT_TRUE(planes);
    // Planes 1 2, 3 4 and 5 6 become pixels 1 3 5 and 2 4 6.
    EXPECT_EQ(planes->images[0], (std::vector<int>{1, 3, 5, 2, 4, 6}));
}

TEST(CsvFile, a_test_table_may_lack_the_label_and_must_have_the_known_shape)
{
    const ImageShape known{2, 2, 1};
    const auto named = read_text("pixel0,pixel1,pixel2,pixel3\n0,12,255,4\n", {}, Part::test, known);
    ASSERT_TRUE(named) << named.error().what;
    EXPECT_TRUE(named->labels.empty());
    EXPECT_EQ(named->images[0], (std::vector<int>{0, 12, 255, 4}));
    EXPECT_TRUE(read_text("0,12,255,4\n", {}, Part::test, known)->labels.empty());
    EXPECT_EQ(read_text("9,0,12,255,4\n", {}, Part::test, known)->labels, (std::vector<std::string>{"9"}));
    const auto other = read_text("pixel0\n1\n", {}, Part::test, known);
    ASSERT_FALSE(other);
}

TEST(CsvFile, rows_longer_than_the_buffer_and_rows_across_its_end_are_read)
{
    // 300 x 300 images: a row of 320 kB is longer than the first buffer.
    const std::int64_t pixels = 300 * 300;
    for (const char* line_end : {"\n", "\r\n", "\r"}) {
        std::string text;
        for (int row = 0; row < 5; ++row) {
            text += std::to_string(row);
            for (std::int64_t p = 0; p < pixels; ++p) {
                text += ',' + std::to_string((p * 7 + row) % 256);
            }
            text += line_end;
        }
        const auto read = read_text(text);
        ASSERT_TRUE(read) << read.error().what;
        ASSERT_EQ(read->images.size(), 5u);
        for (int row = 0; row < 5; ++row) {
            for (std::int64_t p = 0; p < pixels; ++p) {
                ASSERT_EQ(read->images[row][p], (p * 7 + row) % 256) << row << ' ' << p;
            }
        }
    }
}

TEST(CsvFile, line_numbers_stay_right_over_many_rows_and_line_ends)
{
    for (const std::string line_end : {"\n", "\r\n", "\r", "\n\n"}) {
        std::string text = "label,pixel0,pixel1,pixel2,pixel3" + line_end;
        for (int row = 0; row < 40000; ++row) {
            text += "1,2,3,4,5" + line_end;
        }
        text += "1,2,3,4,x" + line_end;
        const auto read = read_text(text);
        ASSERT_FALSE(read);
        const std::string line = line_end == "\n\n" ? "line 80003," : "line 40002,";
        EXPECT_NE(read.error().what.find(line), std::string::npos) << read.error().what;
    }
}

std::string gzip(const std::string& text)
{
    z_stream stream{};
    EXPECT_EQ(::deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    std::string out(::deflateBound(&stream, text.size()) + 64, '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream.avail_in = static_cast<uInt>(text.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    EXPECT_EQ(::deflate(&stream, Z_FINISH), Z_STREAM_END);
    out.resize(stream.total_out);
    ::deflateEnd(&stream);
    return out;
}

std::string zstd(const std::string& text)
{
    std::string out(::ZSTD_compressBound(text.size()), '\0');
    out.resize(::ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
    return out;
}

TEST(CsvFile, gzip_and_zstd_are_read_whatever_the_name_also_in_several_pieces)
{
    std::string rows;
    for (int row = 0; row < 50000; ++row) {
        rows += "3,0,12,255,4\n";
    }
    for (const std::string& packed :
         {gzip(kHeader + rows), zstd(kHeader + rows), gzip(kHeader) + gzip(rows), zstd(kHeader) + zstd(rows),
          gzip(kHeader + rows) + std::string(512, '\0')}) {
        const auto read = read_text(packed);
        ASSERT_TRUE(read) << read.error().what;
        EXPECT_EQ(read->images.size(), 50000u);
        EXPECT_EQ(read->images.back(), (std::vector<int>{0, 12, 255, 4}));
    }
}

TEST(CsvFile, a_packed_stream_that_is_cut_anywhere_is_refused)
{
    const std::string text = kHeader + kRow + "7,5,6,7,8\n";
    for (const std::string& packed : {gzip(text), zstd(text)}) {
        for (std::size_t size = 5; size < packed.size(); ++size) {
            EXPECT_FALSE(read_text(packed.substr(0, size))) << size;
        }
    }
}

TEST(CsvFile, a_pipe_is_read_like_a_file)
{
    const TemporaryFolder folder;
    const std::string pipe = (folder / "pipe").string();
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    std::thread writer([&] { std::ofstream(pipe) << kHeader << kRow << std::flush << "7,5,6,7,8\n"; });
    const auto read = read_file_as(pipe, {});
    writer.join();
    ASSERT_TRUE(read) << read.error().what;
    EXPECT_EQ(read->images.size(), 2u);
}

TEST(CsvFile, a_missing_file_and_a_folder_are_errors)
{
    const TemporaryFolder folder;
    EXPECT_FALSE(read_file_as((folder / "none.csv").string(), {}));
    EXPECT_FALSE(read_file_as(folder.path().string(), {}));
}

}  // namespace
}  // namespace lockstep::data
