// Workers that behave and workers that do not, as little shell programs. Each misbehaviour must give its
// kind of outcome and leave no process.
#include "harness/launch/worker.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "tests/unit/launch/scratch.hpp"

namespace lockstep::launch {
namespace {

using record::OutcomeKind;
using std::chrono::milliseconds;

const char* const kAsk = "read -r line <&$LOCKSTEP_READ_FD\n";

std::string say(const std::string& json)
{
    return "printf '%s\\n' '" + json + "' >&$LOCKSTEP_WRITE_FD\n";
}
std::string reply(int id, const std::string& ok)
{
    return kAsk + say("{\"id\":" + std::to_string(id) + ",\"ok\":" + ok + "}");
}

std::string hello_ok(int version = 1)
{
    return "{\"protocol\":" + std::to_string(version) +
           R"(,"worker":"fake","versions":{"fake":"1.0"},"layouts":{"convolution":"HWIO","flipped":false,)"
           R"("dense":"in_out","flatten":"HWC"},"can":{"layers":[],"optimizers":[],"precisions":[],"inputs":[],)"
           R"("devices":[],"options":[],"verbs":[]},"devices":[{"kind":"cpu","index":0,"name":"x"}],)"
           R"("started":5,"phases":{}})";
}

std::string build_ok(int parameters)
{
    return "{\"parameters\":" + std::to_string(parameters) +
           R"(,"tensors":[],"facts":{},"adam":"epsilon_hat","step_includes":[],"phases":{}})";
}

// Two inputs, one dense layer of three units: nine parameters.
protocol::BuildRequest small_build()
{
    protocol::BuildRequest request;
    protocol::Network& network = request.job.network;
    network.id = "a_long_id";
    network.short_name = "tiny";
    network.input = {1, 2, 1};
    network.classes = 3;
    protocol::Layer flatten;
    flatten.kind = protocol::LayerKind::flatten;
    flatten.name = "flatten1";
    flatten.input = {1, 2, 1};
    flatten.output = {2};
    protocol::Layer dense;
    dense.kind = protocol::LayerKind::dense;
    dense.name = "dense1";
    dense.input = {2};
    dense.output = {3};
    network.layers = {flatten, dense};
    return request;
}

protocol::TrainRequest small_training()
{
    protocol::TrainRequest request;
    request.epochs = 1;
    request.orders = {"/order.npy"};
    request.stamps = "/stamps.npy";
    request.silence_ms = 1000;
    return request;
}

const char* const kTrained = R"({"epochs":[{"begin":1,"end":2,"steps":1,"loss":0.5}],"stamps":"/stamps.npy",)"
                             R"("predictions":[],"evaluations":[],"phases":{}})";

class LiveWorker : public testing::Test {
protected:
    void start(const std::string& script)
    {
        WorkerOrder order;
        order.name = "fake";
        order.process = scratch_.shell(script);
        order.process.folder = scratch_.folder();
        order.time_outs = time_outs_;
        order.events.progress = [this](const protocol::Progress& progress) {
            done_.push_back(progress.done);
        };
        order.events.warning = [this](std::string_view text) { warnings_.emplace_back(text); };
        Answer<std::unique_ptr<Worker>> started = Worker::start(std::move(order), &interrupt_);
        ASSERT_TRUE(started) << started.error().reason;
        worker_ = std::move(*started);
    }
    template <class T>
    void expect_end(const Answer<T>& answer, OutcomeKind kind, const std::string& reason)
    {
        ASSERT_FALSE(answer);
        EXPECT_EQ(record::word(answer.error().kind), record::word(kind)) << answer.error().reason;
        EXPECT_NE(answer.error().reason.find(reason), std::string::npos) << answer.error().reason;
        EXPECT_EQ(processes_with(scratch_.token()), std::vector<pid_t>());
        const Answer<protocol::MemoryReply> later = worker_->memory();
        ASSERT_FALSE(later);
        EXPECT_EQ(later.error().reason, answer.error().reason);
    }
    Answer<protocol::HelloReply> hello() { return worker_->hello("0.1.0"); }

