// `lockstep data import`.
#include <fmt/format.h>

#include <algorithm>

#include "harness/app/data_command.hpp"
#include "harness/app/exit_code.hpp"
#include "harness/app/surroundings.hpp"
#include "harness/data/import.hpp"
#include "harness/data/staging.hpp"

namespace lockstep::app {
namespace {

struct ImportCommand {
    std::vector<std::string> sources;
    std::string out;
    std::string size;
    std::string shape;
    std::string delimiter;
    std::string separator;
    bool header = false;
    bool no_header = false;
    std::vector<std::string> label;
    data::ImportOptions options;
};

Result<std::optional<char>> one_character(const char* option, const std::string& text)
{
    if (text.empty()) {
        return std::optional<char>{};
    }
    if (text == "tab" || text == "\\t") {
        return std::optional('\t');
    }
    if (text.size() != 1) {
        return fail(fmt::format("{} \"{}\" is not one character.", option, text),
                    fmt::format("Write {} ';' or {} tab.", option, option));
    }
    return std::optional(text[0]);
}

Result<data::ImportOptions> options_of(const ImportCommand& command)
{
    data::ImportOptions options = command.options;
    if (!command.size.empty()) {
        const auto size = data::parse_image_size(command.size);
        if (!size) {
            return tl::unexpected(size.error());
        }
        options.size = *size;
    }
    if (!command.shape.empty()) {
        const auto shape = data::parse_image_shape(command.shape);
        if (!shape) {
            return tl::unexpected(shape.error());
        }
        options.csv.shape = *shape;
    }
    const auto delimiter = one_character("--delimiter", command.delimiter);
    const auto separator = one_character("--separator", command.separator);
    if (!delimiter || !separator) {
        return tl::unexpected(!delimiter ? delimiter.error() : separator.error());
    }
    options.csv.delimiter = *delimiter;
    options.csv.separator = *separator;
    if (command.header || command.no_header) {
        options.csv.header = command.header;
    }
    options.csv.unlabelled = command.label == std::vector<std::string>{"none"};
    if (!options.csv.unlabelled) {
        options.csv.label = command.label;
    }
    return options;
}

int import(const ImportCommand& command)
{
    const Result<data::ImportOptions> options = options_of(command);
    if (!options) {
        return complain(options.error());
    }
    std::vector<std::string> sources = command.sources;
    const std::vector<std::string> names = data::builtin_names();
    const Result<data::Dataset> dataset = [&]() -> Result<data::Dataset> {
        if (sources.size() == 1 && std::find(names.begin(), names.end(), sources[0]) != names.end()) {
            data::StagingOptions staging;
            staging.cache = home_folder() / "data";
            staging.size = options->size;
            return data::stage(sources[0], staging);
        }
        return command.out.empty() ? data::import_into_cache(sources, *options, home_folder() / "data")
                                   : data::import_dataset(sources, *options, command.out);
    }();
    if (!dataset) {
        return complain(dataset.error());
    }
    print_dataset(*dataset);
    return kResolved;
}

}  // namespace

void add_data_import(CLI::App& data, Action& action)
{
    CLI::App* command = data.add_subcommand(
        "import", "Turn CSV, IDX, LMDB or a folder of images into a data set that every framework reads");
    auto given = std::make_shared<ImportCommand>();
    command->add_option("source", given->sources, "Files or folders, fashion-mnist, or - for standard input")
        ->required();
    command->add_option("--out,-o", given->out, "A new folder for the data set (lockstep's own cache)");
    command->add_option("--test", given->options.test, "Files or folders of the test part");
    command->add_option("--train-fraction", given->options.train_fraction,
                        "Split: this share is trained on, the rest tests");
    command->add_option("--split-seed", given->options.split_seed, "Of that split (42)");
    command->add_option("--size", given->size, "Resize every image: HxW");
    command->add_option("--shape", given->shape, "Of an image in a table: HxWxC");
    command->add_flag("--channels-first", given->options.csv.channels_first,
                      "Values come channel by channel");
    command->add_option("--delimiter", given->delimiter,
                        "Between columns; seen from the first line otherwise");
    command->add_flag("--header", given->header, "The first line is a header");
    command->add_flag("--no-header", given->no_header, "It is not");
    command->add_option("--label", given->label, "The label's column, none, or several one-hot columns A,B,C")
        ->delimiter(',');
    command->add_option("--ignore", given->options.csv.ignore, "Columns that are neither label nor pixel")
        ->delimiter(',');
    command->add_option("--pixels", given->options.csv.pixels,
                        "One column that holds all pixels of an image");
    command->add_option("--separator", given->separator, "Between the values in that column (spaces)");
    command->add_option("--name", given->options.name, "What people call the data set");
    command->add_flag("--synthetic", given->options.synthetic, "Say that the images were made, not taken");
    command->callback([given, &action] { action = [given] { return import(*given); }; });
}

}  // namespace lockstep::app
