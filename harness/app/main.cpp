// lockstep: one program, one command a file.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "harness/app/command.hpp"
#include "harness/app/exit_code.hpp"
#include "harness/app/surroundings.hpp"
#include "harness/base/nearest_word.hpp"

namespace {

using namespace lockstep;

// One sentence on one line.
std::string sentence_of(std::string text)
{
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text.ends_with('.') ? text : text + ".";
}

bool is_command(CLI::App& program, const std::string& word)
{
    const auto commands =
        program.get_subcommands([&](const CLI::App* command) { return command->get_name() == word; });
    return !commands.empty();
}

// The known command or option that is nearest to the first word that is neither.
std::string near_miss(CLI::App& program, int argc, char** argv)
{
    const CLI::App* command = &program;
    for (int i = 1; i < argc; ++i) {
        const std::string word = std::string(argv[i]).substr(0, std::string(argv[i]).find('='));
        std::vector<std::string> known;
        if (word.starts_with("--")) {
            for (const CLI::Option* option : command->get_options()) {
                for (const std::string& name : option->get_lnames()) {
                    known.push_back("--" + name);
                }
            }
        } else if (!word.starts_with('-')) {
            for (const CLI::App* sub : command->get_subcommands([](const CLI::App*) { return true; })) {
                known.push_back(sub->get_name());
                command = sub->get_name() == word ? sub : command;
            }
        }
        const auto near = nearest_word(word, known);
        if (near && *near != word) {
            return fmt::format("Did you mean {}?", *near);
        }
    }
    return "See `lockstep --help`, or `lockstep COMMAND --help`.";
}

}  // namespace

int main(int argc, char** argv)
{
    using namespace lockstep::app;
    CLI::App program{
        "Which deep-learning framework trains this network best on this machine, by how much, and why?"};
    program.name("lockstep");
    program.set_version_flag("--version", LOCKSTEP_VERSION);
    program.require_subcommand(1);
    program.failure_message(CLI::FailureMessage::simple);
    Action action;
    add_run(program, action);
    add_verify(program, action);
    add_install(program, action);
    add_frameworks(program, action);
    add_data(program, action);
    try {
        program.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0) {
            return program.exit(error);
        }
        const bool no_command = argc > 1 && argv[1][0] != '-' && !is_command(program, argv[1]);
        return complain(
            {no_command ? fmt::format("There is no command {}.", argv[1]) : sentence_of(error.what()),
             near_miss(program, argc, argv)});
    }
    return action();
}