    Scratch scratch_;
    Interrupt interrupt_;
    TimeOuts time_outs_{milliseconds(30'000), milliseconds(30'000), milliseconds(30'000),
                        milliseconds(30'000), milliseconds(30'000), milliseconds(30'000)};
    std::vector<std::int64_t> done_;
    std::vector<std::string> warnings_;
    std::unique_ptr<Worker> worker_;
};

TEST_F(LiveWorker, a_good_one_answers_every_call_and_ends)
{
    start(reply(1, hello_ok()) + reply(2, build_ok(9)) + kAsk +
          say(R"({"event":"progress","done":3,"of":10})") + say(R"({"event":"warning","message":"no GPU"})") +
          say(R"({"event":"alive"})") + say(R"({"event":"from a later version"})") +
          say(std::string(R"({"id":3,"ok":)") + kTrained + "}") +
          reply(4, R"({"allocators":{"pool":4096}})") + reply(5, "{}"));
    const Answer<protocol::HelloReply> greeted = hello();
    ASSERT_TRUE(greeted) << greeted.error().reason;
    EXPECT_EQ(greeted->worker, "fake");
    const auto built = worker_->build(small_build());
    ASSERT_TRUE(built) << built.error().reason;
    EXPECT_EQ(built->parameters, 9);
    const auto trained = worker_->train(small_training());
    ASSERT_TRUE(trained) << trained.error().reason;
    EXPECT_EQ(trained->epochs.at(0).loss, 0.5);
    EXPECT_EQ(done_, std::vector<std::int64_t>{3});
    EXPECT_EQ(warnings_, std::vector<std::string>{"no GPU"});
    EXPECT_EQ(worker_->memory()->allocators.at("pool"), 4096);
    const auto ended = worker_->shutdown();
    ASSERT_TRUE(ended) << ended.error().reason;
    EXPECT_TRUE(ended->clean());
    EXPECT_EQ(processes_with(scratch_.token()), std::vector<pid_t>());
}

TEST_F(LiveWorker, one_that_does_not_answer_hello_is_hung)
{
    time_outs_.start = milliseconds(300);
    start("echo waiting for a licence\nsleep 1000");
    const Answer<protocol::HelloReply> answer = hello();
    expect_end(answer, OutcomeKind::hung, "fake did not answer within 0.3 s of its start.");
    EXPECT_EQ(answer.error().stage, "hello");
    EXPECT_EQ(answer.error().tail, "waiting for a licence");
}

TEST_F(LiveWorker, one_that_is_stopped_by_a_signal_has_crashed)
{
    start(reply(1, hello_ok()) + kAsk + "echo 'Check failed: shape[i] >= 0'\nkill -ABRT $$");
    ASSERT_TRUE(hello());
    const auto answer = worker_->build(small_build());
    expect_end(answer, OutcomeKind::crashed, "fake stopped with signal 6 while building tiny.");
    EXPECT_EQ(answer.error().stage, "build");
    EXPECT_EQ(answer.error().tail, "Check failed: shape[i] >= 0");
}

TEST_F(LiveWorker, one_that_is_out_of_memory_is_told_what_to_try)
{
    start(reply(1, hello_ok()) + kAsk + "kill -KILL $$");
    ASSERT_TRUE(hello());
    const auto answer = worker_->train(small_training());
    expect_end(answer, OutcomeKind::crashed, "fake stopped with signal 9 while training");
    EXPECT_NE(answer.error().remedy.find("memory"), std::string::npos);
}

TEST_F(LiveWorker, one_that_exits_has_crashed_even_with_code_0)
{
    start("exit 7");
    expect_end(hello(), OutcomeKind::crashed, "fake ended with exit code 7 while starting.");
    start(reply(1, hello_ok()) + kAsk + "exit 0");
    ASSERT_TRUE(hello());
    expect_end(worker_->memory(), OutcomeKind::crashed, "ended with exit code 0 while reporting its memory");
}

TEST_F(LiveWorker, one_whose_daemon_holds_the_pipe_open_has_crashed_all_the_same)
{
    start("setsid sh -c 'while :; do sleep 1; done' &\nexit 4");
    expect_end(hello(), OutcomeKind::crashed, "exit code 4");
}

TEST_F(LiveWorker, a_line_that_is_not_json_is_garbage)
{
    start(kAsk + say("Epoch 1/5 \x1b[32m[=====>]"));
    expect_end(hello(), OutcomeKind::garbage,
               "fake sent a line that is no message while starting (\"Epoch 1/5");
}

TEST_F(LiveWorker, a_line_of_2_mebibytes_is_garbage)
{
    start(std::string(kAsk) + "head -c 2097152 /dev/zero | tr '\\0' 'x' >&$LOCKSTEP_WRITE_FD\nsleep 1000");
    expect_end(hello(), OutcomeKind::garbage, "longer than 1 MiB");
}

TEST_F(LiveWorker, a_wrong_id_is_garbage)
{
    start(kAsk + say("{\"id\":7,\"ok\":" + hello_ok() + "}") + "sleep 1000");
    expect_end(hello(), OutcomeKind::garbage, "answered request 7 while starting, which was request 1");
}

TEST_F(LiveWorker, a_missing_field_is_garbage_and_named)
{
    start(reply(1, hello_ok()) + reply(2, R"({"tensors":[]})") + "sleep 1000");
    ASSERT_TRUE(hello());
    expect_end(worker_->build(small_build()), OutcomeKind::garbage, "parameters");
}

TEST_F(LiveWorker, one_that_closes_its_pipe_but_lives_on_is_garbage)
{
    time_outs_.last_breath = milliseconds(200);
    start(std::string(kAsk) + "exec 5>&-\nsleep 1000");
    expect_end(hello(), OutcomeKind::garbage, "closed its end of the protocol while starting, but lived on");
}

TEST_F(LiveWorker, one_that_closes_its_ear_but_lives_on_is_garbage)
{
    time_outs_.last_breath = milliseconds(200);
    start(reply(1, hello_ok()) + "exec 4<&-\necho closed\nsleep 1000");
    ASSERT_TRUE(hello());
    ASSERT_TRUE(eventually([&] { return text_of(scratch_.folder() / "output") == "closed\n"; }));
    expect_end(worker_->memory(), OutcomeKind::garbage, "lived on");
}

TEST_F(LiveWorker, one_that_is_silent_in_training_is_hung)
{
    time_outs_.silence = milliseconds(300);
    start(reply(1, hello_ok()) + "sleep 1000");
    ASSERT_TRUE(hello());
    expect_end(worker_->train(small_training()), OutcomeKind::hung,
               "fake gave no sign for 0.3 s while training");
}

TEST_F(LiveWorker, events_put_the_silence_off)
{
    time_outs_.silence = milliseconds(4000);
    std::string script = reply(1, hello_ok()) + kAsk;
    for (int i = 1; i <= 6; ++i) {
        script += "sleep 1\n" + say(R"({"event":"progress","of":9,"done":)" + std::to_string(i) + "}");
    }
    start(script + say(std::string(R"({"id":2,"ok":)") + kTrained + "}"));
    ASSERT_TRUE(hello());
    const auto trained = worker_->train(small_training());
    ASSERT_TRUE(trained) << trained.error().reason;
    EXPECT_EQ(done_.size(), 6u);
}

TEST_F(LiveWorker, one_that_takes_no_requests_is_hung)
{
    time_outs_.build = milliseconds(300);
    start(reply(1, hello_ok()) + "sleep 1000");
    ASSERT_TRUE(hello());
    protocol::BuildRequest request = small_build();
    request.job.options["text"] = std::string(300'000, 'x');
    expect_end(worker_->build(request), OutcomeKind::hung, "fake gave no sign for 0.3 s while building tiny");
}

TEST_F(LiveWorker, another_version_of_the_protocol_is_named_with_who_is_older)
{
    start(reply(1, hello_ok(2)) + "sleep 1000");
    expect_end(hello(), OutcomeKind::garbage,
               "fake speaks version 2 of the protocol and lockstep version 1: lockstep is older.");
    start(reply(1, R"({"protocol":0})") + "sleep 1000");
    expect_end(hello(), OutcomeKind::garbage,
               "version 0 of the protocol and lockstep version 1: fake is older.");
}

TEST_F(LiveWorker, what_it_cannot_do_is_skipped_and_it_lives_on)
{
    start(reply(1, hello_ok()) + kAsk +
          say(R"({"id":2,"error":{"kind":"unsupported","message":"no float16 here","layer":"conv1"}})") +
          reply(3, R"({"allocators":{}})") + "sleep 1000");
    ASSERT_TRUE(hello());
    const auto answer = worker_->build(small_build());
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().kind, OutcomeKind::skipped);
    EXPECT_EQ(answer.error().reason, "no float16 here (layer conv1).");
    EXPECT_TRUE(worker_->memory());
}

TEST_F(LiveWorker, errors_that_it_reports_are_failures)
{
    for (const std::string kind : {"framework", "resources", "protocol"}) {
        start(kAsk + say(R"({"id":1,"error":{"kind":")" + kind + R"(","message":"first line\nsecond"}})"));
        const auto answer = hello();
        ASSERT_FALSE(answer);
        EXPECT_EQ(answer.error().kind, OutcomeKind::failed);
        EXPECT_NE(answer.error().reason.find("first line second."), std::string::npos)
            << answer.error().reason;
    }
}

TEST_F(LiveWorker, another_parameter_count_is_a_lie)
{
    start(reply(1, hello_ok()) + reply(2, build_ok(8)) + "sleep 1000");
    ASSERT_TRUE(hello());
    expect_end(worker_->build(small_build()), OutcomeKind::lied,
               "fake built tiny with 8 parameters; the model file gives 9.");
}

TEST_F(LiveWorker, an_interrupt_ends_it)
{
    start("trap '' TERM INT\nsleep 1000");
    std::thread user([&] { interrupt_.raise(); });
    expect_end(hello(), OutcomeKind::interrupted, "fake was stopped while starting.");
    user.join();
}

TEST_F(LiveWorker, one_whose_keeper_is_killed_has_crashed)
{
    start("setsid sh -c 'echo $$; while :; do sleep 1; done' &\nsleep 1000");
    ASSERT_TRUE(eventually([&] { return !text_of(scratch_.folder() / "output").empty(); }));
    ::kill(worker_->process().keeper(), SIGKILL);
    expect_end(hello(), OutcomeKind::crashed,
               "fake was ended from outside, with its keeper, while starting.");
}

TEST_F(LiveWorker, huge_output_does_not_stop_it_and_only_its_end_is_kept)
{
    start("head -c 30000000 /dev/zero | tr '\\0' 'x'\necho\nfor i in 1 2 3; do echo line $i; done\nexit 9");
    const auto answer = hello();
    expect_end(answer, OutcomeKind::crashed, "exit code 9");
    EXPECT_NE(answer.error().tail.find("...\nline 1\nline 2\nline 3"), std::string::npos);
    EXPECT_LT(answer.error().tail.size(), 1000u);
}

TEST_F(LiveWorker, one_that_outlives_its_shutdown_is_hung)
{
    time_outs_.shutdown = milliseconds(500);
    start(reply(1, hello_ok()) + reply(2, "{}") + "sleep 1000");
    ASSERT_TRUE(hello());
    expect_end(worker_->shutdown(), OutcomeKind::hung,
               "fake lived on for 0.5 s after it was told to shut down.");
}

TEST_F(LiveWorker, one_that_fails_in_its_shutdown_has_crashed)
{
    start(reply(1, hello_ok()) + reply(2, "{}") + "kill -SEGV $$");
    ASSERT_TRUE(hello());
    expect_end(worker_->shutdown(), OutcomeKind::crashed, "fake stopped with signal 11 while shutting down.");
}

TEST_F(LiveWorker, killing_it_leaves_nothing)
{
    start(reply(1, hello_ok()) + "setsid sleep 1000 &\nsleep 1000");
    ASSERT_TRUE(hello());
    worker_->kill();
    EXPECT_EQ(processes_with(scratch_.token()), std::vector<pid_t>());
    EXPECT_EQ(worker_->memory().error().kind, OutcomeKind::interrupted);
}

TEST(UnstartedWorker, a_command_that_does_not_exist_is_a_failure_with_a_way_out)
{
    WorkerOrder order;
    order.name = "fake";
    order.process.command = {"/nowhere/worker"};
    const auto started = Worker::start(std::move(order), nullptr);
    ASSERT_FALSE(started);
    EXPECT_EQ(started.error().kind, OutcomeKind::failed);
    EXPECT_EQ(started.error().stage, "start");
    EXPECT_FALSE(started.error().remedy.empty());
}

}  // namespace
}  // namespace lockstep::launch
