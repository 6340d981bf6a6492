// Which struct a verb has is known from the structs themselves, so one list of types serves both ways.
#include "tests/unit/protocol/transcript.hpp"

#include <algorithm>
#include <fstream>
#include <type_traits>

namespace lockstep::protocol {
namespace {

template <class... Requests>
struct Verbs {
};
using AllVerbs = Verbs<HelloRequest, BuildRequest, WeightsInRequest, WeightsOutRequest, DataRequest,
                       PixelsRequest, CheckRequest, TrainRequest, PredictRequest, MemoryRequest,
                       LatencyRequest, ProfileRequest, CollectiveRequest, ShutdownRequest>;

// Calls use(std::type_identity<Request>) for the request struct of `verb`.
template <class Use, class... Requests>
Decoded<Json> with_verb(const std::string& verb, Use use, Verbs<Requests...>)
{
    Decoded<Json> result = tl::unexpected("the verb " + verb + " is not known");
    ((verb == Requests::kVerb ? void(result = use(std::type_identity<Requests>())) : void()), ...);
    return result;
}

Json parsed(const std::string& line)
{
    return Json::parse(line);
}

}  // namespace

std::vector<Transcript> transcripts(std::string_view kind)
{
    std::vector<Transcript> all;
    const std::filesystem::path folder =
        std::filesystem::path(LOCKSTEP_SOURCE_DIR) / "protocol" / "transcripts" / kind;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        Transcript transcript{entry.path().stem().string(), "", {}};
        std::ifstream file(entry.path());
        for (std::string line; std::getline(file, line);) {
            constexpr std::string_view kSays = "# says: ";
            if (line.starts_with(kSays)) {
                transcript.says = line.substr(kSays.size());
            } else if (line.starts_with("> ") || line.starts_with("< ")) {
                transcript.lines.push_back({line.front() == '>', line.substr(2)});
            }
        }
        all.push_back(std::move(transcript));
    }
    std::ranges::sort(all, {}, &Transcript::name);
    return all;
}

Decoded<Json> TranscriptReader::read_and_write(const TranscriptLine& line)
{
    return line.request ? request(line.text) : from_worker(line.text);
}

Decoded<Json> TranscriptReader::request(const std::string& text)
{
    const Decoded<Call> call = parse_request(text);
    if (!call) {
        return tl::unexpected(call.error());
    }
    verb_ = call->verb;
    id_ = call->id;
    const auto use = [&]<class Request>(std::type_identity<Request>) {
        return from_json<Request>(call->fields).map([&](const Request& request) {
            return parsed(request_line(id_, request));
        });
    };
    return with_verb(verb_, use, AllVerbs());
}

Decoded<Json> TranscriptReader::from_worker(const std::string& text)
{
    const Decoded<FromWorker> message = parse_from_worker(text);
    if (!message) {
        return tl::unexpected(message.error());
    }
    if (const auto* refusal = std::get_if<Refusal>(&*message)) {
        return parsed(reply_line(refusal->id, refusal->failure));
    }
    if (const auto* answer = std::get_if<Answer>(&*message)) {
        const auto use = [&]<class Request>(std::type_identity<Request>) {
            return from_json<typename Request::Reply>(answer->ok).map([&](const auto& reply) {
                return parsed(reply_line(answer->id, reply));
            });
        };
        return with_verb(verb_, use, AllVerbs());
    }
    if (const auto* progress = std::get_if<Progress>(&*message)) {
        return parsed(event_line(*progress));
    }
    if (const auto* warning = std::get_if<Warning>(&*message)) {
        return parsed(event_line(*warning));
    }
    return parsed(event_line(Alive{}));
}

}  // namespace lockstep::protocol
