// Sizes, then how many of each class, then which ones: the three steps of scikit-learn's
// StratifiedShuffleSplit, with its draws in its order.
#include "harness/data/split.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "harness/data/mersenne_twister.hpp"

namespace lockstep::data {
namespace {

using Counts = std::vector<std::int64_t>;

constexpr std::uint64_t kLargestSeed = 0xffffffffu;  // the generator is seeded with one 32-bit word

std::string to_text(const PartSize& size)
{
    return std::visit([](auto value) { return fmt::format("{}", value); }, size);
}

std::optional<Error> size_error(const char* part, const std::optional<PartSize>& size, std::int64_t images)
{
    if (!size) {
        return {};
    }
    const double* share = std::get_if<double>(&*size);
    const std::int64_t* count = std::get_if<std::int64_t>(&*size);
    const bool fits = share != nullptr ? *share > 0 && *share < 1 : *count > 0 && *count < images;
    if (fits) {
        return {};
    }
    return Error{fmt::format("The {} part cannot be {} of {} images.", part, to_text(*size), images),
                 fmt::format("Give a share between 0 and 1, such as 0.2, or a count from 1 to {}.",
                             std::max<std::int64_t>(images - 1, 1))};
}

// The images of each class, in order of index; classes without images are left out.
std::vector<Counts> images_by_class(std::span<const std::int32_t> labels)
{
    std::vector<Counts> classes;
    for (std::size_t i = 0; i < labels.size(); ++i) {
        const std::size_t label = static_cast<std::size_t>(labels[i]);
        if (label >= classes.size()) {
            classes.resize(label + 1);
        }
        classes[label].push_back(static_cast<std::int64_t>(i));
    }
    std::erase_if(classes, [](const Counts& images) { return images.empty(); });
    return classes;
}

// How many of `draws` fall to each class: its proportional share rounded down, then one more for the
// largest remainders until all are given; equal remainders draw lots. The arithmetic is in doubles, in
// this order of operations, because which remainders are equal depends on their rounding.
Counts proportional(const Counts& counts, std::int64_t draws, MersenneTwister& random)
{
    const double total = static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::int64_t{0}));
    Counts given(counts.size());
    std::vector<double> remainders(counts.size());
    std::int64_t missing = draws;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        const double share = static_cast<double>(counts[i]) / total * static_cast<double>(draws);
        given[i] = static_cast<std::int64_t>(std::floor(share));
        remainders[i] = share - std::floor(share);
        missing -= given[i];
    }
    std::vector<double> order = remainders;
    std::sort(order.begin(), order.end(), std::greater<>());
    order.erase(std::unique(order.begin(), order.end()), order.end());
    for (std::size_t rank = 0; rank < order.size() && missing > 0; ++rank) {
        Counts tied;
        for (std::size_t i = 0; i < remainders.size(); ++i) {
            if (remainders[i] == order[rank]) {
                tied.push_back(static_cast<std::int64_t>(i));
            }
        }
        random.shuffle(tied);
        const std::int64_t now = std::min<std::int64_t>(static_cast<std::int64_t>(tied.size()), missing);
        for (std::int64_t i = 0; i < now; ++i) {
            ++given[static_cast<std::size_t>(tied[static_cast<std::size_t>(i)])];
        }
        missing -= now;
    }
    return given;
}

Split draw(const std::vector<Counts>& classes, const SplitCounts& sizes, std::uint32_t seed)
{
    MersenneTwister random(seed);
    Counts left;
    for (const Counts& images : classes) {
        left.push_back(static_cast<std::int64_t>(images.size()));
    }
    const Counts train = proportional(left, sizes.train, random);
    for (std::size_t i = 0; i < left.size(); ++i) {
        left[i] -= train[i];
    }
    const Counts test = proportional(left, sizes.test, random);
    Split split;
    for (std::size_t c = 0; c < classes.size(); ++c) {
        const Counts order = random.permutation(static_cast<std::int64_t>(classes[c].size()));
        for (std::int64_t i = 0; i < train[c] + test[c]; ++i) {
            const std::int64_t image =
                classes[c][static_cast<std::size_t>(order[static_cast<std::size_t>(i)])];
            (i < train[c] ? split.train : split.test).push_back(image);
        }
    }
    random.shuffle(split.train);
    random.shuffle(split.test);
    return split;
}

std::optional<Error> seed_error(std::uint64_t seed)
{
    if (seed <= kLargestSeed) {
        return {};
    }
    return Error{fmt::format("The split seed {} is above {}.", seed, kLargestSeed),
                 "Give a seed of at most 32 bits."};
}

