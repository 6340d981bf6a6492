// `lockstep data synth`.
#include <optional>

#include "harness/app/data_command.hpp"
#include "harness/app/exit_code.hpp"
#include "harness/app/surroundings.hpp"
#include "harness/data/synthesis.hpp"

namespace lockstep::app {
namespace {

struct SynthCommand {
    std::string size = "28x28";
    std::string out;
    std::optional<std::int64_t> test;
    data::SynthesisOptions options;
};

int make(SynthCommand command)
{
    const Result<data::ImageShape> shape = data::parse_image_shape(command.size);
    if (!shape) {
        return complain(shape.error());
    }
    command.options.shape = *shape;
    command.options.test = command.test.value_or(command.options.train / 5);
    const Result<data::Dataset> made = data::synthesise(command.options, command.out);
    if (!made) {
        return complain(made.error());
    }
    print_dataset(*made);
    return kResolved;
}

}  // namespace

void add_data_synth(CLI::App& data, Action& action)
{
    CLI::App* command = data.add_subcommand(
        "synth", "Make images with classes that a network can learn; they are marked as synthetic");
    auto given = std::make_shared<SynthCommand>();
    command->add_option("--rows", given->options.train, "Training images")->required();
    command->add_option("--test-rows", given->test, "Test images, 0 for none (a fifth of --rows)");
    command->add_option("--size", given->size, "HxW or HxWxC (28x28)");
    command->add_option("--classes", given->options.classes, "2 to 65536 (10)");
    command->add_option("--seed", given->options.seed, "The same seed gives the same images (42)");
    command->add_option("--out,-o", given->out, "A new folder for the data set")->required();
    command->callback([given, &action] { action = [given] { return make(*given); }; });
}

}  // namespace lockstep::app
