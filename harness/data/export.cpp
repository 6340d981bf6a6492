// One function a format, all writing into a hidden folder that is renamed at the end.
#include "harness/data/export.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>

#include "harness/base/atomic_file.hpp"
#include "harness/base/npy_file.hpp"
#include "harness/data/dataset_writer.hpp"
#include "harness/data/lmdb_writer.hpp"

namespace lockstep::data {
namespace {

namespace fs = std::filesystem;

// Other formats have no place for this, and the images may travel on without the data set.
constexpr const char* kSynthetic =
    "These images were made by a program; nobody took them. Import them with --synthetic.\n";

// One part of a data set, mapped.
struct MappedPart {
    bool test = false;
    NpyFile images;
    std::optional<NpyFile> labels;

    std::int64_t count() const { return images.shape().front(); }
    std::span<const std::uint8_t> image(std::int64_t i, std::int64_t pixels) const
    {
        return images.values<std::uint8_t>().subspan(static_cast<std::size_t>(i * pixels),
                                                     static_cast<std::size_t>(pixels));
    }
    std::int32_t label(std::int64_t i) const
    {
        return labels ? labels->values<std::int32_t>()[static_cast<std::size_t>(i)] : 0;
    }
};

Result<std::vector<MappedPart>> map_parts(const Dataset& data)
{
    std::vector<MappedPart> parts;
    for (const bool test : {false, true}) {
        const auto images_path = test ? data.test_images() : std::optional(data.train_images());
        const auto labels_path = test ? data.test_labels() : std::optional(data.train_labels());
        if (!images_path) {
            continue;
        }
        Result<NpyFile> images = NpyFile::open(*images_path);
        if (!images) {
            return tl::unexpected(images.error());
        }
        MappedPart part{test, std::move(*images), {}};
        if (labels_path) {
            Result<NpyFile> labels = NpyFile::open(*labels_path);
            if (!labels) {
                return tl::unexpected(labels.error());
            }
            part.labels = std::move(*labels);
        }
        parts.push_back(std::move(part));
    }
    return parts;
}

// RFC 4180: quoted when it must be.
std::string csv_field(const std::string& text)
{
    if (text.find_first_of(",\"\r\n") == std::string::npos) {
        return text;
    }
    std::string quoted = "\"";
    for (const char c : text) {
        quoted += c == '"' ? "\"\"" : std::string(1, c);
    }
    return quoted + "\"";
}

Result<void> write_csv(const MappedPart& part, const Dataset& data, const fs::path& folder)
{
    std::array<std::string, 256> numbers;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        numbers[i] = "," + std::to_string(i);
    }
    Result<AtomicFile> file = AtomicFile::create(folder / (part.test ? "test.csv" : "train.csv"));
    if (!file) {
        return tl::unexpected(file.error());
    }
    // Every piece of a row begins with its comma; a row without a label leaves its first one out.
    const std::size_t skip = part.labels ? 0 : 1;
    std::string row = part.labels ? "label" : "";
    for (std::int64_t p = 0; p < data.pixels(); ++p) {
        row += fmt::format(",pixel{}", p);
    }
    Result<void> written =
        file->write(std::string_view(row).substr(skip)).and_then([&] { return file->write("\n"); });
    for (std::int64_t i = 0; i < part.count() && written; ++i) {
        row = part.labels ? csv_field(data.classes[static_cast<std::size_t>(part.label(i))]) : "";
        for (const std::uint8_t value : part.image(i, data.pixels())) {
            row += numbers[value];
        }
        row += '\n';
        written = file->write(std::string_view(row).substr(skip));
    }
    return written.and_then([&] { return file->commit(); });
}

std::string idx_header(std::initializer_list<std::int64_t> sizes)
{
    std::string header{'\0', '\0', '\x08', static_cast<char>(sizes.size())};
    for (const std::int64_t size : sizes) {
        for (int shift = 24; shift >= 0; shift -= 8) {
            header.push_back(static_cast<char>(size >> shift & 0xff));
        }
    }
    return header;
}

Result<void> write_idx(const MappedPart& part, const Dataset& data, const fs::path& folder)
{
    const bool grey = data.channels == 1;
    const std::string stem = part.test ? "t10k" : "train";
    Result<AtomicFile> images =
        AtomicFile::create(folder / fmt::format("{}-images-idx{}-ubyte", stem, grey ? 3 : 4));
    if (!images) {
        return tl::unexpected(images.error());
    }
    const auto values = part.images.values<std::uint8_t>();
    Result<void> written =
        images
            ->write(grey ? idx_header({part.count(), data.height, data.width})
                         : idx_header({part.count(), data.height, data.width, data.channels}))
            .and_then([&] { return images->write(values.data(), values.size()); })
            .and_then([&] { return images->commit(); });
    if (!written || !part.labels) {
        return written;
    }
    std::string labels = idx_header({part.count()});
    for (std::int64_t i = 0; i < part.count(); ++i) {
        labels.push_back(static_cast<char>(part.label(i)));
    }
    return write_file(folder / (stem + "-labels-idx1-ubyte"), labels);
}

Result<void> write_arrays(const MappedPart& part, const Dataset&, const fs::path& folder)
{
    const std::string stem = part.test ? "test" : "train";
    return write_npy<std::uint8_t>(folder / (stem + "_images.npy"), part.images.shape(),
                                   part.images.values<std::uint8_t>())
        .and_then([&] {
            return part.labels
                       ? write_npy<std::int32_t>(folder / (stem + "_labels.npy"), part.labels->shape(),
                                                 part.labels->values<std::int32_t>())
                       : Result<void>();
        });
}

Result<void> write_lmdb(const MappedPart& part, const Dataset& data, const fs::path& folder)
{
    Result<LmdbWriter> writer = LmdbWriter::create(folder / (part.test ? "test" : "train"),
                                                   {data.height, data.width, data.channels}, part.count());
    if (!writer) {
        return tl::unexpected(writer.error());
    }
    for (std::int64_t i = 0; i < part.count(); ++i) {
        if (Result<void> added = writer->add(part.image(i, data.pixels()), part.label(i)); !added) {
            return added;
        }
    }
    return writer->finish();
}

Result<void> write_classes(const Dataset& data, const fs::path& folder)
{
    std::string text;
    for (const std::string& name : data.classes) {
        text += name + "\n";
    }
    return write_file(folder / "classes.txt", text);
}

Result<void> write_all(const Dataset& data, ExportFormat format, const fs::path& folder)
{
    const auto parts = map_parts(data);
    if (!parts) {
        return tl::unexpected(parts.error());
    }
    for (const MappedPart& part : *parts) {
        const auto write = format == ExportFormat::csv   ? write_csv
                           : format == ExportFormat::idx ? write_idx
                           : format == ExportFormat::npy ? write_arrays
                                                         : write_lmdb;
        if (Result<void> written = write(part, data, folder); !written) {
            return written;
        }
    }
    return write_classes(data, folder).and_then([&]() -> Result<void> {
        return data.synthetic ? write_file(folder / "SYNTHETIC.txt", kSynthetic) : Result<void>();
    });
}

}  // namespace

