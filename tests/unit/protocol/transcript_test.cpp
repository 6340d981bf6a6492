// Good transcripts round-trip, bad ones are refused with the words that they ask for.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "tests/unit/protocol/transcript.hpp"

namespace lockstep::protocol {
namespace {

// Takes out every key of a later version, and what stands in an event that only a later version knows.
void forget_later_keys(nlohmann::json& json)
{
    if (json.is_object()) {
        if (json.contains("event") && json["event"] == "later_event") {
            json = {{"event", "alive"}};
        }
        for (auto member = json.begin(); member != json.end();) {
            member = member.key().starts_with("later_") ? json.erase(member) : std::next(member);
        }
    }
    for (nlohmann::json& inner : json) {
        if (inner.is_structured()) {
            forget_later_keys(inner);
        }
    }
}

TEST(transcripts, every_line_of_a_good_one_is_read_and_written_again_as_it_was)
{
    const std::vector<Transcript> all = transcripts("good");
    ASSERT_GE(all.size(), 8u);
    for (const Transcript& transcript : all) {
        TranscriptReader reader;
        for (const TranscriptLine& line : transcript.lines) {
            SCOPED_TRACE(transcript.name + ": " + line.text);
            const Decoded<Json> again = reader.read_and_write(line);
            ASSERT_TRUE(again) << again.error();
            nlohmann::json before = nlohmann::json::parse(line.text);
            forget_later_keys(before);
            EXPECT_EQ(nlohmann::json(*again), before);
        }
    }
}

TEST(transcripts, good_ones_hold_every_verb_and_end_with_shutdown)
{
    std::set<std::string> verbs;
    for (const Transcript& transcript : transcripts("good")) {
        std::string last;
        for (const TranscriptLine& line : transcript.lines) {
            if (line.request) {
                last = parse_request(line.text)->verb;
                verbs.insert(last);
            }
        }
        EXPECT_EQ(last, "shutdown") << transcript.name;
    }
    EXPECT_EQ(verbs.size(), 14u);
}

TEST(transcripts, the_last_line_of_a_bad_one_is_refused_and_the_message_names_the_reason)
{
    const std::vector<Transcript> all = transcripts("bad");
    ASSERT_GE(all.size(), 50u);
    for (const Transcript& transcript : all) {
        SCOPED_TRACE(transcript.name);
        ASSERT_FALSE(transcript.says.empty());
        TranscriptReader reader;
        for (std::size_t i = 0; i + 1 < transcript.lines.size(); ++i) {
            const Decoded<Json> good = reader.read_and_write(transcript.lines[i]);
            EXPECT_TRUE(good) << "line " << i << ": " << good.error();
        }
        const Decoded<Json> refused = reader.read_and_write(transcript.lines.back());
        ASSERT_FALSE(refused) << transcript.lines.back().text;
        EXPECT_NE(refused.error().find(transcript.says), std::string::npos) << refused.error();
    }
}

}  // namespace
}  // namespace lockstep::protocol
