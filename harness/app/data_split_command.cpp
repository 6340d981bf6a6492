// `lockstep data split`.
#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "harness/app/data_command.hpp"
#include "harness/app/exit_code.hpp"
#include "harness/app/surroundings.hpp"
#include "harness/base/console.hpp"
#include "harness/data/partition.hpp"

namespace lockstep::app {
namespace {

struct SplitCommand {
    std::string source;
    std::string out;
    std::string test;
    std::string train;
    bool indices = false;
    data::PartitionOptions options;
};

// "0.2" is a share, "2000" a count of images; absent: nothing was said.
Result<std::optional<data::PartSize>> part_size(const char* option, const std::string& text)
{
    if (text.empty()) {
        return std::optional<data::PartSize>();
    }
    const char* const end = text.data() + text.size();
    std::int64_t count = 0;
    if (const auto read = std::from_chars(text.data(), end, count);
        read.ec == std::errc() && read.ptr == end) {
        return std::optional<data::PartSize>(count);
    }
    double share = 0;
    if (const auto read = std::from_chars(text.data(), end, share);
        read.ec == std::errc() && read.ptr == end && share > 0 && share < 1) {
        return std::optional<data::PartSize>(share);
    }
    return fail(fmt::format("{} {} is neither a share between 0 and 1 nor a count of images.", option, text),
                fmt::format("Write {} 0.2, or {} 10000.", option, option));
}

int split(SplitCommand command)
{
    const auto test = part_size("--test", command.test);
    const auto train = part_size("--train", command.train);
    if (!test || !train) {
        return complain(!test ? test.error() : train.error());
    }
    command.options.sizes = {*test, *train};
    const Result<data::Dataset> source = open_source(command.source);
    if (!source) {
        return complain(source.error());
    }
    if (command.indices) {
        const Result<data::Split> parts = data::write_indices(*source, command.options, command.out);
        if (!parts) {
            return complain(parts.error());
        }
        put("{}: {} indices in train_indices.npy, {} in test_indices.npy, in {}\n", source->name,
            parts->train.size(), parts->test.size(), command.out);
        return kResolved;
    }
    const Result<data::Dataset> made = data::partition_dataset(*source, command.options, command.out);
    if (!made) {
        return complain(made.error());
    }
    print_dataset(*made);
    return kResolved;
}

}  // namespace

void add_data_split(CLI::App& data, Action& action)
{
    CLI::App* command =
        data.add_subcommand("split",
                            "Make a training and a test part, with the same images in each as scikit-learn's "
                            "train_test_split with that random_state");
    auto given = std::make_shared<SplitCommand>();
    command->add_option("source", given->source, "An imported folder, a name, or a folder or file to import")
        ->required();
    command->add_option("--out,-o", given->out, "A new folder for the data set of two parts")->required();
    command->add_option("--test", given->test,
                        "Of the training images that become the test part: a share or a count (0.25)");
    command->add_option("--train", given->train, "That stay: a share or a count (all others)");
    command->add_flag("--stratify", given->options.stratify, "Each class has the same share in both parts");
    command->add_option("--seed", given->options.seed, "Which images: 0 to 4294967295")->required();
    command->add_flag("--drop-test", given->options.drop_test,
                      "Leave out the test part that the source has already");
    command->add_flag("--indices", given->indices,
                      "Write train_indices.npy and test_indices.npy (int64, from 0) instead of images");
    command->callback([given, &action] { action = [given] { return split(*given); }; });
}

}  // namespace lockstep::app