Error too_small(const char* part, std::int64_t count, std::size_t classes)
{
    return {fmt::format("The {} part of {} images is smaller than the number of classes, {}.", part, count,
                        classes),
            "Give it more images, so that every class can have one."};
}

}  // namespace

Result<SplitCounts> split_counts(std::int64_t images, const SplitSizes& sizes)
{
    SplitSizes wanted = sizes;
    if (!wanted.test && !wanted.train) {
        wanted.test = 0.25;
    }
    for (const auto& error :
         {size_error("test", wanted.test, images), size_error("train", wanted.train, images)}) {
        if (error) {
            return tl::unexpected(*error);
        }
    }
    const auto count = [&](const PartSize& size, bool up) {
        const double* share = std::get_if<double>(&size);
        if (share == nullptr) {
            return std::get<std::int64_t>(size);
        }
        const double exact = *share * static_cast<double>(images);
        return static_cast<std::int64_t>(up ? std::ceil(exact) : std::floor(exact));
    };
    const double* test_share = wanted.test ? std::get_if<double>(&*wanted.test) : nullptr;
    const double* train_share = wanted.train ? std::get_if<double>(&*wanted.train) : nullptr;
    SplitCounts counts;
    counts.test = wanted.test ? count(*wanted.test, true) : 0;
    counts.train = wanted.train ? count(*wanted.train, false) : images - counts.test;
    if (!wanted.test) {
        counts.test = images - counts.train;
    }
    if (counts.train + counts.test > images ||
        (test_share != nullptr && train_share != nullptr && *test_share + *train_share > 1)) {
        return fail(fmt::format("A train part of {} and a test part of {} do not fit into {} images.",
                                to_text(wanted.train.value_or(counts.train)),
                                to_text(wanted.test.value_or(counts.test)), images),
                    "Make one of them smaller.");
    }
    if (counts.train == 0) {
        return fail(fmt::format("Of {} images none is left for the train part.", images),
                    "Make the test part smaller, or the train part larger.");
    }
    return counts;
}

Result<Split> stratified_split(std::span<const std::int32_t> labels, const SplitSizes& sizes,
                               std::uint64_t seed)
{
    const Result<SplitCounts> counts = split_counts(static_cast<std::int64_t>(labels.size()), sizes);
    if (!counts) {
        return tl::unexpected(counts.error());
    }
    const std::vector<Counts> classes = images_by_class(labels);
    for (const Counts& images : classes) {
        if (images.size() < 2) {
            return fail(fmt::format("Class {} has a single image (number {}), so it cannot be in both parts.",
                                    labels[static_cast<std::size_t>(images.front())], images.front() + 1),
                        "Give every class at least two images, or leave this class out.");
        }
    }
    if (counts->train < static_cast<std::int64_t>(classes.size())) {
        return tl::unexpected(too_small("train", counts->train, classes.size()));
    }
    if (counts->test < static_cast<std::int64_t>(classes.size())) {
        return tl::unexpected(too_small("test", counts->test, classes.size()));
    }
    if (const auto error = seed_error(seed)) {
        return tl::unexpected(*error);
    }
    return draw(classes, *counts, static_cast<std::uint32_t>(seed));
}

Result<Split> shuffled_split(std::int64_t images, const SplitSizes& sizes, std::uint64_t seed)
{
    const Result<SplitCounts> counts = split_counts(images, sizes);
    if (!counts) {
        return tl::unexpected(counts.error());
    }
    if (const auto error = seed_error(seed)) {
        return tl::unexpected(*error);
    }
    MersenneTwister random(static_cast<std::uint32_t>(seed));
    const Counts order = random.permutation(images);
    const auto first = order.begin() + counts->test;
    return Split{{first, first + counts->train}, {order.begin(), first}};
}

Result<std::vector<std::int64_t>> stratified_part(std::span<const std::int32_t> labels, std::int64_t count,
                                                  std::uint64_t seed)
{
    const std::int64_t images = static_cast<std::int64_t>(labels.size());
    if (count < 1 || count > images) {
        return fail(fmt::format("A part cannot have {} of {} images.", count, images),
                    fmt::format("Give a count from 1 to {}.", images));
    }
    if (count == images) {
        std::vector<std::int64_t> all(labels.size());
        std::iota(all.begin(), all.end(), 0);
        return all;
    }
    const std::vector<Counts> classes = images_by_class(labels);
    if (count < static_cast<std::int64_t>(classes.size())) {
        return tl::unexpected(too_small("train", count, classes.size()));
    }
    if (const auto error = seed_error(seed)) {
        return tl::unexpected(*error);
    }
    Split split = draw(classes, {count, images - count}, static_cast<std::uint32_t>(seed));
    std::sort(split.train.begin(), split.train.end());
    return std::move(split.train);
}

}  // namespace lockstep::data
