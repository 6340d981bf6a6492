// See the header.
#include "harness/data/partition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <variant>

#include "harness/base/digest.hpp"
#include "harness/base/npy_file.hpp"
#include "harness/data/dataset_writer.hpp"

namespace lockstep::data {
namespace {

namespace fs = std::filesystem;

std::string size_text(const std::optional<PartSize>& size)
{
    return size ? std::visit([](auto value) { return fmt::format("{}", value); }, *size)
                : std::string("rest");
}

// Part of the result's digest: everything that decides it beside the data set's own digest.
std::string options_text(const PartitionOptions& options)
{
    return fmt::format(" partition 1 test {} train {} {} seed {}", size_text(options.sizes.test),
                       size_text(options.sizes.train), options.stratify ? "stratified" : "shuffled",
                       options.seed);
}

Result<void> copy_part(Part part, std::vector<std::int64_t> indices, const NpyFile& images,
                       const NpyFile& labels, const Dataset& data, DatasetWriter& writer)
{
    std::sort(indices.begin(), indices.end());
    const auto pixels = static_cast<std::size_t>(data.pixels());
    for (const std::int64_t index : indices) {
        const auto i = static_cast<std::size_t>(index);
        if (Result<void> added = writer.add(part, images.values<std::uint8_t>().subspan(i * pixels, pixels),
                                            labels.values<std::int32_t>()[i]);
            !added) {
            return added;
        }
    }
    return {};
}

}  // namespace

Result<Split> split_of(const Dataset& data, const PartitionOptions& options)
{
    if (data.test_count > 0 && !options.drop_test) {
        return fail(fmt::format("{} has a test part of {} images already.", data.name, data.test_count),
                    "Leave that one out and split the training images with --drop-test.");
    }
    if (!options.stratify) {
        return shuffled_split(data.train_count, options.sizes, options.seed);
    }
    const Result<NpyFile> labels = NpyFile::open(data.train_labels());
    if (!labels) {
        return tl::unexpected(labels.error());
    }
    return stratified_split(labels->values<std::int32_t>(), options.sizes, options.seed);
}

Result<Dataset> partition_dataset(const Dataset& data, const PartitionOptions& options, const fs::path& out)
{
    const fs::path target = fs::absolute(out.has_filename() ? out : out.parent_path());
    const std::string digest = digest_of(data.digest + options_text(options));
    if (Result<std::optional<Dataset>> there = made_already(target, digest); !there || *there) {
        return there.map([](std::optional<Dataset>& made) { return std::move(*made); });
    }
    const Result<Split> split = split_of(data, options);
    const Result<NpyFile> images = NpyFile::open(data.train_images());
    const Result<NpyFile> labels = NpyFile::open(data.train_labels());
    if (!split || !images || !labels) {
        return tl::unexpected(!split ? split.error() : !images ? images.error() : labels.error());
    }
    Result<DatasetWriter> writer = DatasetWriter::create(target, {data.height, data.width, data.channels});
    if (!writer) {
        return tl::unexpected(writer.error());
    }
    const Result<void> copied =
        copy_part(Part::train, split->train, *images, *labels, data, *writer).and_then([&] {
            return copy_part(Part::test, split->test, *images, *labels, data, *writer);
        });
    if (!copied) {
        return tl::unexpected(copied.error());
    }
    std::vector<std::int32_t> same(data.classes.size());
    std::iota(same.begin(), same.end(), 0);
    Dataset about;
    about.name = data.name;
    about.classes = data.classes;
    about.synthetic = data.synthetic;
    about.digest = digest;
    return writer->finish(about, same, target);
}

Result<Split> write_indices(const Dataset& data, const PartitionOptions& options, const fs::path& out)
{
    Result<Split> split = split_of(data, options);
    if (!split) {
        return split;
    }
    std::error_code code;
    fs::create_directories(out, code);
    if (code) {
        return fail(fmt::format("{} cannot be made: {}.", out.string(), code.message()),
                    "Give another --out.");
    }
    for (const bool test : {false, true}) {
        const fs::path path = out / (test ? "test_indices.npy" : "train_indices.npy");
        if (fs::exists(path, code)) {
            return fail(fmt::format("{} exists already.", path.string()),
                        "Give another --out, or remove the file first.");
        }
    }
    for (const bool test : {false, true}) {
        const std::vector<std::int64_t>& indices = test ? split->test : split->train;
        const Result<void> written =
            write_npy<std::int64_t>(out / (test ? "test_indices.npy" : "train_indices.npy"),
                                    {static_cast<std::int64_t>(indices.size())}, indices);
        if (!written) {
            return tl::unexpected(written.error());
        }
    }
    return split;
}

}  // namespace lockstep::data
