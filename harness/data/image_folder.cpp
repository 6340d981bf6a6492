// All files are listed and their shapes read first, so that the one shape of the data set is known.
#include "harness/data/image_folder.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "harness/base/atomic_file.hpp"
#include "harness/base/digest.hpp"
#include "harness/data/image_codec.hpp"
#include "harness/data/resize.hpp"

namespace lockstep::data {
namespace {

namespace fs = std::filesystem;

struct Picture {
    fs::path path;
    std::size_t label = 0;  // index of its class folder
};

struct Listing {
    std::vector<std::string> classes;
    std::vector<Picture> pictures;
};

bool is_picture(const fs::path& path)
{
    std::string extension = path.extension().string();
    std::transform(extension.begin(), extension.end(), extension.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return extension == ".png" || extension == ".jpg" || extension == ".jpeg";
}

// What file managers leave behind.
bool is_left_behind(const fs::path& path)
{
    const std::string name = path.filename().string();
    return name.starts_with('.') || name == "Thumbs.db" || name == "desktop.ini";
}

std::vector<fs::path> sorted_entries(const fs::path& folder)
{
    std::vector<fs::path> entries;
    std::error_code none;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, none)) {
        if (!is_left_behind(entry.path())) {
            entries.push_back(entry.path());
        }
    }
    std::sort(entries.begin(), entries.end());
    return entries;
}

Result<Listing> list(const fs::path& folder)
{
    Listing listing;
    for (const fs::path& entry : sorted_entries(folder)) {
        if (!fs::is_directory(entry)) {
            return fail(fmt::format("{} lies beside the class folders.", entry.string()),
                        "Move it elsewhere, or into the folder of its class.");
        }
        for (const fs::path& file : sorted_entries(entry)) {
            if (!is_picture(file) || fs::is_directory(file)) {
                return fail(fmt::format("{} is neither a PNG nor a JPEG file.", file.string()),
                            "Convert it, or move it elsewhere; nothing was imported.");
            }
            listing.pictures.push_back({file, listing.classes.size()});
        }
        listing.classes.push_back(entry.filename().string());
    }
    if (listing.pictures.empty()) {
        return fail(fmt::format("{} holds no images in class folders.", folder.string()),
                    "Put the images of each class into a folder of its own.");
    }
    return listing;
}

std::span<const std::uint8_t> as_bytes(const std::string& text)
{
    return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

std::string to_text(const ImageShape& shape)
{
    return fmt::format("{}x{}x{}", shape.height, shape.width, shape.channels);
}

}  // namespace

struct ImageFolder::State {
    Listing listing;
    std::string digest;
    ImageShape shape;
    std::size_t given = 0;
    std::string file;                // of the image last given
    std::optional<ImageShape> last;  // what the resizer takes
    std::optional<Resizer> resizer;
    std::vector<std::uint8_t> resized;
};

bool has_class_folders(const fs::path& folder)
{
    std::error_code none;
    if (!fs::is_directory(folder, none)) {
        return false;
    }
    for (const fs::path& entry : sorted_entries(folder)) {
        if (fs::is_directory(entry, none)) {
            for (const fs::path& file : sorted_entries(entry)) {
                if (is_picture(file)) {
                    return true;
                }
            }
        }
    }
    return false;
}

Result<std::string> digest_of_image_folder(const fs::path& folder)
{
    const Result<Listing> listing = list(folder);
    if (!listing) {
        return tl::unexpected(listing.error());
    }
    Digest all;
    for (const std::string& name : listing->classes) {
        all.add(name + "\n");
    }
    for (const Picture& picture : listing->pictures) {
        const Result<std::string> digest = digest_of_file(picture.path);
        if (!digest) {
            return digest;
        }
        all.add(fmt::format("{} {} {}\n", picture.label, picture.path.filename().string(), *digest));
    }
    return all.hex();
}

ImageFolder::ImageFolder(std::unique_ptr<State> state) : state_(std::move(state)) {}
ImageFolder::~ImageFolder() = default;

Result<std::unique_ptr<ImageFolder>> ImageFolder::open(const std::string& path,
                                                       const std::optional<ImageSize>& size,
                                                       const std::optional<ImageShape>& known)
{
    Result<Listing> listing = list(path);
    const Result<std::string> digest = digest_of_image_folder(path);
    if (!listing || !digest) {
        return tl::unexpected(listing ? digest.error() : listing.error());
    }
    auto state = std::make_unique<State>();
    state->digest = *digest;
    std::optional<ImageShape> first;
    std::int64_t channels = 1;
    for (const Picture& picture : listing->pictures) {
        const Result<std::string> bytes = read_file(picture.path);
        const auto shape =
            bytes ? decode_shape(as_bytes(*bytes), picture.path.string()) : tl::unexpected(bytes.error());
        if (!shape) {
            return tl::unexpected(shape.error());
        }
        if (!size && first && first->size() != shape->size()) {
            return fail(fmt::format("{} is {}, but {} is {}.", listing->pictures.front().path.string(),
                                    to_text(*first), picture.path.string(), to_text(*shape)),
                        "Give --size HxW, so that all images are resized to one size.");
        }
        first = first ? first : *shape;
        channels = std::max(channels, shape->channels);
    }
    const ImageSize common = size ? *size : first->size();
    state->shape = {common.height, common.width, known ? std::max(known->channels, channels) : channels};
    state->listing = std::move(*listing);
    return std::unique_ptr<ImageFolder>(new ImageFolder(std::move(state)));
}

ImageShape ImageFolder::shape() const
{
    return state_->shape;
}
std::vector<std::string> ImageFolder::declared_classes() const
{
    return state_->listing.classes;
}
std::string ImageFolder::digest() const
{
    return state_->digest;
}

Result<bool> ImageFolder::next(std::span<std::uint8_t> pixels, SourceLabel& label)
{
    State& state = *state_;
    if (state.given == state.listing.pictures.size()) {
        return false;
    }
    const Picture& picture = state.listing.pictures[state.given++];
    state.file = picture.path.string();
    const Result<std::string> bytes = read_file(picture.path);
    Result<DecodedImage> image =
        bytes ? decode_image(as_bytes(*bytes), state.file) : tl::unexpected(bytes.error());
    if (!image) {
        return tl::unexpected(image.error());
    }
    const ImageShape common = state.shape;
    std::span<const std::uint8_t> values = image->pixels;
    if (image->shape.size() != common.size()) {
        if (state.last != image->shape) {
            state.last = image->shape;
            state.resizer.emplace(image->shape, common.size());
        }
        state.resized.resize(static_cast<std::size_t>(common.height * common.width * image->shape.channels));
        state.resizer->resize(image->pixels, state.resized);
        values = state.resized;
    }
    // A grey image among coloured ones has the same value in every channel.
    const auto repeat = static_cast<std::size_t>(common.channels / image->shape.channels);
    for (std::size_t i = 0; i < pixels.size(); ++i) {
        pixels[i] = values[i / repeat];
    }
    label = {state.listing.classes[picture.label], {&state.file, 0}};
    return true;
}

}  // namespace lockstep::data
