// The transcripts of protocol/transcripts as lists of lines, and one way to read each line with the codec.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/codec.hpp"

namespace lockstep::protocol {

struct TranscriptLine {
    bool request = false;  // "> ", else "< "
    std::string text;
};

struct Transcript {
    std::string name;
    std::string says;  // of a bad one: what the message must hold ("# says: ")
    std::vector<TranscriptLine> lines;
};

// Every file of protocol/transcripts/<kind>, sorted by name.
std::vector<Transcript> transcripts(std::string_view kind);

// Reads lines one after the other, remembering which verb a reply belongs to.
class TranscriptReader {
public:
    // The line read into its struct and written again, as JSON; or why it was refused.
    Decoded<Json> read_and_write(const TranscriptLine& line);

private:
    Decoded<Json> request(const std::string& text);
    Decoded<Json> from_worker(const std::string& text);

    std::string verb_;
    std::int64_t id_ = 0;
};

}  // namespace lockstep::protocol
