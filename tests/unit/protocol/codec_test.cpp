// What transcripts cannot show: lines that are too long, text that is not UTF-8, numbers without end.
#include "protocol/codec.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace lockstep::protocol {
namespace {

TEST(codec, numbers_that_are_not_finite_are_written_as_null_and_read_as_absent)
{
    CheckReply reply;
    reply.loss = std::numeric_limits<double>::quiet_NaN();
    reply.losses = {std::numeric_limits<double>::infinity(), 0.5};
    const std::string line = reply_line(3, reply);
    EXPECT_EQ(line, "{\"id\":3,\"ok\":{\"loss\":null,\"losses\":[null,0.5],\"files\":{}}}\n");
    const Decoded<FromWorker> message = parse_from_worker(line);
    ASSERT_TRUE(message) << message.error();
    const Decoded<CheckReply> again = from_json<CheckReply>(std::get<Answer>(*message).ok);
    ASSERT_TRUE(again) << again.error();
    EXPECT_FALSE(again->loss);
    EXPECT_FALSE(again->losses.at(0));
    EXPECT_EQ(again->losses.at(1), 0.5);
}

TEST(codec, a_learning_rate_that_is_not_finite_is_refused)
{
    Job job;
    Json json = to_json(job);
    json["optimizer"]["learning_rate"] = nullptr;
    json["network"] = Json::object();
    EXPECT_EQ(from_json<Job>(json).error(), "network.id is missing");
    const Decoded<Call> infinite = parse_request(R"({"id": 1, "do": "build", "learning_rate": 1e999})");
    EXPECT_FALSE(infinite);
}

TEST(codec, doubles_come_back_bit_for_bit)
{
    DataRequest request;
    request.scale = 1.0 / 255.0;
    EXPECT_EQ(from_json<DataRequest>(Json::parse(request_line(1, request)))->scale, 1.0 / 255.0);
}

TEST(codec, a_line_over_one_mebibyte_is_refused_and_one_of_just_that_is_read)
{
    const std::string head = R"({"event":"warning","message":")";
    const std::string tail = "\"}\n";
    const std::string longest = head + std::string(kLongestLine - head.size() - tail.size(), 'x') + tail;
    EXPECT_TRUE(parse_from_worker(longest));
    const Decoded<FromWorker> longer = parse_from_worker(head + "x" + longest.substr(head.size()));
    ASSERT_FALSE(longer);
    EXPECT_EQ(longer.error(), "the line is longer than 1 MiB");
}

TEST(codec, an_object_of_very_many_fields_is_refused_before_it_is_read)
{
    std::string line = R"({"id": 1, "ok": {)";
    for (int i = 0; i <= 20'000; ++i) {
        line += "\"" + std::to_string(i) + "\":0,";
    }
    EXPECT_EQ(parse_from_worker(line + "\"x\":0}}").error(), "the line holds too many fields");
}

TEST(codec, a_deep_nest_of_brackets_is_refused_without_a_crash)
{
    EXPECT_FALSE(parse_from_worker(std::string(kLongestLine / 2, '[')));
    const auto nested = [](std::size_t depth) {
        return parse_from_worker("{\"event\":\"later\",\"x\":" + std::string(depth, '[') +
                                 std::string(depth, ']') + "}");
    };
    EXPECT_TRUE(nested(63));
    EXPECT_EQ(nested(64).error(), "the line is nested too deeply");
    EXPECT_FALSE(nested(400'000));
}

TEST(codec, brackets_and_colons_within_text_count_for_nothing)
{
    const std::string text = std::string(30'000, ':') + std::string(100, '[') + "\\ \"";
    const Decoded<FromWorker> message =
        parse_from_worker(to_line(Json{{"event", "warning"}, {"message", text}}));
    ASSERT_TRUE(message) << message.error();
    EXPECT_EQ(std::get<Warning>(*message).message, text);
}

TEST(codec, text_that_is_not_utf8_is_repaired_and_a_long_failure_is_cut)
{
    const std::string line = reply_line(
        1, Failure{FailureKind::framework, "bad \xff byte\n" + std::string(kLongestLine, 'x'), {}});
    EXPECT_LT(line.size(), 20'000u);
    EXPECT_EQ(std::ranges::count(line, '\n'), 1);
    const Decoded<FromWorker> message = parse_from_worker(line);
    ASSERT_TRUE(message) << message.error();
    const std::string text = std::get<Refusal>(*message).failure.message;
    EXPECT_TRUE(text.starts_with("bad \xef\xbf\xbd byte\nxxx"));
    EXPECT_TRUE(text.ends_with(" [cut]"));
}

TEST(codec, versions_keep_the_order_in_which_the_worker_names_them)
{
    HelloReply reply;
    reply.versions = {{"tensorflow", "2"}, {"numpy", "1"}, {"absl", "3"}};
    EXPECT_EQ(from_json<HelloReply>(Json::parse(to_line(to_json(reply))))->versions, reply.versions);
}

TEST(codec, whole_numbers_are_held_to_the_range_of_their_field)
{
    EXPECT_EQ(from_json<HelloRequest>(Json{{"protocol", 3'000'000'000}, {"lockstep", "0"}}).error(),
              "protocol is out of range");
    EXPECT_EQ(from_json<HelloRequest>(Json::parse(R"({"protocol": 1.0, "lockstep": "0"})")).error(),
              "protocol is not a whole number");
}

TEST(codec, a_message_that_is_not_an_object_is_refused)
{
    EXPECT_EQ(from_json<PredictRequest>(Json::parse("[]")).error(), "the message is not an object");
    EXPECT_EQ(from_json<PredictRequest>(Json()).error(), "the message is not an object");
}

}  // namespace
}  // namespace lockstep::protocol
