// See the header; renaming a folder is atomic and fails when the target is a folder with anything in it.
#include "harness/data/dataset_writer.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

#include "harness/data/split.hpp"

namespace lockstep::data {
namespace {

namespace fs = std::filesystem;

tl::unexpected<Error> not_writable(const fs::path& path, const std::string& why)
{
    return fail(fmt::format("{} cannot be written: {}.", path.string(), why),
                "Check that the folder exists and that you may write to it.");
}

// Copies the images at `indices` (ascending) with plain reads: a mapping would count as resident memory.
Result<void> copy_images(const fs::path& from, std::size_t image_bytes,
                         const std::vector<std::int64_t>& indices, NpyStream& to)
{
    constexpr std::int64_t kHeader = 128;  // as NpyStream writes it
    const int fd = ::open(from.c_str(), O_RDONLY | O_CLOEXEC);
    std::vector<char> image(image_bytes);
    Result<void> copied;
    for (const std::int64_t index : indices) {
        const auto at = kHeader + index * static_cast<std::int64_t>(image_bytes);
        if (::pread(fd, image.data(), image.size(), at) != static_cast<ssize_t>(image.size())) {
            copied = fail(fmt::format("{} cannot be read back.", from.string()), "Check the disk.");
        } else {
            copied = to.add(image.data());
        }
        if (!copied) {
            break;
        }
    }
    ::close(fd);
    return copied;
}

}  // namespace

fs::path aside_of(const fs::path& target)
{
    static std::atomic<unsigned> counter{0};
    return target.parent_path() /
           fmt::format(".{}.part-{}-{}", target.filename().string(), ::getpid(), counter++);
}

Result<std::optional<Dataset>> made_already(const fs::path& target, const std::string& digest)
{
    std::error_code code;
    if (is_dataset(target)) {
        Result<Dataset> there = open_dataset(target);
        if (there && there->digest == digest) {
            return std::optional(std::move(*there));
        }
        return fail(fmt::format("{} already holds another data set.", target.string()),
                    "Give another --out, or remove the folder first.");
    }
    if (fs::exists(target, code) && !(fs::is_directory(target, code) && fs::is_empty(target, code))) {
        return fail(fmt::format("{} exists and is not an empty folder.", target.string()),
                    "Give another --out.");
    }
    return std::optional<Dataset>();
}

DatasetWriter::DatasetWriter(fs::path folder, const ImageShape& shape)
    : folder_(std::move(folder)), shape_(shape)
{
}

DatasetWriter::DatasetWriter(DatasetWriter&& other) noexcept
    : folder_(std::exchange(other.folder_, {})),
      shape_(other.shape_),
      train_(std::move(other.train_)),
      test_(std::move(other.test_)),
      train_labels_(std::move(other.train_labels_)),
      test_labels_(std::move(other.test_labels_))
{
}

DatasetWriter::~DatasetWriter()
{
    if (!folder_.empty()) {
        std::error_code none;
        fs::remove_all(folder_, none);
    }
}

Result<DatasetWriter> DatasetWriter::create(const fs::path& beside, const ImageShape& shape)
{
    const fs::path folder = aside_of(fs::absolute(beside));
    std::error_code code;
    fs::create_directories(folder, code);
    if (code) {
        return not_writable(folder.parent_path(), code.message());
    }
    return DatasetWriter(folder, shape);
}

Result<NpyStream> DatasetWriter::images_stream(const char* name) const
{
    return NpyStream::create(folder_ / name, NpyType::u8, {shape_.height, shape_.width, shape_.channels});
}

Result<void> DatasetWriter::add(Part part, std::span<const std::uint8_t> pixels,
                                std::optional<std::int32_t> label)
{
    std::optional<NpyStream>& images = part == Part::train ? train_ : test_;
    if (!images) {
        Result<NpyStream> made = images_stream(part == Part::train ? "train_images.npy" : "test_images.npy");
        if (!made) {
            return tl::unexpected(made.error());
        }
        images = std::move(*made);
    }
    if (label) {
        (part == Part::train ? train_labels_ : test_labels_).push_back(*label);
    }
    return images->add(pixels.data());
}

std::int64_t DatasetWriter::count(Part part) const
{
    const std::optional<NpyStream>& images = part == Part::train ? train_ : test_;
    return images ? images->count() : 0;
}

Result<void> DatasetWriter::split(double train_fraction, std::uint64_t seed,
                                  const std::vector<std::int32_t>& class_of)
{
    std::vector<std::int32_t> classes;
    for (const std::int32_t label : train_labels_) {
        classes.push_back(class_of[static_cast<std::size_t>(label)]);
    }
    Result<Split> parts = stratified_split(classes, {.test = {}, .train = PartSize(train_fraction)}, seed);
    if (!parts) {
        return tl::unexpected(parts.error());
    }
    const fs::path all = folder_ / "all_images.npy";
    std::error_code code;
    const Result<void> finished = train_->finish();
    fs::rename(folder_ / "train_images.npy", all, code);
    if (!finished || code) {
        return finished ? Result<void>(not_writable(all, code.message())) : finished;
    }
    const std::vector<std::int32_t> labels = std::exchange(train_labels_, {});
    for (const Part part : {Part::train, Part::test}) {
        std::vector<std::int64_t>& indices = part == Part::train ? parts->train : parts->test;
        std::sort(indices.begin(), indices.end());
        Result<NpyStream> made = images_stream(part == Part::train ? "train_images.npy" : "test_images.npy");
        if (!made) {
            return tl::unexpected(made.error());
        }
        std::optional<NpyStream>& images = part == Part::train ? train_ : test_;
        images = std::move(*made);
        if (Result<void> copied =
                copy_images(all, static_cast<std::size_t>(shape_.pixels()), indices, *images);
            !copied) {
            return copied;
        }
        for (const std::int64_t index : indices) {
            (part == Part::train ? train_labels_ : test_labels_)
                .push_back(labels[static_cast<std::size_t>(index)]);
        }
    }
    fs::remove(all, code);
    return {};
}

Result<void> DatasetWriter::write_part(const char* part, std::optional<NpyStream>& images,
                                       const std::vector<std::int32_t>& labels, bool labelled,
                                       const std::vector<std::int32_t>& class_of)
{
    if (!images) {
        return {};
    }
    Result<void> written = images->finish();
    if (!written || !labelled) {
        return written;
    }
    // Streamed as the images are: flushing to disk would wait for them as well.
    Result<NpyStream> classes =
        NpyStream::create(folder_ / fmt::format("{}_labels.npy", part), NpyType::i32, {});
    if (!classes) {
        return tl::unexpected(classes.error());
    }
    for (const std::int32_t label : labels) {
        if (written = classes->add(&class_of[static_cast<std::size_t>(label)]); !written) {
            return written;
        }
    }
    return classes->finish();
}

Result<Dataset> DatasetWriter::finish(Dataset about, const std::vector<std::int32_t>& class_of,
                                      const fs::path& target)
{
    about.height = shape_.height;
    about.width = shape_.width;
    about.channels = shape_.channels;
    about.train_count = count(Part::train);
    about.test_count = count(Part::test);
    about.test_has_labels =
        about.test_count > 0 && static_cast<std::int64_t>(test_labels_.size()) == about.test_count;
    about.folder = folder_;
    const Result<void> written =
        write_part("train", train_, train_labels_, true, class_of)
            .and_then(
                [&] { return write_part("test", test_, test_labels_, about.test_has_labels, class_of); })
            .and_then([&] { return write_description(about); });
    if (!written) {
        return tl::unexpected(written.error());
    }
    if (::rename(folder_.c_str(), target.c_str()) == 0) {
        folder_.clear();
        return open_dataset(target);
    }
    const int code = errno;
    if (is_dataset(target)) {
        Result<Dataset> there = open_dataset(target);
        if (there && there->digest == about.digest) {
            return there;
        }
        return fail(fmt::format("{} already holds another data set.", target.string()),
                    "Give another --out, or remove the folder first.");
    }
    return not_writable(
        target, code == ENOTEMPTY || code == EEXIST ? "it exists and is not empty" : std::strerror(code));
}

}  // namespace lockstep::data