Result<void> export_dataset(const Dataset& data, ExportFormat format, const fs::path& out)
{
    if (format == ExportFormat::idx && data.classes.size() > 256) {
        return fail(fmt::format("{} has {} classes; an IDX file holds labels of one byte.",
                                data.folder.string(), data.classes.size()),
                    "Export it as csv, npy or lmdb.");
    }
    std::error_code code;
    const fs::path target = fs::absolute(out.has_filename() ? out : out.parent_path());
    if (fs::exists(target, code) && !(fs::is_directory(target, code) && fs::is_empty(target, code))) {
        return fail(fmt::format("{} exists and is not an empty folder.", out.string()),
                    "Give another --out.");
    }
    const fs::path aside = aside_of(target);
    fs::create_directories(aside, code);
    if (code) {
        return fail(fmt::format("{} cannot be written: {}.", target.parent_path().string(), code.message()),
                    "Check that the folder exists and that you may write to it.");
    }
    Result<void> written = write_all(data, format, aside);
    if (written && std::rename(aside.c_str(), target.c_str()) != 0) {
        written = fail(fmt::format("{} cannot be written: {}.", target.string(), std::strerror(errno)),
                       "Give another --out.");
    }
    if (!written) {
        fs::remove_all(aside, code);
    }
    return written;
}

}  // namespace lockstep::data
