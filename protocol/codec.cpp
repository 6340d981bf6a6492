// Lines and envelopes; what lies inside them is in fields.hpp.
#include "protocol/codec.hpp"

#include <algorithm>
#include <utility>

#include "protocol/archive.hpp"

namespace lockstep::protocol {
namespace {

// Keys of ordered JSON are found by walking, so an object of very many keys would take quadratic time; and
// JSON is copied by recursion, so a deep nest would use up the stack. The longest honest message (the
// tensors of a network of 1,000 layers) and the deepest (a kernel of a layer of a network) stay far below.
constexpr int kMostFields = 20'000;
constexpr int kDeepest = 64;

struct Outline {
    int fields = 0;
    int depth = 0;
};

// Counts before anything is built; of text that is not JSON it counts something, which does no harm.
Outline outline_of(std::string_view line)
{
    Outline outline;
    int depth = 0;
    bool quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        if (c == '"') {
            quoted = !quoted;
        } else if (quoted) {
            i += c == '\\' ? 1 : 0;
        } else if (c == ':') {
            ++outline.fields;
        } else if (c == '{' || c == '[') {
            outline.depth = std::max(outline.depth, ++depth);
        } else if (c == '}' || c == ']') {
            --depth;
        }
    }
    return outline;
}

// A failure's text may be a framework's whole stack trace; this much of it helps a reader.
constexpr std::size_t kLongestText = 16'384;

std::string cut(const std::string& text)
{
    return text.size() <= kLongestText ? text : text.substr(0, kLongestText) + " [cut]";
}

Decoded<Json> parse_object(std::string_view line)
{
    if (line.size() > kLongestLine) {
        return tl::unexpected<std::string>("the line is longer than 1 MiB");
    }
    const Outline outline = outline_of(line);
    if (outline.fields > kMostFields || outline.depth > kDeepest) {
        return tl::unexpected<std::string>(outline.depth > kDeepest ? "the line is nested too deeply"
                                                                    : "the line holds too many fields");
    }
    Json json = Json::parse(line.begin(), line.end(), nullptr, false);
    if (json.is_discarded()) {
        return tl::unexpected<std::string>("the line is not JSON");
    }
    if (!json.is_object()) {
        return tl::unexpected<std::string>("the line is JSON, but not an object");
    }
    return json;
}

// A member of the envelope.
template <class T>
Decoded<T> member(const Json& object, const char* key)
{
    Trouble trouble;
    Reader reader(object, trouble);
    T value{};
    reader(key, value);
    if (!trouble.none()) {
        return tl::unexpected(trouble.text());
    }
    return value;
}

template <class T>
Decoded<FromWorker> event_of(const Json& object)
{
    return from_json<T>(object).map([](T&& event) { return FromWorker(std::move(event)); });
}

Decoded<FromWorker> parse_event(const Json& object)
{
    const Decoded<std::string> name = member<std::string>(object, "event");
    if (!name) {
        return tl::unexpected(name.error());
    }
    if (*name == "progress") {
        return event_of<Progress>(object);
    }
    if (*name == "warning") {
        return event_of<Warning>(object);
    }
    return FromWorker(Alive{});
}

template <class T>
std::string event_line_of(const char* name, const T& event)
{
    Json line{{"event", name}};
    line.update(to_json(event));
    return to_line(line);
}

}  // namespace

std::string to_line(const Json& json)
{
    return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string reply_line(std::int64_t id, const Failure& failure)
{
    Failure short_one = failure;
    short_one.message = cut(failure.message);
    return to_line(Json{{"id", id}, {"error", to_json(short_one)}});
}

std::string event_line(const Progress& event)
{
    return event_line_of("progress", event);
}
std::string event_line(const Warning& event)
{
    return event_line_of("warning", Warning{cut(event.message)});
}
std::string event_line(const Alive& event)
{
    return event_line_of("alive", event);
}

Decoded<Call> parse_request(std::string_view line)
{
    Decoded<Json> json = parse_object(line);
    if (!json) {
        return tl::unexpected(json.error());
    }
    const Decoded<std::int64_t> id = member<std::int64_t>(*json, "id");
    if (!id) {
        return tl::unexpected(id.error());
    }
    if (*id < 1) {
        return tl::unexpected<std::string>("id is below 1");
    }
    Decoded<std::string> verb = member<std::string>(*json, "do");
    if (!verb) {
        return tl::unexpected(verb.error());
    }
    return Call{*id, std::move(*verb), std::move(*json)};
}

Decoded<FromWorker> parse_from_worker(std::string_view line)
{
    Decoded<Json> json = parse_object(line);
    if (!json) {
        return tl::unexpected(json.error());
    }
    if (json->contains("event")) {
        return parse_event(*json);
    }
    const Decoded<std::int64_t> id = member<std::int64_t>(*json, "id");
    if (!id) {
        return tl::unexpected(id.error());
    }
    const auto ok = json->find("ok");
    const auto error = json->find("error");
    if ((ok == json->end()) == (error == json->end())) {
        return tl::unexpected<std::string>("the line must hold one of ok, error and event");
    }
    if (error != json->end()) {
        return from_json<Failure>(*error)
            .map([&](Failure&& failure) {
                return FromWorker(Refusal{*id, std::move(failure)});
            })
            .map_error([](const std::string& why) { return "error: " + why; });
    }
    if (!ok->is_object()) {
        return tl::unexpected<std::string>("ok is not an object");
    }
    return FromWorker(Answer{*id, std::move(*ok)});
}

}  // namespace lockstep::protocol
