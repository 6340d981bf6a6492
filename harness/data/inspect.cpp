// One pass over the pixels for digests, ranges and moments; groups by sorting the digests.
#include "harness/data/inspect.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "harness/base/npy_file.hpp"

namespace lockstep::data {
namespace {

struct Seen {
    std::uint64_t high = 0;
    std::uint64_t low = 0;
    bool test = false;
    std::int64_t index = 0;

    auto key() const { return std::pair(high, low); }
    bool operator<(const Seen& other) const
    {
        return std::tuple(high, low, test, index) <
               std::tuple(other.high, other.low, other.test, other.index);
    }
};

struct Labels {
    std::optional<NpyFile> train;
    std::optional<NpyFile> test;

    std::optional<std::int32_t> of(const Seen& seen) const
    {
        const std::optional<NpyFile>& file = seen.test ? test : train;
        return file ? std::optional(file->values<std::int32_t>()[static_cast<std::size_t>(seen.index)])
                    : std::nullopt;
    }
};

Result<std::vector<std::int64_t>> count_classes(const NpyFile& labels, const Dataset& data)
{
    std::vector<std::int64_t> counts(data.classes.size());
    for (const std::int32_t label : labels.values<std::int32_t>()) {
        if (label < 0 || static_cast<std::size_t>(label) >= counts.size()) {
            return fail(fmt::format("{} holds the label {}, but there are {} classes.", data.folder.string(),
                                    label, counts.size()),
                        "Import the data again into another folder.");
        }
        ++counts[static_cast<std::size_t>(label)];
    }
    return counts;
}

void digest_images(const NpyFile& images, std::int64_t pixels, bool test, std::vector<Seen>& seen)
{
    const std::uint8_t* at = images.values<std::uint8_t>().data();
    const std::int64_t count = images.shape().front();
    for (std::int64_t i = 0; i < count; ++i) {
        const XXH128_hash_t hash = ::XXH3_128bits(at + i * pixels, static_cast<std::size_t>(pixels));
        seen.push_back({hash.high64, hash.low64, test, i});
    }
}

void measure_values(const NpyFile& images, Inspection& result)
{
    const std::uint8_t* at = images.values<std::uint8_t>().data();
    const auto pixels = static_cast<std::size_t>(result.pixels);
    std::vector<std::uint8_t> differs(pixels,
                                      0);  // bits in which a pixel has ever differed from the first image
    std::uint64_t sum = 0;
    double squares = 0.0;
    for (std::int64_t i = 0; i < images.shape().front(); ++i) {
        const std::uint8_t* const image = at + i * result.pixels;
        std::uint64_t image_squares = 0;
        for (std::size_t p = 0; p < pixels; ++p) {
            differs[p] = static_cast<std::uint8_t>(differs[p] | (image[p] ^ at[p]));
            sum += image[p];
            image_squares += static_cast<std::uint64_t>(image[p]) * image[p];
        }
        squares += static_cast<double>(image_squares);
    }
    const auto count = static_cast<double>(images.elements());
    result.constant_pixels = std::count(differs.begin(), differs.end(), 0);
    result.mean = static_cast<double>(sum) / count;
    result.deviation = std::sqrt(std::max(0.0, squares / count - result.mean * result.mean));
}

void group(std::span<const Seen> equal, const Labels& labels, Inspection& result)
{
    Repetition repetition;
    std::optional<std::int32_t> label;
    for (const Seen& seen : equal) {
        (seen.test ? repetition.test : repetition.train).push_back(seen.index);
        const auto its_label = labels.of(seen);
        repetition.labels_differ = repetition.labels_differ || (label && its_label && *label != *its_label);
        label = its_label ? its_label : label;
    }
    const auto train = static_cast<std::int64_t>(repetition.train.size());
    const auto test = static_cast<std::int64_t>(repetition.test.size());
    result.repeated_in_train += std::max<std::int64_t>(train - 1, 0);
    result.repeated_in_test += std::max<std::int64_t>(test - 1, 0);
    result.leaked += train > 0 ? test : 0;
    result.contradicting += repetition.labels_differ ? 1 : 0;
    result.examples.push_back(std::move(repetition));
}

}  // namespace

Result<Inspection> inspect(const Dataset& data)
{
    const Result<NpyFile> train = NpyFile::open(data.train_images());
    Result<NpyFile> train_labels = NpyFile::open(data.train_labels());
    if (!train || !train_labels) {
        return tl::unexpected(train ? train_labels.error() : train.error());
    }
    Inspection result;
    result.pixels = data.pixels();
    Labels labels{std::move(*train_labels), {}};
    const auto train_counts = count_classes(*labels.train, data);
    if (!train_counts) {
        return tl::unexpected(train_counts.error());
    }
    result.train_of_class = *train_counts;
    std::vector<Seen> seen;
    digest_images(*train, result.pixels, false, seen);
    measure_values(*train, result);
    if (data.test_images()) {
        const Result<NpyFile> test = NpyFile::open(*data.test_images());
        if (!test) {
            return tl::unexpected(test.error());
        }
        digest_images(*test, result.pixels, true, seen);
    }
    if (data.test_labels()) {
        Result<NpyFile> test_labels = NpyFile::open(*data.test_labels());
        const auto counts =
            test_labels ? count_classes(*test_labels, data) : tl::unexpected(test_labels.error());
        if (!counts) {
            return tl::unexpected(counts.error());
        }
        result.test_of_class = *counts;
        labels.test = std::move(*test_labels);
    }
    std::sort(seen.begin(), seen.end());
    for (std::size_t first = 0; first < seen.size();) {
        std::size_t last = first + 1;
        while (last < seen.size() && seen[last].key() == seen[first].key()) {
            ++last;
        }
        if (last - first > 1) {
            group(std::span(seen).subspan(first, last - first), labels, result);
        }
        first = last;
    }
    const auto order = [](const Repetition& r) {
        return std::tuple(r.train.empty() || r.test.empty(), r.train.empty(),
                          r.train.empty() ? r.test.front() : r.train.front());
    };
    std::sort(result.examples.begin(), result.examples.end(),
              [&](const Repetition& a, const Repetition& b) { return order(a) < order(b); });
    result.examples.resize(std::min(result.examples.size(), kRepetitionsShown));
    return result;
}

}  // namespace lockstep::data
