// Gathering runs between the steps of every locked run, so its inner loop is written to be vectorised.
#include "workers/sdk/cpp/feeder.hpp"

#include <algorithm>
#include <string>

#include "workers/sdk/cpp/faults.hpp"

namespace lockstep::sdk {
namespace {

// Whole blocks of a fixed number let the compiler use vector instructions at any level of optimisation.
constexpr std::size_t kBlock = 32;

void to_float(const std::uint8_t* from, std::size_t count, float scale, float* to)
{
    std::size_t i = 0;
    for (; i + kBlock <= count; i += kBlock) {
        for (std::size_t k = 0; k < kBlock; ++k) {
            to[i + k] = static_cast<float>(from[i + k]) * scale;
        }
    }
    for (; i < count; ++i) {
        to[i] = static_cast<float>(from[i]) * scale;
    }
}

}  // namespace

Pictures::Pictures(const std::string& path) : file_(path), pixels_(0)
{
    if (file_.shape().size() != 4 || file_.values().empty()) {
        throw BadRequest(path + ": images must be N x height x width x channels, and at least one");
    }
    pixels_ = file_.values().size() / static_cast<std::size_t>(count());
}

void Pictures::copy(std::int64_t index, float scale, float* to) const
{
    to_float(file_.values().data() + static_cast<std::size_t>(index) * pixels_, pixels_, scale, to);
}

Data::Data(const protocol::DataRequest& request)
    : train(request.train_images),
      labels(request.train_labels),
      test(request.test_images),
      scale(static_cast<float>(request.scale))
{
    if (labels.shape() != Shape{train.count()}) {
        throw BadRequest(request.train_labels + ": there must be one label for each of the " +
                         std::to_string(train.count()) + " images");
    }
}

TrainingSet Data::training_set() const
{
    return {train.bytes(), labels.values(), train.size(), train.count(), scale};
}

Feeder::Feeder(const Data& data, const protocol::Job& job, bool images)
    : data_(data), batch_(static_cast<std::size_t>(job.batch)), images_wanted_(images), labels_(batch_)
{
    if (data.train.size() != job.network.input || data.test.size() != job.network.input) {
        throw BadRequest("the images are not of the size that the network takes");
    }
    const auto known = [&](std::int32_t label) { return label >= 0 && label < job.network.classes; };
    const auto labels = data.labels.values();
    if (!std::all_of(labels.begin(), labels.end(), known)) {
        throw BadRequest("a label is not from 0 to " + std::to_string(job.network.classes - 1));
    }
    if (images) {
        images_.resize(batch_ * data.train.pixels());
    }
}

NpyView<std::int64_t> Feeder::open_order(const std::string& path) const
{
    NpyView<std::int64_t> order(path);
    const auto indices = order.values();
    if (indices.empty() || indices.size() % batch_ != 0) {
        throw BadRequest(path + ": " + std::to_string(indices.size()) + " indices are not whole batches of " +
                         std::to_string(batch_));
    }
    const auto inside = [&](std::int64_t index) { return index >= 0 && index < data_.train.count(); };
    if (!std::all_of(indices.begin(), indices.end(), inside)) {
        throw BadRequest(path + ": an index is outside the training images");
    }
    return order;
}

Batch Feeder::train_batch(std::span<const std::int64_t> indices)
{
    const auto labels = data_.labels.values();
    for (std::size_t i = 0; i < indices.size(); ++i) {
        labels_[i] = labels[static_cast<std::size_t>(indices[i])];
        if (images_wanted_) {
            data_.train.copy(indices[i], data_.scale, images_.data() + i * data_.train.pixels());
        }
    }
    return {images_, labels_, static_cast<std::int64_t>(indices.size())};
}

Batch Feeder::test_batch(std::int64_t first, std::int64_t count)
{
    if (!images_wanted_) {
        return {{}, {}, count};
    }
    const std::size_t pixels = data_.test.pixels();
    for (std::int64_t i = 0; i < count; ++i) {
        data_.test.copy(first + i, data_.scale, images_.data() + static_cast<std::size_t>(i) * pixels);
    }
    return {std::span<const float>(images_).first(static_cast<std::size_t>(count) * pixels), {}, count};
}

}  // namespace lockstep::sdk
