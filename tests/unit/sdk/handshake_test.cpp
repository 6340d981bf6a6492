// Before training: who the worker is, what it refuses, and how a conversation ends.
#include <gtest/gtest.h>
#include <stdlib.h>

#include "tests/unit/sdk/stage.hpp"

namespace lockstep::sdk {
namespace {

using namespace protocol;

TEST(handshake, hello_tells_who_the_worker_is_and_names_its_framework_first)
{
    const auto worker = Stage::worker();
    const HelloReply reply = worker->call(HelloRequest{kVersion, "test"}).value();
    EXPECT_EQ(reply.protocol, kVersion);
    EXPECT_EQ(reply.worker, "tiny");
    ASSERT_EQ(reply.versions.size(), 2u);
    EXPECT_EQ(reply.versions[0].first, "tiny");
    EXPECT_EQ(reply.can.layers, (std::vector<std::string>{"flatten", "dense"}));
    EXPECT_EQ(reply.devices.at(0).kind, "cpu");
    EXPECT_GT(reply.started, 0);
    EXPECT_EQ(reply.phases.at("import").begin, reply.started);
}

TEST(handshake, build_counts_the_parameters_and_sends_the_warnings_of_the_trainer_first)
{
    const auto worker = Stage::worker();
    const BuildReply reply = worker->call(Stage::build()).value();
    EXPECT_EQ(reply.parameters, 48);
    ASSERT_EQ(reply.tensors.size(), 2u);
    EXPECT_EQ(reply.tensors[0].name, "dense1.kernel");
    EXPECT_EQ(reply.tensors[0].shape, (std::vector<std::int64_t>{15, 3}));
    EXPECT_TRUE(reply.phases.contains("build"));
    ASSERT_EQ(worker->events.size(), 1u);
    EXPECT_EQ(std::get<Warning>(worker->events[0]).message, "tiny is not a framework");
}

TEST(handshake, a_layer_that_the_worker_does_not_name_is_unsupported_and_the_answer_names_it)
{
    const auto worker = Stage::worker();
    BuildRequest request = Stage::build();
    Layer dropout;
    dropout.kind = LayerKind::dropout;
    dropout.name = "dropout1";
    dropout.input = dropout.output = {15};
    dropout.rate = 0.5;
    request.job.network.layers.insert(request.job.network.layers.begin() + 1, dropout);
    const Failure failure = worker->call(request).error();
    EXPECT_EQ(failure.kind, FailureKind::unsupported);
    EXPECT_EQ(failure.layer, "dropout1");
    EXPECT_EQ(failure.message, "tiny does not offer the layer kind \"dropout\"");
}

TEST(handshake, a_layer_kind_of_a_later_version_is_unsupported_rather_than_malformed)
{
    const auto worker = Stage::worker();
    Json json = Json::parse(request_line(1, Stage::build()));
    json["network"]["layers"][0]["kind"] = "batch_norm";
    const Failure failure = worker->answer(to_line(json)).error();
    EXPECT_EQ(failure.kind, FailureKind::unsupported);
    EXPECT_EQ(failure.layer, "flatten1");
}

TEST(handshake, a_device_precision_input_or_option_that_is_not_offered_is_unsupported)
{
    const auto worker = Stage::worker();
    BuildRequest device = Stage::build();
    device.job.device.kind = "gpu";
    EXPECT_EQ(worker->call(device).error().message, "tiny does not offer the device \"gpu\"");
    BuildRequest precision = Stage::build();
    precision.job.precision = "bfloat16";
    EXPECT_EQ(worker->call(precision).error().message, "tiny does not offer the precision \"bfloat16\"");
    BuildRequest input = Stage::build();
    input.job.input = "native";
    EXPECT_EQ(worker->call(input).error().message, "tiny does not offer the input mode \"native\"");
    BuildRequest option = Stage::build();
    option.job.options["xla"] = "on";
    EXPECT_EQ(worker->call(option).error().kind, FailureKind::unsupported);
    EXPECT_EQ(worker->call(Stage::build()).value().parameters, 48) << "after a refusal the next build works";
}

TEST(handshake, what_the_trainer_calls_unsupported_is_passed_on)
{
    const auto worker = Stage::worker();
    const Failure failure = worker->call(Stage::build("refuse")).error();
    EXPECT_EQ(failure.kind, FailureKind::unsupported);
    EXPECT_EQ(failure.message, "tiny cannot do this");
}

TEST(handshake, a_line_that_is_not_a_request_gets_an_error_and_the_conversation_goes_on)
{
    const auto worker = Stage::worker();
    for (const std::string line : {"hello?\n", "[]\n", "{\"id\": 1}\n", "{\"do\": \"hello\"}\n", "\n"}) {
        EXPECT_EQ(worker->answer(line).error().kind, FailureKind::protocol) << line;
    }
    EXPECT_EQ(worker->answer(std::string(kLongestLine + 10, 'x') + "\n").error().message,
              "the line is longer than 1 MiB");
    EXPECT_TRUE(worker->call(HelloRequest{kVersion, "test"}));
}

TEST(handshake, an_unknown_verb_and_a_missing_field_are_errors_that_name_them)
{
    const auto worker = Stage::worker();
    const Failure verb = worker->answer("{\"id\": 1, \"do\": \"dance\"}\n").error();
    EXPECT_EQ(verb.kind, FailureKind::protocol);
    EXPECT_EQ(verb.message, "the verb \"dance\" is not known to this worker");
    const Failure field = worker->answer("{\"id\": 2, \"do\": \"weights_out\"}\n").error();
    EXPECT_EQ(field.kind, FailureKind::protocol);
    EXPECT_EQ(field.message, "weights_out: folder is missing");
}

TEST(handshake, verbs_out_of_turn_are_refused_with_what_must_come_first)
{
    const Stage stage;
    const auto worker = Stage::worker();
    const std::string order = stage.order("order.npy", {0, 1, 2, 3});
    EXPECT_EQ(worker->call(stage.weights()).error().message, "this needs a network: build comes first");
    worker->call(Stage::build()).value();
    EXPECT_EQ(worker->call(stage.train({order})).error().message, "this needs images: data comes first");
    worker->call(stage.data()).value();
    EXPECT_EQ(worker->call(stage.train({order})).error().message,
              "this needs weights: weights_in comes first");
    EXPECT_EQ(worker->call(Stage::build()).error().kind, FailureKind::protocol) << "build comes once";
}

TEST(handshake, shutdown_is_answered_and_ends_the_worker_with_code_0)
{
    const auto worker = Stage::worker();
    EXPECT_TRUE(worker->call(ShutdownRequest{}));
    EXPECT_EQ(worker->exit_code(), 0);
}

TEST(handshake, the_end_of_file_ends_the_worker_without_a_word)
{
    const auto worker = Stage::worker();
    worker->call(HelloRequest{kVersion, "test"}).value();
    worker->close_requests();
    EXPECT_FALSE(worker->next());
    EXPECT_EQ(worker->exit_code(), 0);
}

TEST(handshake, a_worker_that_is_started_by_hand_says_so_and_ends)
{
    ::unsetenv(kReadVariable.data());
    TinyTrainer trainer;
    EXPECT_EQ(serve(0, nullptr, trainer), 2);
}

}  // namespace
}  // namespace lockstep::sdk
