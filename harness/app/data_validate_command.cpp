// `lockstep data validate`: the data set alone, then as every installed framework sees it.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "harness/app/data_command.hpp"
#include "harness/app/exit_code.hpp"
#include "harness/app/surroundings.hpp"
#include "harness/base/console.hpp"
#include "harness/data/inspect.hpp"
#include "harness/pipeline/pixel_check.hpp"

namespace lockstep::app {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kClassesShown = 20;
constexpr std::size_t kExamplesShown = 5;
constexpr int kImagesAsked = 100;  // of every framework

std::string counted(std::int64_t count, const char* one, const char* many)
{
    return fmt::format("{} {}", count, count == 1 ? one : many);
}

void print_balance(const data::Dataset& dataset, const data::Inspection& found)
{
    const auto& counts = found.train_of_class;
    const auto [least, most] = std::minmax_element(counts.begin(), counts.end());
    put("balance     {} to {} training images a class:", *least, *most);
    for (std::size_t i = 0; i < counts.size() && i < kClassesShown; ++i) {
        put(" {}={}", dataset.classes[i], counts[i]);
    }
    put("{}\n", counts.size() > kClassesShown ? " ..." : "");
    for (std::size_t i = 0; i < counts.size(); ++i) {
        if (counts[i] == 0) {
            put("            class {} has no training image\n", dataset.classes[i]);
        }
    }
}

std::string indices_of(const char* part, const std::vector<std::int64_t>& indices)
{
    if (indices.empty()) {
        return "";
    }
    const std::size_t shown = std::min<std::size_t>(indices.size(), 6);
    return fmt::format(" {} {}{}", part,
                       fmt::join(indices.begin(), indices.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
                       shown < indices.size() ? ", ..." : "");
}

void print_repetitions(const data::Dataset& dataset, const data::Inspection& found)
{
    put("duplicates  {} in train, {} in test (beyond the first of equal images)\n",
        counted(found.repeated_in_train, "image", "images"), found.repeated_in_test);
    if (dataset.test_count > 0) {
        put("leakage     {} also in train\n", counted(found.leaked, "test image is", "test images are"));
    } else {
        put("leakage     none possible: there is no test part\n");
    }
    put("labels      {} with different labels\n",
        counted(found.contradicting, "group of equal images", "groups of equal images"));
    for (std::size_t i = 0; i < found.examples.size() && i < kExamplesShown; ++i) {
        const data::Repetition& equal = found.examples[i];
        put("            equal:{}{}{}{}\n", indices_of("train", equal.train),
            equal.train.empty() || equal.test.empty() ? "" : ";", indices_of("test", equal.test),
            equal.labels_differ ? " (labels differ)" : "");
    }
    put("constant    {} of {} pixels have one value in all training images\n", found.constant_pixels,
        found.pixels);
    put("levels      mean {:.2f}, standard deviation {:.2f} of 0 to 255\n", found.mean, found.deviation);
}

// Every framework that is ready; controls only when they are named.
Result<std::vector<std::string>> frameworks_of(const std::vector<std::string>& named,
                                               const pipeline::Workshop& shop)
{
    if (named.empty() || named == std::vector<std::string>{"all"}) {
        return ready_frameworks(shop).all();
    }
    for (const std::string& name : named) {
        if (const auto known = shop.catalog.find(name); !known) {
            return tl::unexpected(known.error());
        }
    }
    return named;
}

void print_pixels(const pipeline::PixelResult& result)
{
    const std::string who = fmt::format("{:<18}  {:<6}", result.framework, result.input);
    if (!result.outcome.ok()) {
        put("{}  {}: {}{}{}\n", who, record::word(result.outcome.kind), result.outcome.reason,
            result.outcome.remedy.empty() ? "" : " ", result.outcome.remedy);
        if (!result.outcome.tail.empty()) {
            put("    Its last words: {}\n", last_line(result.outcome.tail));
        }
    } else if (result.agrees()) {
        put("{}  the same pixels; largest difference {:.2g}\n", who, *result.largest);
    } else {
        const pipeline::PixelDeparture& first = *result.first;
        put("{}  DIFFERS: {} of {} images, largest difference {}; first in image {}, row {}, "
            "column {}, channel {}: {:.9g} instead of {:.9g}\n",
            who, counted(result.departing, "value", "values"), result.images,
            result.largest ? fmt::format("{:.2g}", *result.largest) : "not finite", first.image, first.row,
            first.column, first.channel, first.found, first.expected);
    }
    std::fflush(stdout);
}

int ask_frameworks(const data::Dataset& dataset, const std::vector<std::string>& named)
{
    const Result<pipeline::Workshop> shop = open_workshop(catch_signals());
    if (!shop) {
        return complain(shop.error());
    }
    const Result<std::vector<std::string>> frameworks = frameworks_of(named, *shop);
    if (!frameworks) {
        return complain(frameworks.error());
    }
    put("pixels      the first {} training images through each framework's own input path, limit {:g} "
        "(counted "
        "from 0)\n",
        std::min<std::int64_t>(kImagesAsked, dataset.train_count), pipeline::kPixelLimit);
    const fs::path folder = fs::temp_directory_path() / fmt::format("lockstep-pixels-{}", ::getpid());
    const auto results =
        pipeline::check_pixels({dataset, *frameworks, kImagesAsked, folder, print_pixels}, *shop);
    std::error_code none;
    fs::remove_all(folder, none);
    if (!results) {
        return complain(results.error());
    }
    // Not being installed is no fault of the data; whoever named a framework wants to know, though.
    const bool bad = std::any_of(results->begin(), results->end(), [&](const pipeline::PixelResult& result) {
        const bool skipped = result.outcome.kind == record::OutcomeKind::skipped;
        return skipped ? !named.empty() : !result.agrees();
    });
    return bad ? kTrialFailed : kResolved;
}

int validate(const std::string& source, const std::vector<std::string>& named, bool data_only)
{
    const Result<data::Dataset> dataset = open_source(source);
    if (!dataset) {
        return complain(dataset.error());
    }
    print_dataset(*dataset);
    const Result<data::Inspection> found = data::inspect(*dataset);
    if (!found) {
        return complain(found.error());
    }
    print_balance(*dataset, *found);
    print_repetitions(*dataset, *found);
    std::fflush(stdout);
    return data_only ? static_cast<int>(kResolved) : ask_frameworks(*dataset, named);
}

}  // namespace

void add_data_validate(CLI::App& data, Action& action)
{
    struct Given {
        std::string source;
        std::vector<std::string> frameworks;
        bool data_only = false;
    };
    CLI::App* command = data.add_subcommand(
        "validate",
        "Class balance, duplicates, leakage and dead pixels; then whether every installed "
        "framework loads the same pixels, in locked and native input");
    auto given = std::make_shared<Given>();
    command->add_option("source", given->source, "An imported folder, a name, or a folder or file to import")
        ->required();
    CLI::Option* frameworks =
        command->add_option("--frameworks,-f", given->frameworks, "Ask these only (all that are installed)")
            ->delimiter(',');
    command->add_flag("--data-only", given->data_only, "Ask no framework")->excludes(frameworks);
    command->callback([given, &action] {
        action = [given] { return validate(given->source, given->frameworks, given->data_only); };
    });
}

}  // namespace lockstep::app
