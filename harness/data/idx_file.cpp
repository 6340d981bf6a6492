// Two byte streams read side by side.
#include "harness/data/idx_file.hpp"

#include <fmt/format.h>

#include <array>
#include <vector>

#include "harness/base/digest.hpp"
#include "harness/data/byte_source.hpp"
#include "harness/data/csv_schema.hpp"

namespace lockstep::data {
namespace {

constexpr char kUnsignedByte = 0x08;  // the format's code for the type of values
constexpr std::int64_t kMostImages = std::int64_t{1} << 31;
constexpr const char* kCheck = "Check that it is the right file and that its copy was complete.";

Result<std::vector<std::int64_t>> read_dimensions(ByteSource& source)
{
    std::array<char, 4> magic{};
    const Result<std::size_t> got = source.read(magic);
    if (!got) {
        return tl::unexpected(got.error());
    }
    if (*got != magic.size() || magic[0] != 0 || magic[1] != 0 || magic[2] != kUnsignedByte || magic[3] < 1 ||
        magic[3] > 4) {
        return fail(fmt::format("{} is not an IDX file of unsigned bytes.", source.name()), kCheck);
    }
    std::vector<std::int64_t> sizes;
    for (char d = 0; d < magic[3]; ++d) {
        std::array<char, 4> bytes{};
        const Result<std::size_t> size_got = source.read(bytes);
        if (!size_got) {
            return tl::unexpected(size_got.error());
        }
        if (*size_got != bytes.size()) {
            return fail(fmt::format("{} ends within its header.", source.name()), kCheck);
        }
        std::int64_t size = 0;
        for (const char byte : bytes) {
            size = size << 8 | static_cast<unsigned char>(byte);  // most significant byte first
        }
        sizes.push_back(size);
    }
    return sizes;
}

std::string replaced(std::string text, std::string_view from, std::string_view to)
{
    const std::size_t at = text.rfind(from);
    return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

}  // namespace

struct IdxFile::State {
    ByteSource images;
    std::optional<ByteSource> labels;
    ImageShape shape;
    bool channels_first = false;
    std::int64_t count = 0;
    std::int64_t given = 0;
    std::vector<std::uint8_t> planes;  // one image in the file's order, when that is not HWC
    std::string text;                  // of the label last given

    // Exactly `size` bytes.
    Result<void> take(ByteSource& source, void* into, std::size_t size, const char* what) const
    {
        const Result<std::size_t> got = source.read({static_cast<char*>(into), size});
        if (!got) {
            return tl::unexpected(got.error());
        }
        if (*got != size) {
            return fail(fmt::format("{} ends after {} of {} {}.", source.name(), given, count, what), kCheck);
        }
        return {};
    }

