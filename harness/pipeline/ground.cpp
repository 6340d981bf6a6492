// Staging in the order in which a user would meet mistakes: data, models, part, batch.
#include "harness/pipeline/ground.hpp"

#include <fmt/format.h>

#include <numeric>

#include "harness/base/digest.hpp"
#include "harness/base/npy_file.hpp"
#include "harness/data/split.hpp"
#include "harness/data/staging.hpp"
#include "harness/spec/model_file.hpp"

namespace lockstep::pipeline {
namespace {

constexpr std::uint64_t kSeeds = std::uint64_t{1} << 32;  // the split's generator takes 32 bits

Result<std::vector<std::int64_t>> train_part_of(const record::Plan& plan, const data::Dataset& dataset)
{
    if (!plan.data.train_samples) {
        std::vector<std::int64_t> all(static_cast<std::size_t>(dataset.train_count));
        std::iota(all.begin(), all.end(), std::int64_t{0});
        return all;
    }
    const Result<NpyFile> labels = NpyFile::open(dataset.train_labels());
    if (!labels) {
        return tl::unexpected(labels.error());
    }
    return data::stratified_part(labels->values<std::int32_t>(), *plan.data.train_samples,
                                 plan.seed % kSeeds);
}

// The rows `part` of a file of rows, as a file of their own; found again when it is there already.
template <class T>
Result<void> write_rows(const NpyFile& from, const std::vector<std::int64_t>& part,
                        const std::filesystem::path& to)
{
    if (std::filesystem::exists(to)) {
        return {};
    }
    Shape shape = from.shape();
    const std::size_t row = static_cast<std::size_t>(from.elements() / shape[0]);
    shape[0] = static_cast<std::int64_t>(part.size());
    std::vector<T> values;
    values.reserve(part.size() * row);
    for (const std::int64_t index : part) {
        const auto one = from.values<T>().subspan(static_cast<std::size_t>(index) * row, row);
        values.insert(values.end(), one.begin(), one.end());
    }
    return write_npy<T>(to, shape, values);
}

Result<TestPart> whole_test(const data::Dataset& dataset)
{
    TestPart test;
    test.images = dataset.test_images();
    test.labels = dataset.test_labels();
    test.ids.resize(static_cast<std::size_t>(dataset.test_count));
    std::iota(test.ids.begin(), test.ids.end(), std::int64_t{1});
    return test;
}

// Kept beside the imported data under what it depends on, so that the next campaign finds it.
Result<TestPart> test_part_of(const record::Plan& plan, const data::Dataset& dataset, const Workshop& shop)
{
    if (!plan.data.test_samples || dataset.test_count == 0) {
        return whole_test(dataset);
    }
    if (!dataset.test_labels()) {
        return fail("A part of the test images was asked for, but they have no labels by which to choose it.",
                    "Leave out --test-samples.");
    }
    const Result<NpyFile> images = NpyFile::open(*dataset.test_images());
    const Result<NpyFile> labels = NpyFile::open(*dataset.test_labels());
    if (!images || !labels) {
        return tl::unexpected(!images ? images.error() : labels.error());
    }
    const auto part =
        data::stratified_part(labels->values<std::int32_t>(), *plan.data.test_samples, plan.seed % kSeeds);
    if (!part) {
        return tl::unexpected(part.error());
    }
    const std::filesystem::path folder =
        shop.data_cache / "parts" / fmt::format("{}_{}_{}", dataset.digest, part->size(), plan.seed % kSeeds);
    std::error_code code;
    std::filesystem::create_directories(folder, code);
    TestPart test;
    test.images = folder / "test_images.npy";
    test.labels = folder / "test_labels.npy";
    for (const std::int64_t index : *part) {
        test.ids.push_back(index + 1);
    }
    return write_rows<std::uint8_t>(*images, *part, *test.images)
        .and_then([&] { return write_rows<std::int32_t>(*labels, *part, *test.labels); })
        .map([&] { return test; });
}

}  // namespace

Result<Ground> stage_ground(const record::Plan& plan, const Workshop& shop)
{
    data::StagingOptions options;
    options.cache = shop.data_cache;
    if (plan.data.size) {
        options.size = data::ImageSize{plan.data.size->first, plan.data.size->second};
    }
    Result<data::Dataset> dataset = data::stage(plan.data.source, options);
    if (!dataset) {
        return tl::unexpected(dataset.error());
    }
    Ground ground;
    ground.dataset = std::move(*dataset);
    for (const std::string& name : plan.models) {
        const Result<spec::ModelFile> model = spec::find_model(name, shop.model_folders, plan.padding);
        if (!model) {
            return tl::unexpected(model.error());
        }
        const Result<protocol::Network> network =
            spec::resolve(*model, ground.dataset.height, ground.dataset.width, ground.dataset.channels,
                          static_cast<std::int64_t>(ground.dataset.classes.size()));
        if (!network) {
            return tl::unexpected(network.error());
        }
        for (const protocol::Network& other : ground.networks) {
            if (other.id == network->id || other.short_name == network->short_name) {
                return fail(
                    fmt::format("Two models are called {} ({}).", network->short_name, network->id),
                    "Name each model once, and give models of your own an id and a short name of their own.");
            }
        }
        ground.networks.push_back(*network);
    }
    Result<std::vector<std::int64_t>> part = train_part_of(plan, ground.dataset);
    if (!part) {
        return tl::unexpected(part.error());
    }
    ground.part = std::move(*part);
    Result<TestPart> test = test_part_of(plan, ground.dataset, shop);
    if (!test) {
        return tl::unexpected(test.error());
    }
    ground.test = std::move(*test);
    for (const record::Arm& arm : plan.arms) {
        if (arm.batch > static_cast<std::int64_t>(ground.part.size())) {
            return fail(fmt::format("A batch of {} images is more than the {} that are trained on.",
                                    arm.batch, ground.part.size()),
                        "Give a smaller --batch-size, or more --train-samples.");
        }
    }
    return ground;
}

void warm_page_cache(const Ground& ground)
{
    std::vector<std::filesystem::path> files{ground.dataset.train_images(), ground.dataset.train_labels()};
    if (ground.test.images) {
        files.push_back(*ground.test.images);
    }
    for (const std::filesystem::path& file : files) {
        // The digest itself is not wanted: reading is.
        [[maybe_unused]] const Result<std::string> read = digest_of_file(file);
    }
}

}  // namespace lockstep::pipeline
