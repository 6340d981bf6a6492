// The timed loop, the check and the predictions, through the pipes.
#include "workers/sdk/cpp/training.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "tests/unit/sdk/stage.hpp"
#include "workers/sdk/cpp/npy.hpp"

namespace lockstep::sdk {
namespace {

using namespace protocol;

template <class T>
std::vector<T> values_in(const std::string& path)
{
    const NpyView<T> file(path);
    return {file.values().begin(), file.values().end()};
}

const std::vector<std::int64_t> kOrder{7, 1, 2, 3, 19, 5, 6, 0, 4, 4, 8, 9};  // three batches

TEST(training, each_step_gets_the_images_and_labels_of_its_place_in_the_order)
{
    const Stage stage;
    const auto worker = stage.ready();
    const TrainReply reply = worker->call(stage.train({stage.order("order.npy", kOrder)})).value();
    EXPECT_EQ(values_in<float>(reply.losses.value()), (std::vector<float>{7, 19, 4}));
    ASSERT_EQ(reply.epochs.size(), 1u);
    EXPECT_EQ(reply.epochs[0].steps, 3);
    EXPECT_DOUBLE_EQ(reply.epochs[0].loss.value(), 10.0);
}

TEST(training, stamps_of_all_epochs_follow_each_other_within_their_epochs)
{
    const Stage stage;
    const auto worker = stage.ready();
    TrainRequest request = stage.train({stage.order("1.npy", kOrder), stage.order("2.npy", {0, 1, 2, 3})});
    request.evaluate = true;
    request.predictions = stage.path("predictions.{epoch}.npy");
    const TrainReply reply = worker->call(request).value();
    EXPECT_EQ(NpyView<std::int64_t>(reply.stamps).shape(), (Shape{4, 2}));
    const std::vector<std::int64_t> stamps = values_in<std::int64_t>(reply.stamps);
    ASSERT_EQ(reply.epochs.size(), 2u);
    ASSERT_EQ(reply.evaluations.size(), 2u);
    std::vector<std::int64_t> all{reply.epochs[0].begin};
    all.insert(all.end(), stamps.begin(), stamps.begin() + 6);
    all.insert(all.end(), {reply.epochs[0].end, reply.evaluations[0].begin, reply.evaluations[0].end,
                           reply.epochs[1].begin});
    all.insert(all.end(), stamps.begin() + 6, stamps.end());
    all.insert(all.end(), {reply.epochs[1].end, reply.evaluations[1].begin, reply.evaluations[1].end});
    EXPECT_TRUE(std::ranges::is_sorted(all));
    EXPECT_GT(all.front(), 0);
    EXPECT_EQ(reply.phases.at("first_step").begin, stamps[0]);
    EXPECT_EQ(reply.phases.at("first_step").end, stamps[1]);
}

TEST(training, the_test_images_are_predicted_after_each_epoch_into_files_numbered_from_1)
{
    const Stage stage;
    const auto worker = stage.ready();
    const std::string order = stage.order("order.npy", kOrder);
    TrainRequest request = stage.train({order, order});
    request.evaluate = true;
    request.predictions = stage.path("predictions.{epoch}.npy");
    const TrainReply reply = worker->call(request).value();
    EXPECT_EQ(reply.predictions,
              (std::vector<std::string>{stage.path("predictions.1.npy"), stage.path("predictions.2.npy")}));
    EXPECT_EQ(values_in<std::int32_t>(reply.predictions[1]).size(), 10u);
    request.predictions = stage.path("predictions.npy");
    EXPECT_EQ(worker->call(request).error().kind, FailureKind::protocol)
        << "the second would replace the first";
}

// The worker after hello, with native input asked for; `data_first`: data come before the network.
std::unique_ptr<Conversation> native_worker(const Stage& stage, bool data_first)
{
    auto worker = std::make_unique<Conversation>([] { return std::make_unique<SelfFedTrainer>(); });
    worker->call(HelloRequest{kVersion, "test"}).value();
    BuildRequest build = Stage::build();
    build.job.input = "native";
    if (data_first) {
        worker->call(stage.data()).value();
    }
    const BuildReply built = worker->call(build).value();
    EXPECT_EQ(built.step_includes, (std::vector<std::string>{"input"}));
    if (!data_first) {
        worker->call(stage.data()).value();
    }
    worker->call(stage.weights()).value();
    return worker;
}

TEST(training, native_input_takes_as_many_steps_as_the_orders_have_and_begins_each_epoch)
{
    const Stage stage;
    for (const bool data_first : {true, false}) {
        const auto worker = native_worker(stage, data_first);
        const TrainReply reply =
            worker->call(stage.train({stage.order("1.npy", kOrder), stage.order("2.npy", {9, 9, 9, 9})}))
                .value();
        EXPECT_EQ(values_in<float>(reply.losses.value()), (std::vector<float>{0, 4, 8, 0}));
    }
}

TEST(training, native_pixels_are_those_of_the_trainers_own_path)
{
    const Stage stage;
    const auto worker = native_worker(stage, true);
    worker->call(PixelsRequest{2, stage.path("pixels.npy"), "native"}).value();
    const std::vector<float> pixels = values_in<float>(stage.path("pixels.npy"));
    ASSERT_EQ(pixels.size(), 30u);
    EXPECT_FLOAT_EQ(pixels[15], -1.0F / 255.0F);
}

TEST(training, a_limit_ends_the_steps_within_an_epoch_and_leaves_out_the_epochs_after_it)
{
    const Stage stage;
    const auto worker = stage.ready();
    const std::string order = stage.order("order.npy", kOrder);
    TrainRequest request = stage.train({order, order, order});
    request.limit = 5;
    const TrainReply cut = worker->call(request).value();
    ASSERT_EQ(cut.epochs.size(), 2u);
    EXPECT_EQ(cut.epochs[1].steps, 2);
    EXPECT_EQ(values_in<float>(*cut.losses), (std::vector<float>{7, 19, 4, 7, 19}));
    request.limit = 3;
    EXPECT_EQ(worker->call(request).value().epochs.size(), 1u);
    request.limit = 1'000;
    EXPECT_EQ(worker->call(request).value().epochs.size(), 3u);
}

TEST(training, a_loss_that_is_not_a_number_is_carried_as_absent)
{
    const Stage stage;
    const auto worker = stage.ready("nan", false);
    const TrainReply reply = worker->call(stage.train({stage.order("order.npy", kOrder)})).value();
    EXPECT_FALSE(reply.epochs.at(0).loss);
    EXPECT_TRUE(std::isnan(values_in<float>(*reply.losses).at(0)));
    const CheckReply check =
        worker->call(CheckRequest{stage.order("order.npy", kOrder), 3, stage.path("check")}).value();
    EXPECT_EQ(check.losses, (std::vector<std::optional<double>>(3)));
    EXPECT_EQ(check.loss, 7.0);
}

TEST(training, an_exception_of_the_trainer_is_an_error_of_the_framework_and_the_worker_lives_on)
{
    const Stage stage;
    const auto worker = stage.ready("throw");
    const Failure failure = worker->call(stage.train({stage.order("order.npy", kOrder)})).error();
    EXPECT_EQ(failure.kind, FailureKind::framework);
    EXPECT_EQ(failure.message, "train: a layer is broken");
    EXPECT_TRUE(worker->call(MemoryRequest{}));
}

TEST(training, memory_that_ran_out_is_an_error_of_resources)
{
    const Stage stage;
    const auto worker = stage.ready("exhaust");
    EXPECT_EQ(worker->call(stage.train({stage.order("order.npy", kOrder)})).error().kind,
              FailureKind::resources);
}

TEST(training, orders_that_are_not_whole_batches_of_known_images_are_refused_before_the_first_step)
{
    const Stage stage;
    const auto worker = stage.ready();
    for (const std::vector<std::int64_t>& order :
         {std::vector<std::int64_t>{}, {0, 1, 2}, {0, 1, 2, 20}, {0, 1, 2, -1}}) {
        EXPECT_EQ(worker->call(stage.train({stage.order("order.npy", order)})).error().kind,
                  FailureKind::protocol);
    }
    EXPECT_EQ(worker->call(stage.train({stage.path("nowhere.npy")})).error().kind, FailureKind::protocol);
    EXPECT_EQ(worker->call(stage.train({stage.path("kernel.npy")})).error().kind, FailureKind::protocol);
}

TEST(training, a_place_that_cannot_be_written_is_an_error_of_resources)
{
    const Stage stage;
    const auto worker = stage.ready();
    TrainRequest request = stage.train({stage.order("order.npy", kOrder)});
    request.stamps = stage.path("no/such/folder/stamps.npy");
    EXPECT_EQ(worker->call(request).error().kind, FailureKind::resources);
}

TEST(training, the_end_of_file_ends_a_worker_in_the_middle_of_training)
{
    const Stage stage;
    const auto worker = stage.ready("slow");
    std::vector<std::int64_t> long_order(kBatch * 100'000);  // more than eight minutes of steps
    worker->send(request_line(9, stage.train({stage.order("order.npy", long_order)})));
    ASSERT_TRUE(worker->next()) << "an event shows that it trains";
    worker->close_requests();
    EXPECT_EQ(worker->exit_code(), 0);
}

TEST(training, long_training_sends_its_progress)
{
    const Stage stage;
    const auto worker = stage.ready("slow");
    std::vector<std::int64_t> order(kBatch * 100);  // half a second of steps
    worker->events.clear();
    worker->call(stage.train({stage.order("order.npy", order)})).value();
    ASSERT_FALSE(worker->events.empty());
    const Progress progress = std::get<Progress>(worker->events[0]);
    EXPECT_EQ(progress.of, 100);
    EXPECT_EQ(progress.epoch, 1);
    EXPECT_GT(progress.done, 0);
}

TEST(prediction, every_test_image_is_predicted_and_the_last_partial_batch_too)
{
    const Stage stage;
    const auto worker = stage.ready();
    const PredictReply reply = worker->call(PredictRequest{stage.path("predictions.npy")}).value();
    EXPECT_EQ(values_in<std::int32_t>(reply.file), (std::vector<std::int32_t>{0, 1, 2, 0, 1, 2, 0, 1, 2, 0}));
    EXPECT_TRUE(reply.phases.contains("evaluate"));
}

TEST(prediction, of_equal_logits_the_lowest_class_is_taken)
{
    std::vector<std::int32_t> classes(3);
    write_classes(std::vector<float>{1, 2, 2, /**/ 0, 0, 0, /**/ -1, -2, 3}, 3, classes);
    EXPECT_EQ(classes, (std::vector<std::int32_t>{1, 0, 2}));
}

TEST(check, writes_logits_gradients_and_the_weights_after_k_steps)
{
    const Stage stage;
    const auto worker = stage.ready("", false);
    const CheckReply reply =
        worker->call(CheckRequest{stage.order("order.npy", kOrder), 3, stage.path("check")}).value();
    EXPECT_EQ(reply.loss, 7.0);
    EXPECT_EQ(reply.losses, (std::vector<std::optional<double>>{7.0, 19.0, 4.0}));
    EXPECT_EQ(reply.files.size(), 6u);
    EXPECT_EQ(NpyView<float>(reply.files.at("logits")).shape(), (Shape{4, 3}));
    EXPECT_EQ(values_in<float>(reply.files.at("gradient.dense1.bias")), (std::vector<float>{0, 0, 0}));
    EXPECT_EQ(values_in<float>(reply.files.at("after.dense1.bias")), (std::vector<float>{3, 3, 3}));
    EXPECT_EQ(values_in<std::int32_t>(reply.files.at("predictions")),
              (std::vector<std::int32_t>{0, 1, 2, 0, 1, 2, 0, 1, 2, 0}))
        << "of the test images";
    EXPECT_EQ(reply.files.at("after.dense1.kernel"), stage.path("check/after.dense1.kernel.npy"));
}

TEST(check, is_refused_with_dropout_or_when_the_order_holds_another_number_of_steps)
{
    const Stage stage;
    const CheckRequest request{stage.order("order.npy", kOrder), 3, stage.path("check")};
    EXPECT_EQ(stage.ready("", true)->call(request).error().message,
              "check: the network was built with dropout");
    const CheckRequest five{request.order, 5, request.folder};
    EXPECT_EQ(stage.ready("", false)->call(five).error().kind, FailureKind::protocol);
}

}  // namespace
}  // namespace lockstep::sdk
