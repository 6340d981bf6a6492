// See the header.
#include "harness/data/synthesis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "harness/base/digest.hpp"
#include "harness/base/random.hpp"
#include "harness/data/dataset_writer.hpp"
#include "harness/data/resize.hpp"

namespace lockstep::data {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kGrid = 4;
constexpr std::int64_t kMostClasses = std::int64_t{1} << 16;  // as many as an import takes
constexpr int kNoise = 48;                                    // grey levels, either way
constexpr std::uint64_t kLeastContrast = 40;                  // percent
// Purposes of Random: patterns count up from 0, images from here.
constexpr std::uint64_t kImages = std::uint64_t{1} << 32;

std::string text_of(const ImageShape& shape)
{
    return fmt::format("{}x{}x{}", shape.height, shape.width, shape.channels);
}

Result<void> check(const SynthesisOptions& options)
{
    if (options.classes < 2 || options.classes > kMostClasses) {
        return fail(fmt::format("{} classes cannot be made.", options.classes),
                    fmt::format("Give --classes from 2 to {}.", kMostClasses));
    }
    if (options.train < options.classes) {
        return fail(
            fmt::format("{} images are too few for {} classes.", options.train, options.classes),
            fmt::format("Give --rows of {} or more, so that every class has an image.", options.classes));
    }
    if (options.test < 0) {
        return fail(fmt::format("A test part of {} images cannot be made.", options.test),
                    "Give 0 for none, or a positive number.");
    }
    const ImageShape& shape = options.shape;
    const auto is_side = [](std::int64_t side) { return side >= 1 && side <= kLargestSide; };
    if (!is_side(shape.height) || !is_side(shape.width) || shape.channels < 1 || shape.channels > 4) {
        return fail(fmt::format("Images of {} cannot be made.", text_of(shape)),
                    "Give a size such as 28x28, and 1 to 4 channels.");
    }
    return {};
}

class Painter {
public:
    explicit Painter(const SynthesisOptions& options)
        : options_(options), pattern_(values()), image_(values())
    {
        const std::int64_t fit = kKeptBytes / options.shape.pixels();
        for (std::int64_t c = 0; c < std::min(options.classes, fit); ++c) {
            kept_.push_back(pattern(c));
        }
    }

    // Valid until the next call.
    std::span<const std::uint8_t> paint(std::int64_t index)
    {
        const std::int64_t label = index % options_.classes;
        if (label < std::ssize(kept_)) {
            return vary(kept_[static_cast<std::size_t>(label)], index);
        }
        pattern_ = pattern(label);
        return vary(pattern_, index);
    }

private:
    using Values = std::vector<std::uint8_t>;
    static constexpr std::int64_t kKeptBytes = 1 << 25;  // patterns beyond are made anew when needed

    std::size_t values() const { return static_cast<std::size_t>(options_.shape.pixels()); }

    Values pattern(std::int64_t label) const
    {
        Random random(options_.seed, static_cast<std::uint64_t>(label));
        const ImageShape grid{kGrid, kGrid, options_.shape.channels};
        Values levels(static_cast<std::size_t>(grid.pixels()));
        for (std::uint8_t& level : levels) {
            level = static_cast<std::uint8_t>(random.below(256));
        }
        Values enlarged(values());
        Resizer(grid, options_.shape.size()).resize(levels, enlarged);
        return enlarged;
    }

    std::span<const std::uint8_t> vary(const Values& pattern, std::int64_t index)
    {
        Random random(options_.seed, kImages + static_cast<std::uint64_t>(index));
        const ImageShape& shape = options_.shape;
        const auto shift = [&](std::int64_t side) {
            const std::int64_t most = side / 8;
            return static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(2 * most + 1))) - most;
        };
        const std::int64_t down = shift(shape.height);
        const std::int64_t right = shift(shape.width);
        const int contrast = static_cast<int>(kLeastContrast + random.below(101 - kLeastContrast));
        std::size_t at = 0;
        for (std::int64_t y = 0; y < shape.height; ++y) {
            const std::int64_t from_y = std::clamp<std::int64_t>(y + down, 0, shape.height - 1);
            for (std::int64_t x = 0; x < shape.width; ++x) {
                const std::int64_t from_x = std::clamp<std::int64_t>(x + right, 0, shape.width - 1);
                for (std::int64_t c = 0; c < shape.channels; ++c) {
                    const int level = pattern[static_cast<std::size_t>(
                        (from_y * shape.width + from_x) * shape.channels + c)];
                    const int noise = static_cast<int>(random.below(2 * kNoise + 1)) - kNoise;
                    image_[at++] = static_cast<std::uint8_t>(
                        std::clamp(128 + (level - 128) * contrast / 100 + noise, 0, 255));
                }
            }
        }
        return image_;
    }

    const SynthesisOptions& options_;
    std::vector<Values> kept_;
    Values pattern_;
    Values image_;
};

}  // namespace

Result<Dataset> synthesise(const SynthesisOptions& options, const fs::path& out)
{
    if (Result<void> checked = check(options); !checked) {
        return tl::unexpected(checked.error());
    }
    Dataset about;
    about.name = fmt::format("synthetic {}, {} classes, seed {}", text_of(options.shape), options.classes,
                             options.seed);
    about.synthetic = true;
    about.digest =
        digest_of(fmt::format("synthesis 1, {}, {} train, {} test", about.name, options.train, options.test));
    for (std::int64_t c = 0; c < options.classes; ++c) {
        about.classes.push_back(std::to_string(c));
    }
    const fs::path target = fs::absolute(out.has_filename() ? out : out.parent_path());
    if (Result<std::optional<Dataset>> there = made_already(target, about.digest); !there || *there) {
        return there.map([](std::optional<Dataset>& made) { return std::move(*made); });
    }
    Result<DatasetWriter> writer = DatasetWriter::create(target, options.shape);
    if (!writer) {
        return tl::unexpected(writer.error());
    }
    Painter painter(options);
    for (std::int64_t i = 0; i < options.train + options.test; ++i) {
        const Result<void> added = writer->add(i < options.train ? Part::train : Part::test, painter.paint(i),
                                               static_cast<std::int32_t>(i % options.classes));
        if (!added) {
            return tl::unexpected(added.error());
        }
    }
    std::vector<std::int32_t> same(static_cast<std::size_t>(options.classes));
    std::iota(same.begin(), same.end(), 0);
    return writer->finish(about, same, target);
}

}  // namespace lockstep::data
