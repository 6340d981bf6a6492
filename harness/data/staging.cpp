// Names, folders, and the import behind them.
#include "harness/data/staging.hpp"

#include <fmt/format.h>

#include <array>

#include "harness/base/nearest_word.hpp"
#include "harness/data/import.hpp"

namespace lockstep::data {
namespace {

namespace fs = std::filesystem;

struct Builtin {
    const char* name;
    const char* folder;   // below StagingOptions::packaged
    const char* package;  // of the distribution
};
constexpr std::array<Builtin, 1> kBuiltins{{{"fashion-mnist", "fashion-mnist", "dataset-fashion-mnist"}}};

Result<Dataset> import_here(const fs::path& source, const StagingOptions& options,
                            std::optional<std::string> name)
{
    ImportOptions import_options;
    import_options.size = options.size;
    import_options.name = std::move(name);
    return import_into_cache({source.string()}, import_options, options.cache);
}

BuiltinPlace place_of(const Builtin& builtin, const StagingOptions& options)
{
    BuiltinPlace place{
        builtin.package, {}, options.packaged / builtin.folder, options.cache / "fetched" / builtin.folder};
    std::error_code none;
    for (const fs::path& folder : {place.packaged, place.own}) {
        if (!place.folder && fs::is_directory(folder, none)) {
            place.folder = folder;
        }
    }
    return place;
}

Result<Dataset> stage_builtin(const Builtin& builtin, const StagingOptions& options)
{
    const BuiltinPlace place = place_of(builtin, options);
    if (!place.folder) {
        return fail(fmt::format("The data set {} is not on this machine ({} is missing).", builtin.name,
                                place.packaged.string()),
                    fmt::format("Get it with: lockstep data fetch {} (Debian's package {}).", builtin.name,
                                builtin.package));
    }
    return import_here(*place.folder, options, builtin.name);
}

Result<Dataset> open_imported(const fs::path& folder, const StagingOptions& options)
{
    Result<Dataset> data = open_dataset(folder);
    if (data && options.size && *options.size != ImageSize{data->height, data->width}) {
        return fail(fmt::format("{} holds images of {}x{}, not of {}x{}.", folder.string(), data->height,
                                data->width, options.size->height, options.size->width),
                    "Import the source again with --size; an imported folder is never resized.");
    }
    return data;
}

}  // namespace

std::vector<std::string> builtin_names()
{
    std::vector<std::string> names;
    for (const Builtin& builtin : kBuiltins) {
        names.emplace_back(builtin.name);
    }
    return names;
}

Result<BuiltinPlace> find_builtin(const std::string& name, const StagingOptions& options)
{
    for (const Builtin& builtin : kBuiltins) {
        if (name == builtin.name) {
            return place_of(builtin, options);
        }
    }
    const std::vector<std::string> names = builtin_names();
    const auto near = nearest_word(name, names);
    return fail(fmt::format("There is no built-in data set \"{}\".", name),
                near ? fmt::format("Perhaps you mean {}.", *near)
                     : fmt::format("Name one of: {}.", join_words(names)));
}

Result<Dataset> stage(const std::string& input, const StagingOptions& options)
{
    for (const Builtin& builtin : kBuiltins) {
        if (input == builtin.name) {
            return stage_builtin(builtin, options);
        }
    }
    std::error_code none;
    if (is_dataset(input)) {
        return open_imported(input, options);
    }
    if (fs::is_directory(input, none)) {
        return import_here(input, options, {});
    }
    if (fs::exists(input, none)) {
        return fail(fmt::format("{} is a file where a folder is expected.", input),
                    fmt::format("Name the folder that holds train.csv and test.csv, or import the file "
                                "first: lockstep data import {} --out "
                                "FOLDER --train-fraction 0.8.",
                                input));
    }
    const std::vector<std::string> names = builtin_names();
    const auto near = nearest_word(input, names);
    return fail(
        fmt::format("There is no data set \"{}\": it is neither a folder nor a built-in name.", input),
        near ? fmt::format("Perhaps you mean {}.", *near)
             : fmt::format("Name an imported folder, a folder with train.csv and test.csv, or {}.",
                           join_words(names)));
}

}  // namespace lockstep::data
