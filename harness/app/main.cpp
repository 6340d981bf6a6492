// lockstep: one program, one command a file.
#include <fmt/format.h>

#include "harness/app/command.hpp"
#include "harness/app/exit_code.hpp"

int main(int argc, char** argv)
{
    using namespace lockstep::app;
    CLI::App program{"Which deep-learning framework trains this network best on this machine, by how much, and why?"};
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
        fmt::print(stderr, "lockstep: {}.\nSee `lockstep --help`, or `lockstep COMMAND --help`.\n", error.what());
        return kBadInput;
    }
    return action();
}
