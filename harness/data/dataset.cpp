// dataset.json and the checks that files fit it.
#include "harness/data/dataset.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "harness/base/atomic_file.hpp"
#include "harness/base/npy_file.hpp"

namespace lockstep::data {
namespace {

constexpr int kFormat = 1;  // raised when a reader of the older form would misread the newer one
constexpr const char* kAgain = "Import the data again into another folder.";

std::filesystem::path description_path(const std::filesystem::path& folder)
{
    return folder / "dataset.json";
}

Result<void> check_file(const std::filesystem::path& path, NpyType type, const Shape& shape)
{
    const Result<NpyFile> file = NpyFile::open(path);
    if (!file) {
        return tl::unexpected(file.error());
    }
    if (file->type() != type || file->shape() != shape) {
        return fail(fmt::format("{} has another type or shape than its dataset.json says ({}).",
                                path.string(), fmt::join(shape, " x ")),
                    kAgain);
    }
    return {};
}

Result<void> check_files(const Dataset& data)
{
    const Shape image{data.height, data.width, data.channels};
    const auto images = [&](std::int64_t count) { return Shape{count, image[0], image[1], image[2]}; };
    Result<void> checked =
        check_file(data.train_images(), NpyType::u8, images(data.train_count)).and_then([&] {
            return check_file(data.train_labels(), NpyType::i32, {data.train_count});
        });
    if (checked && data.test_images()) {
        checked = check_file(*data.test_images(), NpyType::u8, images(data.test_count));
    }
    if (checked && data.test_labels()) {
        checked = check_file(*data.test_labels(), NpyType::i32, {data.test_count});
    }
    return checked;
}

tl::unexpected<Error> broken(const std::filesystem::path& folder, const std::string& why)
{
    return fail(fmt::format("{} is not a whole description of a data set: {}.",
                            description_path(folder).string(), why),
                kAgain);
}

}  // namespace

std::optional<std::filesystem::path> Dataset::test_images() const
{
    return test_count > 0 ? std::optional(folder / "test_images.npy") : std::nullopt;
}

std::optional<std::filesystem::path> Dataset::test_labels() const
{
    return test_count > 0 && test_has_labels ? std::optional(folder / "test_labels.npy") : std::nullopt;
}

bool is_dataset(const std::filesystem::path& folder)
{
    std::error_code none;
    return std::filesystem::exists(description_path(folder), none);
}

Result<Dataset> open_dataset(const std::filesystem::path& folder)
{
    if (!is_dataset(folder)) {
        return fail(fmt::format("{} is not an imported data set: it has no dataset.json.", folder.string()),
                    "Make one with: lockstep data import SOURCE --out FOLDER.");
    }
    const Result<std::string> text = read_file(description_path(folder));
    if (!text) {
        return tl::unexpected(text.error());
    }
    const nlohmann::json json = nlohmann::json::parse(*text, nullptr, false);
    if (!json.is_object() || !json.contains("format") || !json["format"].is_number_integer()) {
        return broken(folder, "it is not JSON with a format number");
    }
    if (json["format"] != kFormat) {
        return fail(fmt::format("{} has format {}; this program reads format {}.",
                                description_path(folder).string(), json["format"].dump(), kFormat),
                    kAgain);
    }
    Dataset data;
    data.folder = folder;
    try {
        json.at("name").get_to(data.name);
        json.at("height").get_to(data.height);
        json.at("width").get_to(data.width);
        json.at("channels").get_to(data.channels);
        json.at("classes").get_to(data.classes);
        json.at("train_count").get_to(data.train_count);
        json.at("test_count").get_to(data.test_count);
        json.at("test_has_labels").get_to(data.test_has_labels);
        json.at("synthetic").get_to(data.synthetic);
        json.at("digest").get_to(data.digest);
    } catch (const nlohmann::json::exception& problem) {
        return broken(folder, problem.what());
    }
    if (const Result<void> checked = check_files(data); !checked) {
        return tl::unexpected(checked.error());
    }
    return data;
}

Result<void> write_description(const Dataset& data)
{
    const nlohmann::ordered_json json{{"format", kFormat},
                                      {"name", data.name},
                                      {"height", data.height},
                                      {"width", data.width},
                                      {"channels", data.channels},
                                      {"classes", data.classes},
                                      {"train_count", data.train_count},
                                      {"test_count", data.test_count},
                                      {"test_has_labels", data.test_has_labels},
                                      {"synthetic", data.synthetic},
                                      {"digest", data.digest}};
    // Labels are the user's bytes and need not be UTF-8; what is not is replaced rather than thrown over.
    return write_file(description_path(data.folder),
                      json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n", Flush::no);
}

}  // namespace lockstep::data
