// `lockstep data`: the group of commands, `data info`, and what they share.
#include "harness/app/data_command.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "harness/app/exit_code.hpp"
#include "harness/app/surroundings.hpp"
#include "harness/base/console.hpp"
#include "harness/data/import.hpp"
#include "harness/data/staging.hpp"

namespace lockstep::app {
namespace {

void add_info(CLI::App& data, Action& action)
{
    CLI::App* command = data.add_subcommand("info", "What a data set holds");
    auto source = std::make_shared<std::string>();
    command->add_option("source", *source, "An imported folder, a name, or a folder with train.csv")
        ->required();
    command->callback([source, &action] {
        action = [source] {
            const Result<data::Dataset> dataset = open_source(*source);
            if (!dataset) {
                return complain(dataset.error());
            }
            print_dataset(*dataset);
            return static_cast<int>(kResolved);
        };
    });
}

}  // namespace

Result<data::Dataset> open_source(const std::string& source)
{
    std::error_code none;
    const std::filesystem::path cache = home_folder() / "data";
    if (std::filesystem::is_regular_file(source, none)) {
        return data::import_into_cache({source}, {}, cache);
    }
    data::StagingOptions options;
    options.cache = cache;
    return data::stage(source, options);
}

std::string last_line(std::string text)
{
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) {
        text.pop_back();
    }
    return text.substr(text.rfind('\n') + 1);
}

void print_dataset(const data::Dataset& dataset)
{
    put("{}\n  folder    {}\n  images    {}x{}x{}, {} to train on, {} to test{}\n", dataset.name,
        dataset.folder.string(), dataset.height, dataset.width, dataset.channels, dataset.train_count,
        dataset.test_count,
        dataset.test_count > 0 && !dataset.test_has_labels
            ? " (without labels: no accuracy, predictions only)"
            : "");
    if (dataset.synthetic) {
        put("  SYNTHETIC made by a program; nobody took these images\n");
    }
    put("  classes   {}:", dataset.classes.size());
    for (std::size_t i = 0; i < dataset.classes.size() && i < 20; ++i) {
        put(" {}", dataset.classes[i]);
    }
    put("{}\n  digest    {}\n", dataset.classes.size() > 20 ? " ..." : "", dataset.digest);
}

void add_data(CLI::App& program, Action& action)
{
    CLI::App* data = program.add_subcommand("data", "Import, check, split, export and make data sets");
    data->require_subcommand(1);
    add_data_import(*data, action);
    add_info(*data, action);
    add_data_validate(*data, action);
    add_data_split(*data, action);
    add_data_export(*data, action);
    add_data_fetch(*data, action);
    add_data_synth(*data, action);
}

}  // namespace lockstep::app
