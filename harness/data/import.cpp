// The course of an import: find the items, look the result up, open all sources, stream them into a
// writer, settle classes and split, rename.
#include "harness/data/import.hpp"

#include <fmt/format.h>

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>

#include "harness/base/digest.hpp"
#include "harness/base/nearest_word.hpp"
#include "harness/data/csv_file.hpp"
#include "harness/data/dataset_writer.hpp"
#include "harness/data/idx_file.hpp"
#include "harness/data/image_folder.hpp"
#include "harness/data/label_table.hpp"
#include "harness/data/lmdb_file.hpp"
#include "harness/data/resize.hpp"
#include "harness/data/source_layout.hpp"

namespace lockstep::data {
namespace {

namespace fs = std::filesystem;

// Part of every digest: raised when the same source would give other files than before.
constexpr int kImporter = 1;

struct Source {
    SourceItem item;
    std::unique_ptr<ImageSource> images;
};

nlohmann::json shape_json(const ImageShape& shape)
{
    return {shape.height, shape.width, shape.channels};
}

// Everything that decides the result beside the bytes.
std::string options_text(const ImportOptions& options)
{
    const CsvOptions& csv = options.csv;
    nlohmann::json json{{"importer", kImporter},
                        {"label", csv.label},
                        {"unlabelled", csv.unlabelled},
                        {"ignore", csv.ignore},
                        {"channels_first", csv.channels_first},
                        {"synthetic", options.synthetic}};
    const auto set = [&json](const char* key, const auto& value) {
        if (value) {
            json[key] = *value;
        }
    };
    set("delimiter", csv.delimiter);
    set("header", csv.header);
    set("pixels", csv.pixels);
    set("separator", csv.separator);
    if (csv.shape) {
        json["shape"] = shape_json(*csv.shape);
    }
    if (options.size) {
        json["size"] = shape_json({options.size->height, options.size->width, 0});
    }
    if (options.train_fraction) {
        json["train_fraction"] = *options.train_fraction;
        json["split_seed"] = options.split_seed;
    }
    return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string digest_with(const std::string& source_digest, const ImportOptions& options)
{
    return digest_of(source_digest + options_text(options));
}

Result<std::vector<SourceItem>> find_items(const std::vector<std::string>& sources,
                                           const ImportOptions& options)
{
    std::vector<SourceItem> items;
    for (const Part part : {Part::train, Part::test}) {
        for (const std::string& path : part == Part::train ? sources : options.test) {
            const auto found = items_at(path, part);
            if (!found) {
                return found;
            }
            items.insert(items.end(), found->begin(), found->end());
        }
    }
    if (items.empty()) {
        return fail("No data was named.", "Name a file or folder to import.");
    }
    std::stable_sort(items.begin(), items.end(),
                     [](const SourceItem& a, const SourceItem& b) { return a.part < b.part; });
    if (options.train_fraction && items.back().part == Part::test) {
        return fail("A test part is given, so the training images cannot be split as well.",
                    "Leave out --train-fraction, or name the training file alone.");
    }
    return items;
}

template <class T>
Result<std::unique_ptr<ImageSource>> as_source(Result<std::unique_ptr<T>> opened)
{
    if (!opened) {
        return tl::unexpected(opened.error());
    }
    return std::unique_ptr<ImageSource>(std::move(*opened));
}

Result<std::unique_ptr<ImageSource>> open_item(const SourceItem& item, const ImportOptions& options,
                                               std::optional<ImageShape> known)
{
    switch (item.kind) {
        case SourceKind::csv:
            return as_source(CsvFile::open(item.path, options.csv, item.part, known));
        case SourceKind::idx:
            return as_source(IdxFile::open(item.path,
                                           item.labels.empty() ? std::nullopt : std::optional(item.labels),
                                           options.csv.channels_first));
        case SourceKind::image_folder:
            return as_source(ImageFolder::open(item.path, options.size, known));
        case SourceKind::lmdb:
            return as_source(LmdbFile::open(item.path));
    }
    std::abort();
}

std::string to_text(const ImageShape& shape)
{
    return fmt::format("{}x{}x{}", shape.height, shape.width, shape.channels);
}

Result<std::vector<Source>> open_all(const std::vector<SourceItem>& items, const ImportOptions& options)
{
    std::vector<Source> sources;
    std::optional<ImageShape> known;
    std::vector<std::string> unused = options.csv.ignore;
    bool any_table = false;
    for (const SourceItem& item : items) {
        auto opened = open_item(item, options, known);
        if (!opened) {
            return tl::unexpected(opened.error());
        }
        const ImageShape shape = (*opened)->shape();
        const std::optional<ImageShape> wanted = known ? known : options.csv.shape;
        if (wanted && *wanted != shape) {
            return fail(
                fmt::format("{} holds images of {}, not of {}.", item.path, to_text(shape), to_text(*wanted)),
                "All parts of a data set must have the same shape; see --shape and --channels-first.");
        }
        known = shape;
        if (item.part == Part::train && !(*opened)->has_labels()) {
            return fail(fmt::format("{} has no labels, so nothing can be trained on it.", item.path),
                        "Name the label column with --label, or put the label file beside the images.");
        }
        if (const auto* table = dynamic_cast<const CsvFile*>(opened->get())) {
            any_table = true;
            for (const std::string& used : table->ignores_used()) {
                std::erase(unused, used);
            }
        }
        sources.push_back({item, std::move(*opened)});
    }
    if (any_table && !unused.empty()) {
        return fail(fmt::format("No table has a column named \"{}\" (--ignore).", unused.front()),
                    "Give a name of the header, or a position such as #1.");
    }
    const bool some_test = items.back().part == Part::test;
    for (const Source& source : sources) {
        if (some_test && source.item.part == Part::test &&
            source.images->has_labels() != sources.back().images->has_labels()) {
            return fail(fmt::format("{} and {} are test data, but only one of them has labels.",
                                    source.item.path, items.back().path),
                        "Give all test files labels, or none.");
        }
    }
    return sources;
}

Result<void> stream(Source& source, DatasetWriter& writer, LabelTable& labels,
                    const std::optional<ImageSize>& size)
{
    const ImageShape shape = source.images->shape();
    const bool resizes = size && *size != shape.size();
    std::vector<std::uint8_t> image(static_cast<std::size_t>(shape.pixels()));
    std::vector<std::uint8_t> resized(
        resizes ? static_cast<std::size_t>(size->height * size->width * shape.channels) : 0);
    std::optional<Resizer> resizer;
    if (resizes) {
        resizer.emplace(shape, *size);
    }
    const bool labelled = source.images->has_labels();
    SourceLabel label;
    while (true) {
        const Result<bool> more = source.images->next(image, label);
        if (!more || !*more) {
            return more ? Result<void>() : Result<void>(tl::unexpected(more.error()));
        }
        std::optional<std::int32_t> id;
        if (labelled) {
            const Result<std::int32_t> found = labels.id_of(label.text, source.item.part, label.place);
            if (!found) {
                return tl::unexpected(found.error());
            }
            id = *found;
        }
        if (resizes) {
            resizer->resize(image, resized);
        }
        if (Result<void> added = writer.add(source.item.part, resizes ? resized : image, id); !added) {
            return added;
        }
    }
}

std::string name_of(const SourceItem& item)
{
    fs::path path = fs::path(item.path).lexically_normal();
    path = path.has_filename() ? path.filename() : path.parent_path().filename();
    const bool table_in_folder =
        path.string().starts_with("train.csv") || path.string().starts_with("train-images");
    return table_in_folder    ? fs::absolute(item.path).parent_path().filename().string()
           : item.path == "-" ? "standard input"
                              : path.string();
}

// The digest of a folder that was imported, if it is one.
bool holds(const fs::path& folder, const std::string& digest)
{
    const Result<Dataset> data =
        is_dataset(folder) ? open_dataset(folder) : Result<Dataset>(tl::unexpected(Error{}));
    return data && data->digest == digest;
}

Result<Dataset> import_items(const std::vector<SourceItem>& items, const ImportOptions& options,
                             const fs::path& beside,
                             const std::function<fs::path(const std::string& digest)>& target)
{
    Result<std::vector<Source>> sources = open_all(items, options);
    if (!sources) {
        return tl::unexpected(sources.error());
    }
    ImageShape shape = sources->front().images->shape();
    if (options.size) {
        shape = {options.size->height, options.size->width, shape.channels};
    }
    Result<DatasetWriter> writer = DatasetWriter::create(beside, shape);
    if (!writer) {
        return tl::unexpected(writer.error());
    }
    LabelTable labels;
    labels.declare(sources->front().images->declared_classes());
    std::vector<std::string> digests;
    for (Source& source : *sources) {
        if (Result<void> streamed = stream(source, *writer, labels, options.size); !streamed) {
            return tl::unexpected(streamed.error());
        }
        digests.push_back(source.images->digest());
    }
    const Result<Classes> classes = labels.classes();
    if (!classes) {
        return tl::unexpected(classes.error());
    }
    if (writer->count(Part::train) == 0) {
        return fail(fmt::format("{} holds no image.", items.front().path),
                    "Check that it is the right file.");
    }
    if (options.train_fraction) {
        if (Result<void> split =
                writer->split(*options.train_fraction, options.split_seed, classes->class_of);
            !split) {
            return tl::unexpected(split.error());
        }
    }
    Dataset about;
    about.name = options.name.value_or(name_of(items.front()));
    // The name goes wherever the data set is spoken of, and so must this.
    if (options.synthetic && about.name.find("synthetic") == std::string::npos) {
        about.name += " (synthetic)";
    }
    about.classes = classes->names;
    about.synthetic = options.synthetic;
    about.digest = digest_with(digest_of_digests(items, digests), options);
    return writer->finish(about, classes->class_of, target(about.digest));
}

Result<std::string> digest_beforehand(const std::vector<SourceItem>& items, const ImportOptions& options)
{
    return digest_of_items(items).map(
        [&](const std::string& digest) { return digest_with(digest, options); });
}

}  // namespace

Result<Dataset> import_dataset(const std::vector<std::string>& sources, const ImportOptions& options,
                               const fs::path& out)
{
    const Result<std::vector<SourceItem>> items = find_items(sources, options);
    if (!items) {
        return tl::unexpected(items.error());
    }
    std::error_code code;
    if (is_dataset(out) && can_be_read_twice(*items)) {
        const Result<std::string> digest = digest_beforehand(*items, options);
        if (!digest) {
            return tl::unexpected(digest.error());
        }
        if (holds(out, *digest)) {
            return open_dataset(out);
        }
        return fail(fmt::format("{} already holds another data set.", out.string()),
                    "Give another --out, or remove the folder first.");
    }
    if (!is_dataset(out) && fs::exists(out, code) &&
        !(fs::is_directory(out, code) && fs::is_empty(out, code))) {
        return fail(fmt::format("{} exists and is not an empty folder.", out.string()),
                    "Give another --out.");
    }
    const fs::path target = fs::absolute(out.has_filename() ? out : out.parent_path());
    return import_items(*items, options, target, [&](const std::string&) { return target; });
}

Result<Dataset> import_into_cache(const std::vector<std::string>& sources, const ImportOptions& options,
                                  const fs::path& cache)
{
    const Result<std::vector<SourceItem>> items = find_items(sources, options);
    if (!items) {
        return tl::unexpected(items.error());
    }
    if (can_be_read_twice(*items)) {
        const Result<std::string> digest = digest_beforehand(*items, options);
        if (!digest) {
            return tl::unexpected(digest.error());
        }
        const fs::path entry = cache / *digest;
        if (holds(entry, *digest)) {
            return open_dataset(entry);
        }
        std::error_code none;
        fs::remove_all(entry, none);  // nothing, or what is left of a broken entry
    }
    return import_items(*items, options, cache / "import",
                        [&](const std::string& digest) { return fs::absolute(cache) / digest; });
}

}  // namespace lockstep::data