    Result<void> expect_end(ByteSource& source) const
    {
        char more = 0;
        const Result<std::size_t> got = source.read({&more, 1});
        if (!got) {
            return tl::unexpected(got.error());
        }
        if (*got != 0) {
            return fail(
                fmt::format("{} goes on after the {} items that its header names.", source.name(), count),
                kCheck);
        }
        return {};
    }
};

IdxFile::IdxFile(std::unique_ptr<State> state) : state_(std::move(state)) {}
IdxFile::~IdxFile() = default;

bool is_idx_file(const std::string& path)
{
    Result<ByteSource> source = ByteSource::open(path);
    return source && read_dimensions(*source).has_value();
}

std::optional<std::string> idx_labels_beside(const std::string& images)
{
    const std::filesystem::path path(images);
    std::string name = replaced(path.filename().string(), "images", "labels");
    name = replaced(replaced(name, "idx3", "idx1"), "idx4", "idx1");
    if (name == path.filename().string()) {
        return {};
    }
    const std::string plain = name.ends_with(".gz") ? name.substr(0, name.size() - 3) : name;
    for (const std::string& candidate : {name, plain, plain + ".gz"}) {
        std::error_code none;
        if (std::filesystem::exists(path.parent_path() / candidate, none)) {
            return (path.parent_path() / candidate).string();
        }
    }
    return {};
}

Result<std::unique_ptr<IdxFile>> IdxFile::open(const std::string& images,
                                               const std::optional<std::string>& labels, bool channels_first)
{
    Result<ByteSource> source = ByteSource::open(images);
    if (!source) {
        return tl::unexpected(source.error());
    }
    auto state = std::make_unique<State>(State{std::move(*source), {}, {}, channels_first, 0, 0, {}, {}});
    const auto sizes = read_dimensions(state->images);
    if (!sizes) {
        return tl::unexpected(sizes.error());
    }
    if (sizes->size() < 3) {
        return fail(fmt::format("{} has {} dimension(s), so it holds no images.", images, sizes->size()),
                    "Name the file with images; the one with labels is found beside it.");
    }
    const std::vector<std::int64_t>& n = *sizes;
    state->count = n[0];
    state->shape = n.size() == 3    ? ImageShape{n[1], n[2], 1}
                   : channels_first ? ImageShape{n[2], n[3], n[1]}
                                    : ImageShape{n[1], n[2], n[3]};
    const ImageShape& shape = state->shape;
    if (n[0] < 1 || n[0] > kMostImages || shape.height < 1 || shape.width < 1 || shape.channels < 1 ||
        shape.height > kLargestSide || shape.width > kLargestSide || shape.channels > 4) {
        return fail(fmt::format("{} says that it holds {} images of {}x{}x{}.", images, n[0], shape.height,
                                shape.width, shape.channels),
                    "Check the file; for images stored channel by channel say --channels-first.");
    }
    if (labels) {
        Result<ByteSource> opened = ByteSource::open(*labels);
        if (!opened) {
            return tl::unexpected(opened.error());
        }
        state->labels = std::move(*opened);
        const auto label_sizes = read_dimensions(*state->labels);
        if (!label_sizes) {
            return tl::unexpected(label_sizes.error());
        }
        if (label_sizes->size() != 1 || label_sizes->front() != state->count) {
            return fail(fmt::format("{} holds {} images, but {} does not hold as many labels.", images,
                                    state->count, *labels),
                        "Check that the two files belong together.");
        }
    }
    state->planes.resize(channels_first && shape.channels > 1 ? static_cast<std::size_t>(shape.pixels()) : 0);
    return std::unique_ptr<IdxFile>(new IdxFile(std::move(state)));
}

ImageShape IdxFile::shape() const
{
    return state_->shape;
}
bool IdxFile::has_labels() const
{
    return state_->labels.has_value();
}

Result<bool> IdxFile::next(std::span<std::uint8_t> pixels, SourceLabel& label)
{
    State& state = *state_;
    if (state.given == state.count) {
        return state.expect_end(state.images)
            .and_then([&] { return state.labels ? state.expect_end(*state.labels) : Result<void>(); })
            .map([] { return false; });
    }
    const bool planar = !state.planes.empty();
    Result<void> taken =
        state.take(state.images, planar ? state.planes.data() : pixels.data(), pixels.size(), "images");
    std::uint8_t value = 0;
    if (taken && state.labels) {
        taken = state.take(*state.labels, &value, 1, "labels");
    }
    if (!taken) {
        return tl::unexpected(taken.error());
    }
    for (std::size_t k = 0; k < state.planes.size(); ++k) {
        pixels[static_cast<std::size_t>(place_of(static_cast<std::int64_t>(k), state.shape, true))] =
            state.planes[k];
    }
    ++state.given;
    state.text = std::to_string(value);
    label = {state.text, {state.labels ? &state.labels->name() : &state.images.name(), 0}};
    return true;
}

std::string IdxFile::digest() const
{
    return digest_of(state_->images.digest() + (state_->labels ? state_->labels->digest() : std::string()));
}

}  // namespace lockstep::data
