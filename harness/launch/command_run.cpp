// See the header.
#include "harness/launch/command_run.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

#include "harness/base/atomic_file.hpp"
#include "harness/launch/output_tail.hpp"

namespace lockstep::launch {
namespace {

constexpr std::chrono::milliseconds kLook{
    200};  // how often a log is read on; for people, so a fifth of a second

// Hands on what a file grew by, line by line.
class LogFollower {
public:
    explicit LogFollower(const std::filesystem::path& log) : fd_(::open(log.c_str(), O_RDONLY | O_CLOEXEC))
    {
        if (fd_.open()) {
            ::lseek(fd_.get(), 0, SEEK_END);
        }
    }

    void follow(const std::function<void(std::string_view)>& line)
    {
        std::array<char, 65536> block;
        for (ssize_t size = 0; fd_.open() && (size = ::read(fd_.get(), block.data(), block.size())) > 0;) {
            rest_.append(block.data(), static_cast<std::size_t>(size));
            for (std::size_t end = 0; (end = rest_.find('\n')) != std::string::npos;) {
                if (line) {
                    line(one_line(rest_.substr(0, end)));
                }
                rest_.erase(0, end + 1);
            }
        }
    }

private:
    Descriptor fd_;
    std::string rest_;
};

}  // namespace

Result<Captured> capture(const std::vector<std::string>& command, const std::vector<std::string>& environment,
                         std::chrono::milliseconds limit)
{
    std::string name = (std::filesystem::temp_directory_path() / "lockstep-probe-XXXXXX").string();
    const Descriptor file(::mkostemp(name.data(), O_CLOEXEC));
    if (!file.open()) {
        return fail(fmt::format("{} cannot be written.", name),
                    "Check the folder for temporary files (TMPDIR).");
    }
    ProcessOrder order;
    order.command = command;
    order.environment = environment;
    order.output = name;
    Captured captured;
    Result<Process> process = Process::start(order);
    if (process) {
        if (const std::optional<ExitStatus> status = process->wait(Clock::now() + limit)) {
            captured.status = *status;
            captured.ended = true;
        }
        process->kill();
        captured.output = read_file(name).value_or("");
    }
    ::unlink(name.c_str());
    return process ? Result<Captured>(captured) : tl::unexpected(process.error());
}

Result<ExitStatus> run_logged(const LoggedCommand& order, const Interrupt* interrupt)
{
    ProcessOrder process_order;
    process_order.command = order.command;
    process_order.environment = order.environment;
    process_order.folder = order.folder;
    process_order.output = order.log;
    process_order.append = true;
    LogFollower follower(order.log);
    Result<Process> process = Process::start(process_order);
    if (!process) {
        return tl::unexpected(process.error());
    }
    std::optional<ExitStatus> status;
    while (!status) {
        status = process->wait(Clock::now() + kLook, interrupt);
        follower.follow(order.line);
        if (interrupt != nullptr && interrupt->raised() && !status) {
            process->kill(std::chrono::milliseconds(2000));
            return fail(fmt::format("{} was stopped.", order.command.front()),
                        "Run the same command again; it starts over with what was downloaded.");
        }
        if (process->lost()) {
            return fail(fmt::format("{} was ended from outside.", order.command.front()),
                        "Look for what kills processes here, then run the same command again.");
        }
    }
    process->kill();
    follower.follow(order.line);
    return *status;
}

}  // namespace lockstep::launch
