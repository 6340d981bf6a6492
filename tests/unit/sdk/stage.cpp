// The data of tiny_trainer.hpp: image n is 5 x 3 pixels, the first of them n.
#include "tests/unit/sdk/stage.hpp"

#include <cstdlib>
#include <stdexcept>
#include <utility>

#include "workers/sdk/cpp/npy.hpp"

namespace lockstep::sdk {
namespace {

std::vector<std::uint8_t> images_from(std::int64_t count)
{
    std::vector<std::uint8_t> pixels(static_cast<std::size_t>(count) * 15, 255);
    for (std::size_t n = 0; n < static_cast<std::size_t>(count); ++n) {
        pixels[n * 15] = static_cast<std::uint8_t>(n);
    }
    return pixels;
}

}  // namespace

Stage::Stage()
{
    std::string name = (std::filesystem::temp_directory_path() / "sdk_test_XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) {
        throw std::runtime_error("no temporary folder could be made");
    }
    folder_ = name;
    write_npy<std::uint8_t>(path("train.npy"), {kTrainImages, 5, 3, 1}, images_from(kTrainImages));
    write_npy<std::uint8_t>(path("test.npy"), {kTestImages, 5, 3, 1}, images_from(kTestImages));
    std::vector<std::int32_t> labels;
    for (std::int32_t n = 0; n < kTrainImages; ++n) {
        labels.push_back(n % 3);
    }
    write_npy<std::int32_t>(path("labels.npy"), {kTrainImages}, labels);
    write_npy<float>(path("kernel.npy"), {15, 3}, std::vector<float>(45));
    write_npy<float>(path("bias.npy"), {3}, std::vector<float>(3));
}

Stage::~Stage()
{
    std::filesystem::remove_all(folder_);
}

std::string Stage::order(const std::string& name, const std::vector<std::int64_t>& indices) const
{
    write_npy<std::int64_t>(path(name), {static_cast<std::int64_t>(indices.size())}, indices);
    return path(name);
}

protocol::BuildRequest Stage::build(const std::string& behave, bool dropout)
{
    using namespace protocol;
    Layer flatten;
    flatten.kind = LayerKind::flatten;
    flatten.name = "flatten1";
    flatten.input = {5, 3, 1};
    flatten.output = {15};
    Layer dense;
    dense.kind = LayerKind::dense;
    dense.name = "dense1";
    dense.input = {15};
    dense.output = {3};
    BuildRequest request;
    request.job.network = {"one_dense", "dense", {5, 3, 1}, 3, {flatten, dense}};
    request.job.batch = kBatch;
    request.job.dropout = dropout;
    if (!behave.empty()) {
        request.job.options["behave"] = behave;
    }
    return request;
}

protocol::DataRequest Stage::data() const
{
    return {path("train.npy"), path("labels.npy"), path("test.npy")};
}

protocol::WeightsInRequest Stage::weights() const
{
    return {{{"dense1.kernel", path("kernel.npy")}, {"dense1.bias", path("bias.npy")}}};
}

protocol::TrainRequest Stage::train(std::vector<std::string> orders) const
{
    protocol::TrainRequest request;
    request.epochs = static_cast<std::int64_t>(orders.size());
    request.orders = std::move(orders);
    request.stamps = path("stamps.npy");
    request.silence_ms = 10'000;
    return request;
}

std::unique_ptr<Conversation> Stage::worker()
{
    return std::make_unique<Conversation>([] { return std::make_unique<TinyTrainer>(); });
}

std::unique_ptr<Conversation> Stage::ready(const std::string& behave, bool dropout) const
{
    std::unique_ptr<Conversation> worker = Stage::worker();
    worker->call(protocol::HelloRequest{protocol::kVersion, "test"}).value();
    worker->call(build(behave, dropout)).value();
    worker->call(data()).value();
    worker->call(weights()).value();
    return worker;
}

}  // namespace lockstep::sdk
