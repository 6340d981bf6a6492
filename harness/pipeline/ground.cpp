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

Result<std::vector<std::int64_t>> part_of(const record::Plan& plan, const data::Dataset& dataset)
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
    constexpr std::uint64_t kSeeds = std::uint64_t{1} << 32;  // the split's generator takes 32 bits
    return data::stratified_part(labels->values<std::int32_t>(), *plan.data.train_samples, plan.seed % kSeeds);
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
                return fail(fmt::format("Two models are called {} ({}).", network->short_name, network->id),
                            "Name each model once, and give models of your own an id and a short name of their own.");
            }
        }
        ground.networks.push_back(*network);
    }
    Result<std::vector<std::int64_t>> part = part_of(plan, ground.dataset);
    if (!part) {
        return tl::unexpected(part.error());
    }
    ground.part = std::move(*part);
    for (const record::Arm& arm : plan.arms) {
        if (arm.batch > static_cast<std::int64_t>(ground.part.size())) {
            return fail(fmt::format("A batch of {} images is more than the {} that are trained on.", arm.batch, ground.part.size()),
                        "Give a smaller --batch-size, or more --train-samples.");
        }
    }
    return ground;
}

void warm_page_cache(const data::Dataset& dataset)
{
    std::vector<std::filesystem::path> files{dataset.train_images(), dataset.train_labels()};
    if (const auto test = dataset.test_images()) {
        files.push_back(*test);
    }
    for (const std::filesystem::path& file : files) {
        // The digest itself is not wanted: reading is.
        [[maybe_unused]] const Result<std::string> read = digest_of_file(file);
    }
}

}  // namespace lockstep::pipeline
