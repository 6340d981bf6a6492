// The protocol loop: a line in, a line out, and every exception turned into the error kind that it means.
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>

#include "protocol/codec.hpp"
#include "workers/sdk/cpp/channel.hpp"
#include "workers/sdk/cpp/clock.hpp"
#include "workers/sdk/cpp/faults.hpp"
#include "workers/sdk/cpp/session.hpp"
#include "workers/sdk/cpp/trainer.hpp"

namespace lockstep::sdk {
namespace {

using protocol::Failure;
using protocol::FailureKind;

// Taken while the program is loaded, before main() makes a trainer.
const std::int64_t process_started = now();

constexpr int kUsage = 2;  // exit code of a program that was started by hand

std::optional<int> descriptor_from(std::string_view variable)
{
    const char* text = std::getenv(std::string(variable).c_str());
    int number = -1;
    if (text == nullptr || std::from_chars(text, text + std::strlen(text), number).ec != std::errc() ||
        number < 0) {
        return {};
    }
    return number;
}

// Requires: called while an exception is handled.
Failure failure_now(const std::string& verb)
{
    try {
        throw;
    } catch (const UnsupportedLayer& fault) {
        return {FailureKind::unsupported, fault.what(), fault.layer};
    } catch (const Unsupported& fault) {
        return {FailureKind::unsupported, fault.what(), {}};
    } catch (const BadRequest& fault) {
        return {FailureKind::protocol, fault.what(), {}};
    } catch (const OutOfResources& fault) {
        return {FailureKind::resources, fault.what(), {}};
    } catch (const std::bad_alloc&) {
        return {FailureKind::resources, "memory ran out in " + verb, {}};
    } catch (const std::length_error&) {
        return {FailureKind::resources, "no memory is large enough for " + verb, {}};
    } catch (const std::exception& fault) {
        return {FailureKind::framework, verb + ": " + fault.what(), {}};
    } catch (...) {
        return {FailureKind::framework, verb + ": an exception that is not a std::exception", {}};
    }
}

// Absent at the end of the conversation.
std::optional<protocol::Call> next_call(Channel& channel)
{
    while (const std::optional<std::string> line = channel.next_line()) {
        protocol::Decoded<protocol::Call> call = protocol::parse_request(*line);
        if (call) {
            return std::move(*call);
        }
        channel.send(protocol::reply_line(0, Failure{FailureKind::protocol, call.error(), {}}));
    }
    return {};
}

void converse(Trainer& trainer, Channel& channel)
{
    const std::int64_t ready = now();
    std::optional<Session> session;
    while (const std::optional<protocol::Call> call = next_call(channel)) {
        std::string line;
        bool ended = false;
        try {
            if (!session) {
                session.emplace(trainer, channel, process_started, ready);
            }
            line = session->answer(*call);
            ended = call->verb == protocol::ShutdownRequest::kVerb;
        } catch (const HarnessGone&) {
            throw;
        } catch (...) {
            line = protocol::reply_line(call->id, failure_now(call->verb));
        }
        channel.send(line);
        if (ended) {
            return;
        }
    }
}

}  // namespace

int serve(int, char** argv, Trainer& trainer)
{
    const std::optional<int> in = descriptor_from(protocol::kReadVariable);
    const std::optional<int> out = descriptor_from(protocol::kWriteVariable);
    if (!in || !out) {
        std::fprintf(
            stderr,
            "%s is a worker of lockstep and was not started by it: %s and %s must name descriptors.\n"
            "Run it with: lockstep run --frameworks NAME\n",
            argv != nullptr && argv[0] != nullptr ? argv[0] : "this", protocol::kReadVariable.data(),
            protocol::kWriteVariable.data());
        return kUsage;
    }
    try {
        Channel channel(*in, *out);
        converse(trainer, channel);
    } catch (const HarnessGone&) {
    }
    return 0;
}

}  // namespace lockstep::sdk
