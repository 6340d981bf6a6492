// `lockstep data export`.
#include <fmt/format.h>

#include <map>

#include "harness/app/data_command.hpp"
#include "harness/app/exit_code.hpp"
#include "harness/app/surroundings.hpp"
#include "harness/base/console.hpp"
#include "harness/base/nearest_word.hpp"
#include "harness/data/export.hpp"

namespace lockstep::app {
namespace {

using data::ExportFormat;

const std::map<std::string, ExportFormat> kFormats{{"csv", ExportFormat::csv},
                                                   {"idx", ExportFormat::idx},
                                                   {"npy", ExportFormat::npy},
                                                   {"lmdb", ExportFormat::lmdb}};

Result<ExportFormat> format_of(const std::string& word)
{
    if (const auto at = kFormats.find(word); at != kFormats.end()) {
        return at->second;
    }
    std::vector<std::string> words;
    for (const auto& [name, format] : kFormats) {
        words.push_back(name);
    }
    return fail(fmt::format("There is no format \"{}\".", word),
                fmt::format("Give --format {}.", join_words(words)));
}

int write(const std::string& source, const std::string& word, const std::string& out)
{
    const Result<ExportFormat> format = format_of(word);
    if (!format) {
        return complain(format.error());
    }
    const Result<data::Dataset> dataset = open_source(source);
    if (!dataset) {
        return complain(dataset.error());
    }
    if (const Result<void> written = data::export_dataset(*dataset, *format, out); !written) {
        return complain(written.error());
    }
    put("{} as {}: {} training and {} test images in {}\n", dataset->name, word, dataset->train_count,
        dataset->test_count, out);
    return kResolved;
}

}  // namespace

void add_data_export(CLI::App& data, Action& action)
{
    struct Given {
        std::string source, format, out;
    };
    CLI::App* command =
        data.add_subcommand("export",
                            "Write a data set as other tools read it; importing it again gives "
                            "the same images and classes");
    auto given = std::make_shared<Given>();
    command->add_option("source", given->source, "An imported folder, a name, or a folder or file to import")
        ->required();
    command
        ->add_option("--format,-f", given->format,
                     "csv, idx, npy, or lmdb (uncompressed Datum records, three channels blue first)")
        ->required();
    command->add_option("--out,-o", given->out, "A new folder")->required();
    command->callback(
        [given, &action] { action = [given] { return write(given->source, given->format, given->out); }; });
}

}  // namespace lockstep::app
