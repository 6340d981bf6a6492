// Weights, images and the .npy files that carry them.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "tests/unit/sdk/stage.hpp"
#include "workers/sdk/cpp/faults.hpp"
#include "workers/sdk/cpp/feeder.hpp"
#include "workers/sdk/cpp/npy.hpp"

namespace lockstep::sdk {
namespace {

using namespace protocol;

void write_text(const std::string& path, const std::string& text)
{
    std::ofstream(path) << text;
}

std::string npy_text(const std::string& header, std::size_t bytes)
{
    std::string text("\x93NUMPY\x01\x00", 8);
    text += static_cast<char>(header.size());
    text += '\0';
    return text + header + std::string(bytes, '\0');
}

TEST(npy, what_is_written_is_read_again_and_begins_at_a_multiple_of_64)
{
    const Stage stage;
    const std::vector<float> values{1.5F, -2.0F, 3.25F, 0.0F, 5.0F, 6.0F};
    write_npy<float>(stage.path("a.npy"), {2, 3, 1}, values);
    const NpyView<float> view(stage.path("a.npy"));
    EXPECT_EQ(view.shape(), (Shape{2, 3, 1}));
    EXPECT_TRUE(std::ranges::equal(view.values(), values));
    EXPECT_EQ((std::filesystem::file_size(stage.path("a.npy")) - 24) % 64, 0u);
    EXPECT_FALSE(std::filesystem::exists(stage.path("a.npy.part")));
}

TEST(npy, a_header_as_numpy_writes_it_is_read)
{
    const Stage stage;
    write_text(stage.path("a.npy"),
               npy_text("{'descr': '<i8', 'fortran_order': False, 'shape': (2,), }     \n", 16));
    EXPECT_EQ(NpyView<std::int64_t>(stage.path("a.npy")).shape(), Shape{2});
    write_text(stage.path("b.npy"), npy_text("{'descr': '<f4', 'fortran_order': False, 'shape': (), }\n", 4));
    EXPECT_EQ(NpyView<float>(stage.path("b.npy")).values().size(), 1u);
}

TEST(npy, files_that_are_broken_or_of_another_kind_are_refused)
{
    const Stage stage;
    const std::string bad = stage.path("bad.npy");
    for (const std::string& text :
         {std::string(), std::string("\x93NUMPY"), std::string("no numpy file at all"),
          npy_text("{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }\n", 8),
          npy_text("{'descr': '>f4', 'fortran_order': False, 'shape': (1,), }\n", 4),
          npy_text("{'descr': '<f4', 'fortran_order': True, 'shape': (1,), }\n", 4),
          npy_text("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }\n", 4),
          npy_text("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }\n", 8),
          npy_text("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }\n", 4),
          npy_text("{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296), }\n", 4),
          npy_text("{'descr': '<f4', 'fortran_order': False, 'shape': (1\n", 4),
          npy_text("{'descr': '<f4', 'fortran_order': False}\n", 4), npy_text("{'descr': '<f", 0)}) {
        write_text(bad, text);
        EXPECT_THROW(NpyView<float>{bad}, BadRequest) << text;
    }
    EXPECT_THROW(NpyView<float>{stage.path("nowhere.npy")}, BadRequest);
    EXPECT_THROW(NpyView<float>{stage.path("")}, BadRequest);
}

TEST(npy, a_folder_that_does_not_exist_is_out_of_resources)
{
    const Stage stage;
    EXPECT_THROW(write_npy<float>(stage.path("no/a.npy"), {1}, std::vector<float>(1)), OutOfResources);
}

TEST(gathering, every_byte_becomes_its_value_times_the_scale)
{
    const Stage stage;
    std::vector<std::uint8_t> bytes(256);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        bytes[i] = static_cast<std::uint8_t>(i);
    }
    write_npy<std::uint8_t>(stage.path("bytes.npy"), {2, 64, 2, 1}, bytes);
    const Pictures pictures(stage.path("bytes.npy"));
    const float scale = 1.0F / 255.0F;
    std::vector<float> second(128);
    pictures.copy(1, scale, second.data());
    for (std::size_t i = 0; i < second.size(); ++i) {
        EXPECT_EQ(second[i], static_cast<float>(128 + i) * scale);
    }
}

TEST(data, images_and_labels_that_do_not_fit_each_other_or_the_network_are_refused)
{
    const Stage stage;
    const auto refused = [&](DataRequest data) {
        const auto worker = Stage::worker();
        worker->call(Stage::build()).value();
        const auto reply = worker->call(data);
        if (!reply) {
            return reply.error().kind == FailureKind::protocol;
        }
        worker->call(stage.weights()).value();
        return worker->call(PredictRequest{stage.path("p.npy")}).error().kind == FailureKind::protocol;
    };
    DataRequest few_labels = stage.data();
    few_labels.train_labels = stage.path("few.npy");
    write_npy<std::int32_t>(few_labels.train_labels, {3}, std::vector<std::int32_t>(3));
    EXPECT_TRUE(refused(few_labels));
    DataRequest other_labels = stage.data();
    other_labels.train_labels = stage.path("other.npy");
    write_npy<std::int32_t>(other_labels.train_labels, {kTrainImages},
                            std::vector<std::int32_t>(kTrainImages, 3));
    EXPECT_TRUE(refused(other_labels)) << "label 3 of classes 0 to 2";
    DataRequest other_size = stage.data();
    other_size.test_images = stage.path("turned.npy");
    write_npy<std::uint8_t>(other_size.test_images, {1, 3, 5, 1}, std::vector<std::uint8_t>(15));
    EXPECT_TRUE(refused(other_size));
    DataRequest flat = stage.data();
    flat.train_images = stage.path("labels.npy");
    EXPECT_TRUE(refused(flat));
}

TEST(pixels, the_first_training_images_are_written_as_the_network_sees_them)
{
    const Stage stage;
    const auto worker = stage.ready();
    worker->call(PixelsRequest{3, stage.path("pixels.npy"), "locked"}).value();
    const NpyView<float> pixels(stage.path("pixels.npy"));
    EXPECT_EQ(pixels.shape(), (Shape{3, 5, 3, 1}));
    EXPECT_FLOAT_EQ(pixels.values()[2 * 15], 2.0F / 255.0F);
    EXPECT_FLOAT_EQ(pixels.values()[1], 1.0F);
    EXPECT_EQ(worker->call(PixelsRequest{3, stage.path("p.npy"), "native"}).error().kind,
              FailureKind::unsupported);
    EXPECT_EQ(worker->call(PixelsRequest{21, stage.path("p.npy"), "locked"}).error().kind,
              FailureKind::protocol);
}

TEST(weights, what_comes_in_goes_out_and_may_come_again)
{
    const Stage stage;
    const auto worker = stage.ready();
    const std::vector<float> bias{0.5F, -1.0F, 2.0F};
    write_npy<float>(stage.path("bias.npy"), {3}, bias);
    worker->call(stage.weights()).value();
    const WeightsOutReply reply = worker->call(WeightsOutRequest{stage.path("out")}).value();
    EXPECT_EQ(reply.files.at("dense1.bias"), stage.path("out/dense1.bias.npy"));
    const NpyView<float> out(reply.files.at("dense1.bias"));
    EXPECT_TRUE(std::ranges::equal(out.values(), bias));
}

TEST(weights, a_missing_tensor_another_shape_and_another_type_are_refused_by_name)
{
    const Stage stage;
    const auto worker = stage.ready();
    WeightsInRequest one = stage.weights();
    one.files.erase("dense1.bias");
    EXPECT_EQ(worker->call(one).error().kind, FailureKind::protocol);
    WeightsInRequest renamed = one;
    renamed.files["dense2.bias"] = stage.path("bias.npy");
    EXPECT_EQ(worker->call(renamed).error().message, "weights_in: files.dense1.bias is missing");
    WeightsInRequest shape = stage.weights();
    shape.files["dense1.bias"] = stage.path("kernel.npy");
    EXPECT_NE(worker->call(shape).error().message.find("dense1.bias"), std::string::npos);
    WeightsInRequest type = stage.weights();
    type.files["dense1.bias"] = stage.path("labels.npy");
    EXPECT_EQ(worker->call(type).error().kind, FailureKind::protocol);
}

TEST(memory, the_allocator_speaks_under_its_own_names)
{
    const Stage stage;
    EXPECT_EQ(stage.ready()->call(MemoryRequest{}).value().allocators,
              (std::map<std::string, std::int64_t>{{"tiny peak", 4096}}));
}

}  // namespace
}  // namespace lockstep::sdk
