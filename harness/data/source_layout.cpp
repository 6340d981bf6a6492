// Looking for files by their customary names.
#include "harness/data/source_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "harness/base/digest.hpp"
#include "harness/data/dataset.hpp"
#include "harness/data/idx_file.hpp"
#include "harness/data/image_folder.hpp"

namespace lockstep::data {
namespace {

namespace fs = std::filesystem;

bool present(const fs::path& path)
{
    std::error_code none;
    return fs::exists(path, none);
}

std::optional<std::string> first_of(const fs::path& folder, const std::vector<std::string>& names)
{
    for (const std::string& name : names) {
        if (present(folder / name)) {
            return (folder / name).string();
        }
    }
    return {};
}

std::vector<SourceItem> tables_in(const fs::path& folder)
{
    std::vector<SourceItem> items;
    for (const Part part : {Part::train, Part::test}) {
        const std::string stem = part == Part::train ? "train.csv" : "test.csv";
        if (const auto path = first_of(folder, {stem, stem + ".gz", stem + ".zst"})) {
            items.push_back({SourceKind::csv, part, *path, ""});
        }
    }
    return items;
}

std::vector<SourceItem> idx_in(const fs::path& folder)
{
    std::vector<SourceItem> items;
    for (const Part part : {Part::train, Part::test}) {
        std::vector<std::string> names;
        for (const std::string stem : {part == Part::train ? "train" : "t10k", "test"}) {
            for (const char* rest :
                 {"-images-idx3-ubyte", "-images.idx3-ubyte", "-images-idx4-ubyte", "-images.idx4-ubyte"}) {
                if (part == Part::test || stem == "train") {
                    names.push_back(stem + rest);
                    names.push_back(stem + rest + ".gz");
                }
            }
        }
        if (const auto path = first_of(folder, names)) {
            items.push_back({SourceKind::idx, part, *path, idx_labels_beside(*path).value_or("")});
        }
    }
    return items;
}

std::vector<SourceItem> folders_in(const fs::path& folder, Part part)
{
    const auto one = [](const fs::path& path, Part its_part) -> std::optional<SourceItem> {
        if (present(path / "data.mdb")) {
            return SourceItem{SourceKind::lmdb, its_part, path.string(), ""};
        }
        if (has_class_folders(path)) {
            return SourceItem{SourceKind::image_folder, its_part, path.string(), ""};
        }
        return {};
    };
    std::vector<SourceItem> items;
    if (const auto train = one(folder / "train", Part::train)) {
        items.push_back(*train);
        if (const auto test = one(folder / "test", Part::test)) {
            items.push_back(*test);
        }
    } else if (const auto whole = one(folder, part)) {
        items.push_back(*whole);
    }
    return items;
}

}  // namespace

Result<std::vector<SourceItem>> items_at(const std::string& path, Part part)
{
    std::error_code code;
    if (path != "-" && !present(path)) {
        return fail(fmt::format("{} does not exist.", path), "Check the path of the data.");
    }
    if (path == "-" || !fs::is_directory(path, code)) {
        const bool regular = path != "-" && fs::is_regular_file(path, code);
        if (regular && is_idx_file(path)) {
            return std::vector<SourceItem>{
                {SourceKind::idx, part, path, idx_labels_beside(path).value_or("")}};
        }
        return std::vector<SourceItem>{{SourceKind::csv, part, path, ""}};
    }
    if (is_dataset(path)) {
        return fail(fmt::format("{} is an imported data set already.", path),
                    "Use it as it is: --data " + path + ".");
    }
    for (const auto& found : {tables_in(path), idx_in(path), folders_in(path, part)}) {
        if (found.empty()) {
            continue;
        }
        if (part == Part::test && found.size() == 1) {
            return std::vector<SourceItem>{{found[0].kind, part, found[0].path, found[0].labels}};
        }
        if (found.front().part == Part::test && part == Part::train) {
            return fail(fmt::format("{} holds test data ({}), but no training data.", path,
                                    fs::path(found.front().path).filename().string()),
                        "Add the training file beside it, or name the file itself.");
        }
        return found;
    }
    return fail(fmt::format("{} holds no data that lockstep knows.", path),
                "It looks for train.csv and test.csv, IDX files such as train-images-idx3-ubyte.gz, "
                "data.mdb, or a folder of "
                "images for each class.");
}

std::string digest_of_digests(const std::vector<SourceItem>& items, const std::vector<std::string>& digests)
{
    Digest all;
    for (std::size_t i = 0; i < items.size(); ++i) {
        all.add(fmt::format("{} {} {} {}\n", static_cast<int>(items[i].kind), static_cast<int>(items[i].part),
                            items[i].labels.empty() ? 0 : 1, digests[i]));
    }
    return all.hex();
}

Result<std::string> digest_of_item(const SourceItem& item)
{
    if (item.kind == SourceKind::csv) {
        return digest_of_file(item.path);
    }
    if (item.kind == SourceKind::lmdb) {
        return digest_of_file(fs::path(item.path) / "data.mdb");
    }
    if (item.kind == SourceKind::image_folder) {
        return digest_of_image_folder(item.path);
    }
    const Result<std::string> images = digest_of_file(item.path);
    const Result<std::string> labels =
        item.labels.empty() ? Result<std::string>(std::string()) : digest_of_file(item.labels);
    if (!images || !labels) {
        return images ? labels : images;
    }
    return digest_of(*images + *labels);
}

Result<std::string> digest_of_items(const std::vector<SourceItem>& items)
{
    std::vector<std::string> digests;
    for (const SourceItem& item : items) {
        Result<std::string> digest = digest_of_item(item);
        if (!digest) {
            return digest;
        }
        digests.push_back(*digest);
    }
    return digest_of_digests(items, digests);
}

bool can_be_read_twice(const std::vector<SourceItem>& items)
{
    return std::all_of(items.begin(), items.end(), [](const SourceItem& item) {
        std::error_code none;
        return item.path != "-" &&
               (fs::is_regular_file(item.path, none) || fs::is_directory(item.path, none));
    });
}

}  // namespace lockstep::data
