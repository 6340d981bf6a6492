// A worker answers `pixels` only after a build, so each builds the smallest network that takes the images.
#include "harness/pipeline/pixel_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/base/npy_file.hpp"
#include "harness/pipeline/session.hpp"

namespace lockstep::pipeline {
namespace {

namespace fs = std::filesystem;
constexpr std::int64_t kMostInBatch = 32;

protocol::Network smallest_network(const data::Dataset& data)
{
    protocol::Network network;
    network.id = "pixels";
    network.short_name = "pixels";
    network.input = {data.height, data.width, data.channels};
    network.classes = static_cast<std::int64_t>(data.classes.size());
    protocol::Layer convolution;
    convolution.kind = protocol::LayerKind::convolution;
    convolution.name = "conv1";
    convolution.input = network.input;
    convolution.output = network.input;
    convolution.output.back() = 2;
    convolution.kernel_height = convolution.kernel_width = 3;
    convolution.activation = protocol::Activation::relu;
    protocol::Layer flatten;
    flatten.name = "flatten1";
    flatten.input = convolution.output;
    flatten.output = {elements_of(convolution.output)};
    protocol::Layer dense;
    dense.kind = protocol::LayerKind::dense;
    dense.name = "dense1";
    dense.input = flatten.output;
    dense.output = {network.classes};
    network.layers = {convolution, flatten, dense};
    return network;
}

class PixelCheck {
public:
    PixelCheck(const PixelOrder& order, const Workshop& shop)
        : order_(order),
          shop_(shop),
          network_(smallest_network(order.data)),
          count_(std::min(order.images, order.data.train_count))
    {
    }

    // The images and labels that are compared, in files of their own.
    Result<void> hand_out() const
    {
        std::error_code code;
        fs::create_directories(order_.folder, code);
        const Result<NpyFile> images = NpyFile::open(order_.data.train_images());
        const Result<NpyFile> labels = NpyFile::open(order_.data.train_labels());
        if (!images || !labels) {
            return tl::unexpected(!images ? images.error() : labels.error());
        }
        const auto values = static_cast<std::size_t>(count_ * order_.data.pixels());
        return write_npy<std::uint8_t>(images_file(),
                                       {count_, order_.data.height, order_.data.width, order_.data.channels},
                                       images->values<std::uint8_t>().first(values))
            .and_then([&] {
                return write_npy<std::int32_t>(
                    labels_file(), {count_},
                    labels->values<std::int32_t>().first(static_cast<std::size_t>(count_)));
            });
    }

    // `has_native` is set when the worker says so.
    PixelResult look(const std::string& framework, const std::string& input, bool& has_native) const
    {
        PixelResult result;
        record::Arm arm;
        arm.name = arm.framework = framework;
        arm.input = input;
        arm.batch = std::min(kMostInBatch, count_);
        const launch::Answer<fs::path> file = ask(arm, has_native);
        if (file) {
            Result<PixelResult> compared = compare_pixels(*file, images_file(), count_);
            if (compared) {
                result = std::move(*compared);
            } else {
                result.outcome = record::failure("pixels", compared.error());
            }
        } else {
            result.outcome = file.error();
        }
        result.framework = framework;
        result.input = input;
        return result;
    }

private:
    fs::path images_file() const { return fs::absolute(order_.folder) / "images.npy"; }
    fs::path labels_file() const { return fs::absolute(order_.folder) / "labels.npy"; }

    launch::Answer<fs::path> ask(const record::Arm& arm, bool& has_native) const
    {
        const std::string name = fmt::format("{}_{}", arm.framework, arm.input);
        const SessionOrder order{arm,
                                 network_,
                                 protocol::Optimizer{},
                                 record::Limits{},
                                 arm.batch,
                                 false,
                                 0,
                                 0,
                                 order_.folder / (name + ".txt"),
                                 {}};
        launch::Answer<Session> session = open_session(order, shop_);
        if (!session) {
            return tl::unexpected(session.error());
        }
        const std::vector<std::string>& inputs = session->hello.can.inputs;
        has_native = std::find(inputs.begin(), inputs.end(), "native") != inputs.end();
        launch::Worker& worker = *session->worker;
        const fs::path file = fs::absolute(order_.folder) / (name + ".npy");
        protocol::DataRequest data;
        data.train_images = images_file().string();
        data.train_labels = labels_file().string();
        data.test_images = data.train_images;
        return worker.data(data)
            .and_then([&](const protocol::DataReply&) {
                return worker.pixels({count_, file.string(), arm.input});
            })
            .and_then([&](const protocol::Nothing&) { return worker.shutdown(); })
            .map([&](const launch::ExitStatus&) { return file; });
    }

    const PixelOrder& order_;
    const Workshop& shop_;
    protocol::Network network_;
    std::int64_t count_;
};

}  // namespace

Result<PixelResult> compare_pixels(const fs::path& found, const fs::path& images, std::int64_t count)
{
    const Result<NpyFile> seen = NpyFile::open(found);
    const Result<NpyFile> bytes = NpyFile::open(images);
    if (!seen || !bytes) {
        return tl::unexpected(!seen ? seen.error() : bytes.error());
    }
    Shape shape = bytes->shape();
    shape.front() = count;
    if (seen->type() != NpyType::f32 || seen->shape() != shape) {
        return fail(fmt::format("The pixels came as {} of {}, not as float32 of {}.",
                                seen->type() == NpyType::f32 ? "float32" : "another type",
                                fmt::join(seen->shape(), "x"), fmt::join(shape, "x")),
                    "Correct the worker: images x height x width x channels.");
    }
    PixelResult result;
    result.images = count;
    double largest = 0;
    const auto values = seen->values<float>();
    const auto levels = bytes->values<std::uint8_t>();
    const std::int64_t width = shape[2];
    const std::int64_t channels = shape[3];
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double expected = static_cast<float>(levels[i]) / 255.0f;
        const double difference = std::abs(static_cast<double>(values[i]) - expected);
        largest = std::max(largest, difference);
        if (!(difference <= kPixelLimit)) {
            ++result.departing;
            if (!result.first) {
                const auto at = static_cast<std::int64_t>(i);
                const std::int64_t pixel = at / channels;
                result.first = {pixel / width / shape[1],
                                pixel / width % shape[1],
                                pixel % width,
                                at % channels,
                                static_cast<double>(values[i]),
                                expected};
            }
        }
    }
    const bool all_finite =
        std::all_of(values.begin(), values.end(), [](float value) { return std::isfinite(value); });
    result.largest = all_finite ? std::optional(largest) : std::nullopt;
    return result;
}

Result<std::vector<PixelResult>> check_pixels(const PixelOrder& order, const Workshop& shop)
{
    const PixelCheck check(order, shop);
    if (Result<void> handed = check.hand_out(); !handed) {
        return tl::unexpected(handed.error());
    }
    std::vector<PixelResult> results;
    for (const std::string& framework : order.frameworks) {
        bool has_native = false;
        for (const char* input : {"locked", "native"}) {
            const bool stop = shop.interrupt && shop.interrupt->raised();
            if (stop || (std::string_view(input) == "native" && !has_native)) {
                break;
            }
            results.push_back(check.look(framework, input, has_native));
            if (order.tell) {
                order.tell(results.back());
            }
        }
    }
    return results;
}

}  // namespace lockstep::pipeline
