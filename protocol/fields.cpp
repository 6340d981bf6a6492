// to_json and from_json, made once for every message: this is the only source that sees all fields.
#include "protocol/fields.hpp"

#include "protocol/archive.hpp"
#include "protocol/codec.hpp"

namespace lockstep::protocol {

template <class T>
Json to_json(const T& message)
{
    return Writer::form_of(message);
}

template <class T>
Decoded<T> from_json(const Json& json)
{
    Trouble trouble;
    T message{};
    Reader reader(json, trouble);
    if (trouble.none()) {
        describe(reader, message);
    }
    if (!trouble.none()) {
        return tl::unexpected(trouble.text());
    }
    return message;
}

#define LOCKSTEP_MESSAGE(T)             \
    template Json to_json<T>(const T&); \
    template Decoded<T> from_json<T>(const Json&);
#define LOCKSTEP_VERB(T)         \
    LOCKSTEP_MESSAGE(T##Request) \
    LOCKSTEP_MESSAGE(T##Reply)
LOCKSTEP_VERB(Hello)
LOCKSTEP_VERB(Build)
LOCKSTEP_VERB(WeightsOut)
LOCKSTEP_VERB(Data)
LOCKSTEP_VERB(Check)
LOCKSTEP_VERB(Train)
LOCKSTEP_VERB(Predict)
LOCKSTEP_VERB(Memory)
LOCKSTEP_VERB(Latency)
LOCKSTEP_VERB(Profile)
LOCKSTEP_VERB(Collective)
LOCKSTEP_MESSAGE(WeightsInRequest)
LOCKSTEP_MESSAGE(PixelsRequest)
LOCKSTEP_MESSAGE(ShutdownRequest)
LOCKSTEP_MESSAGE(Nothing)
LOCKSTEP_MESSAGE(Failure)
LOCKSTEP_MESSAGE(Progress)
LOCKSTEP_MESSAGE(Warning)
LOCKSTEP_MESSAGE(Alive)
LOCKSTEP_MESSAGE(Job)
LOCKSTEP_MESSAGE(Network)
#undef LOCKSTEP_VERB
#undef LOCKSTEP_MESSAGE

const char* name_of(FailureKind kind)
{
    return NamesOf<FailureKind>::names[static_cast<std::size_t>(kind)];
}
const char* name_of(LayerKind kind)
{
    return NamesOf<LayerKind>::names[static_cast<std::size_t>(kind)];
}

}  // namespace lockstep::protocol
