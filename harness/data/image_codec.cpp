// libpng's row interface, since its simplified one would convert gamma; TurboJPEG for JPEG.
#include "harness/data/image_codec.hpp"

#include <fmt/format.h>

#include <png.h>
#include <turbojpeg.h>

#include <algorithm>
#include <cstring>
#include <memory>

namespace lockstep::data {

namespace {

using Bytes = std::span<const std::uint8_t>;

tl::unexpected<Error> undecodable(const std::string& name, const std::string& why)
{
    return fail(fmt::format("{} cannot be decoded: {}.", name, why),
                "Remove the file or save it anew; nothing was imported.");
}

bool is_png(Bytes bytes)
{
    return bytes.size() >= 8 && ::png_sig_cmp(bytes.data(), 0, 8) == 0;
}
bool is_jpeg(Bytes bytes)
{
    return bytes.size() >= 3 && bytes[0] == 0xff && bytes[1] == 0xd8 && bytes[2] == 0xff;
}

// What libpng's callbacks see. It reports errors by longjmp, so nothing with a destructor may be made
// between setjmp and the calls that can fail.
struct PngReading {
    Bytes bytes;
    std::size_t used = 0;
    std::string error;
    DecodedImage image;
    std::vector<png_bytep> rows;
};

void png_read(png_structp png, png_bytep into, std::size_t size)
{
    auto* reading = static_cast<PngReading*>(::png_get_io_ptr(png));
    if (reading->bytes.size() - reading->used < size) {
        ::png_error(png, "the file ends early");
    }
    std::memcpy(into, reading->bytes.data() + reading->used, size);
    reading->used += size;
}

void png_failed(png_structp png, png_const_charp message)
{
    static_cast<PngReading*>(::png_get_error_ptr(png))->error = message;
    ::png_longjmp(png, 1);
}

void png_ignored(png_structp, png_const_charp) {}

bool read_png(PngReading& reading, bool pixels)
{
    png_structp png = ::png_create_read_struct(PNG_LIBPNG_VER_STRING, &reading, png_failed, png_ignored);
    png_infop info = ::png_create_info_struct(png);
    if (setjmp(png_jmpbuf(png)) != 0) {
        ::png_destroy_read_struct(&png, &info, nullptr);
        return false;
    }
    ::png_set_user_limits(png, kLargestSide, kLargestSide);
    ::png_set_read_fn(png, &reading, png_read);
    ::png_read_info(png, info);
    const bool grey = (::png_get_color_type(png, info) & PNG_COLOR_MASK_COLOR) == 0;
    reading.image.shape = {::png_get_image_height(png, info), ::png_get_image_width(png, info), grey ? 1 : 3};
    if (pixels) {
        ::png_set_expand(png);
        ::png_set_strip_16(png);
        ::png_set_strip_alpha(png);
        ::png_set_interlace_handling(png);
        ::png_read_update_info(png, info);
        const auto stride =
            static_cast<std::size_t>(reading.image.shape.width * reading.image.shape.channels);
        if (::png_get_rowbytes(png, info) != stride) {
            ::png_error(png, "its rows have an unknown form");
        }
        reading.image.pixels.resize(stride * static_cast<std::size_t>(reading.image.shape.height));
        reading.rows.resize(static_cast<std::size_t>(reading.image.shape.height));
        for (std::size_t y = 0; y < reading.rows.size(); ++y) {
            reading.rows[y] = reading.image.pixels.data() + y * stride;
        }
        ::png_read_image(png, reading.rows.data());
        ::png_read_end(png, nullptr);
    }
    ::png_destroy_read_struct(&png, &info, nullptr);
    return true;
}

Result<DecodedImage> read_jpeg(Bytes bytes, const std::string& name, bool pixels)
{
    const std::unique_ptr<void, int (*)(tjhandle)> decoder(::tjInitDecompress(), ::tjDestroy);
    int width = 0;
    int height = 0;
    int sampling = 0;
    int colours = 0;
    if (::tjDecompressHeader3(decoder.get(), bytes.data(), bytes.size(), &width, &height, &sampling,
                              &colours) != 0) {
        return undecodable(name, ::tjGetErrorStr2(decoder.get()));
    }
    if (width > kLargestSide || height > kLargestSide || colours == TJCS_CMYK || colours == TJCS_YCCK) {
        return undecodable(name, colours == TJCS_CMYK || colours == TJCS_YCCK
                                     ? "its colours are for print (CMYK)"
                                     : "it is too large");
    }
    DecodedImage image;
    image.shape = {height, width, colours == TJCS_GRAY ? 1 : 3};
    if (pixels) {
        image.pixels.resize(static_cast<std::size_t>(image.shape.pixels()));
        // The accurate transform: the fast one differs between processors.
        if (::tjDecompress2(decoder.get(), bytes.data(), bytes.size(), image.pixels.data(), width, 0, height,
                            colours == TJCS_GRAY ? TJPF_GRAY : TJPF_RGB, TJFLAG_ACCURATEDCT) != 0) {
            return undecodable(name, ::tjGetErrorStr2(decoder.get()));
        }
    }
    return image;
}

Result<DecodedImage> read(Bytes bytes, const std::string& name, bool pixels)
{
    if (is_jpeg(bytes)) {
        return read_jpeg(bytes, name, pixels);
    }
    if (!is_png(bytes)) {
        return undecodable(name, "it is neither PNG nor JPEG");
    }
    PngReading reading;
    reading.bytes = bytes;
    if (!read_png(reading, pixels)) {
        return undecodable(name, reading.error);
    }
    return std::move(reading.image);
}

}  // namespace

Result<ImageShape> decode_shape(std::span<const std::uint8_t> bytes, const std::string& name)
{
    return read(bytes, name, false).map([](const DecodedImage& image) { return image.shape; });
}

Result<DecodedImage> decode_image(std::span<const std::uint8_t> bytes, const std::string& name)
{
    return read(bytes, name, true);
}

}  // namespace lockstep::data
