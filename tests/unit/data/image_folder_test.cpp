// Folders of PNG and JPEG files by class. The files are made here with the same libraries.
#include "harness/data/image_folder.hpp"

#include <gtest/gtest.h>

#include <png.h>
#include <turbojpeg.h>

#include "harness/base/npy_file.hpp"
#include "harness/data/image_codec.hpp"
#include "harness/data/import.hpp"
#include "tests/unit/data/temporary_folder.hpp"

namespace lockstep::data {
namespace {

void write_png(const std::filesystem::path& path, const std::vector<std::uint8_t>& pixels, unsigned height,
               unsigned width, unsigned format)
{
    std::filesystem::create_directories(path.parent_path());
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    image.width = width;
    image.height = height;
    image.format = format;
    ASSERT_NE(::png_image_write_to_file(&image, path.c_str(), 0, pixels.data(), 0, nullptr), 0)
        << image.message;
}

std::string jpeg(std::vector<std::uint8_t> grey, int side)
{
    tjhandle encoder = ::tjInitCompress();
    unsigned char* bytes = nullptr;
    unsigned long size = 0;
    EXPECT_EQ(::tjCompress2(encoder, grey.data(), side, 0, side, TJPF_GRAY, &bytes, &size, TJSAMP_GRAY, 100,
                            TJFLAG_ACCURATEDCT),
              0);
    std::string text(reinterpret_cast<char*>(bytes), size);
    ::tjFree(bytes);
    ::tjDestroy(encoder);
    return text;
}

std::vector<int> train_pixels(const Dataset& data)
{
    const auto npy = NpyFile::open(data.train_images()).value();
    const auto values = npy.values<std::uint8_t>();
    return {values.begin(), values.end()};
}

TEST(ImageFolder, classes_are_folders_and_grey_images_have_one_channel)
{
    const TemporaryFolder folder;
    write_png(folder / "in/dog/b.png", {5, 6}, 1, 2, PNG_FORMAT_GRAY);
    write_png(folder / "in/dog/a.png", {3, 4}, 1, 2, PNG_FORMAT_GRAY);
    write_png(folder / "in/cat/x.PNG", {1, 2}, 1, 2, PNG_FORMAT_GRAY);
    folder.file("in/cat/.hidden", "x");
    const auto data = import_dataset({(folder / "in").string()}, {}, folder / "out");
    ASSERT_TRUE(data) << data.error().what;
    EXPECT_EQ(data->classes, (std::vector<std::string>{"cat", "dog"}));
    EXPECT_EQ(data->channels, 1);
    EXPECT_EQ(train_pixels(*data), (std::vector<int>{1, 2, 3, 4, 5, 6}));
    EXPECT_TRUE(import_dataset({(folder / "in").string()}, {}, folder / "out"));
}

TEST(ImageFolder, one_coloured_image_makes_all_of_them_coloured_and_transparency_is_dropped)
{
    const TemporaryFolder folder;
    write_png(folder / "in/a/1.png", {9}, 1, 1, PNG_FORMAT_GRAY);
    write_png(folder / "in/a/2.png", {1, 2, 3, 0}, 1, 1, PNG_FORMAT_RGBA);
    const auto data = import_dataset({(folder / "in").string()}, {}, folder / "out");
    ASSERT_TRUE(data) << data.error().what;
    EXPECT_EQ(train_pixels(*data), (std::vector<int>{9, 9, 9, 1, 2, 3}));
}

TEST(ImageFolder, train_and_test_folders_are_parts_with_the_same_classes)
{
    const TemporaryFolder folder;
    write_png(folder / "in/train/a/1.png", {1}, 1, 1, PNG_FORMAT_GRAY);
    write_png(folder / "in/train/b/1.png", {2}, 1, 1, PNG_FORMAT_GRAY);
    write_png(folder / "in/test/b/1.png", {3}, 1, 1, PNG_FORMAT_GRAY);
    const auto data = import_dataset({(folder / "in").string()}, {}, folder / "out").value();
    EXPECT_EQ(data.test_count, 1);
    EXPECT_EQ(NpyFile::open(*data.test_labels())->values<std::int32_t>()[0], 1);
}

TEST(ImageFolder, jpeg_is_decoded)
{
    const TemporaryFolder folder;
    folder.file("in/a/1.jpg", jpeg(std::vector<std::uint8_t>(64, 77), 8));
    const auto data = import_dataset({(folder / "in").string()}, {}, folder / "out");
    ASSERT_TRUE(data) << data.error().what;
    EXPECT_EQ(train_pixels(*data), std::vector<int>(64, 77));
}

TEST(ImageFolder, different_sizes_need_a_size)
{
    const TemporaryFolder folder;
    write_png(folder / "in/a/1.png", {7}, 1, 1, PNG_FORMAT_GRAY);
    write_png(folder / "in/a/2.png", {8, 8}, 1, 2, PNG_FORMAT_GRAY);
    EXPECT_FALSE(import_dataset({(folder / "in").string()}, {}, folder / "out"));
    ImportOptions options;
    options.size = ImageSize{2, 2};
    const auto data = import_dataset({(folder / "in").string()}, options, folder / "out");
    ASSERT_TRUE(data) << data.error().what;
    EXPECT_EQ(train_pixels(*data), (std::vector<int>{7, 7, 7, 7, 8, 8, 8, 8}));
}

TEST(ImageFolder, damaged_and_foreign_files_are_refused_by_name)
{
    const std::string whole = jpeg(std::vector<std::uint8_t>(64 * 64, 77), 64);
    for (const auto& [name, bytes] :
         std::vector<std::pair<std::string, std::string>>{{"in/a/x.jpg", whole.substr(0, whole.size() / 2)},
                                                          {"in/a/x.png", "\x89PNG\r\n\x1a\nrest"},
                                                          {"in/a/x.png", "text"},
                                                          {"in/a/x.gif", "GIF89a"}}) {
        const TemporaryFolder folder;
        write_png(folder / "in/a/1.png", std::vector<std::uint8_t>(64 * 64, 1), 64, 64, PNG_FORMAT_GRAY);
        folder.file(name, bytes);
        const auto data = import_dataset({(folder / "in").string()}, {}, folder / "out");
        ASSERT_FALSE(data) << name;
        EXPECT_NE(data.error().what.find("x."), std::string::npos) << data.error().what;
        EXPECT_FALSE(std::filesystem::exists(folder / "out"));
    }
}

}  // namespace
}  // namespace lockstep::data
