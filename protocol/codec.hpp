// Messages to JSON lines and back. Nothing here throws on bad input: what cannot be read is a sentence
// that names the field. Both sides of the border use it; the transcripts are its tests.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <variant>

#include "protocol/messages.hpp"

namespace lockstep::protocol {

// Keeps the order of keys: a worker names its framework's version first.
using Json = nlohmann::ordered_json;

// What was read, or why not, e.g. `network.layers[2].filters is missing`.
template <class T>
using Decoded = tl::expected<T, std::string>;

// Defined for every struct of messages.hpp (requests, replies, Failure, Progress, Warning), and for Job
// and Network. The JSON of a request is its fields without "id" and "do". Numbers that are not finite
// become null. from_json(to_json(x)) gives x again.
// from_json checks the presence and type of every field, ranges that no worker could obey (counts below
// 1), and that a network's shapes follow from each other; unknown keys are ignored.
template <class T>
Json to_json(const T& message);
template <class T>
Decoded<T> from_json(const Json& json);

// --- lines, each ended by '\n'. Text that is not UTF-8 is repaired; over-long messages are cut. ---

std::string to_line(const Json& json);  // for what the functions below do not cover

template <class Request>
std::string request_line(std::int64_t id, const Request& request)
{
    Json line{{"id", id}, {"do", Request::kVerb}};
    line.update(to_json(request));
    return to_line(line);
}
template <class Reply>
std::string reply_line(std::int64_t id, const Reply& reply)
{
    return to_line(Json{{"id", id}, {"ok", to_json(reply)}});
}
std::string reply_line(std::int64_t id, const Failure& failure);  // {"id", "error"}
std::string event_line(const Progress& event);
std::string event_line(const Warning& event);
std::string event_line(const Alive& event);

// --- and back; a trailing '\n' may be there or not ---

// A request before its fields are read: `from_json<BuildRequest>(call.fields)`.
struct Call {
    std::int64_t id = 0;
    std::string verb;
    Json fields;  // the whole object
};
// Fails on what is not a JSON object with a whole "id" from 1 and a text "do", or is over kLongestLine.
Decoded<Call> parse_request(std::string_view line);

struct Answer {
    std::int64_t id = 0;
    Json ok;  // an object: `from_json<HelloReply>(answer.ok)`
};
struct Refusal {
    std::int64_t id = 0;  // 0: the worker could not read the request's id
    Failure failure;
};
// An event that this version does not know counts as Alive: later versions may add.
using FromWorker = std::variant<Answer, Refusal, Progress, Warning, Alive>;
Decoded<FromWorker> parse_from_worker(std::string_view line);

const char* name_of(FailureKind kind);
const char* name_of(LayerKind kind);

}  // namespace lockstep::protocol
