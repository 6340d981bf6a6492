// Native input: the shared pictures as a torch::data Dataset, and the DataLoader over it.
#pragma once

#include <torch/torch.h>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "workers/sdk/cpp/trainer.hpp"

namespace lockstep::libtorch_worker {

// One picture a call, float32 in 0..1, channels first, with its label as int64.
class Pictures : public torch::data::datasets::Dataset<Pictures> {
public:
    // torch's optional, which is std's in later versions.
    using Size = decltype(std::declval<const torch::data::datasets::MNIST&>().size());

    explicit Pictures(const sdk::TrainingSet& set)
        : pictures_(torch::from_blob(const_cast<std::uint8_t*>(set.images.data()),
                                     {set.count, set.size[0], set.size[1], set.size[2]}, torch::kUInt8)
                        .permute({0, 3, 1, 2})
                        .contiguous()
                        .clone()),
          labels_(torch::from_blob(const_cast<std::int32_t*>(set.labels.data()), {set.count}, torch::kInt32)
                      .to(torch::kInt64))
    {
    }
    torch::data::Example<> get(std::size_t place) override
    {
        const auto at = static_cast<std::int64_t>(place);
        return {pictures_[at].to(torch::kFloat32).div(255), labels_[at]};
    }
    Size size() const override { return static_cast<std::size_t>(pictures_.size(0)); }

private:
    torch::Tensor pictures_;
    torch::Tensor labels_;
};

// Whole batches, shuffled anew in every epoch, loaded in the thread that asks.
class Loader {
public:
    Loader(const sdk::TrainingSet& set, std::int64_t batch)
        : loader_(torch::data::make_data_loader<torch::data::samplers::RandomSampler>(
              Pictures(set).map(torch::data::transforms::Stack<>()),
              torch::data::DataLoaderOptions(static_cast<std::size_t>(batch)).drop_last(true)))
    {
    }
    void begin_epoch()
    {
        at_.emplace(loader_->begin());
        fresh_ = true;
    }
    torch::data::Example<> next()
    {
        if (!fresh_) {
            ++*at_;
        }
        fresh_ = false;
        return **at_;
    }

private:
    using Stacked = torch::data::datasets::MapDataset<Pictures, torch::data::transforms::Stack<>>;

    std::unique_ptr<torch::data::StatelessDataLoader<Stacked, torch::data::samplers::RandomSampler>> loader_;
    std::optional<torch::data::Iterator<torch::data::Example<>>> at_;
    bool fresh_ = true;  // the iterator stands before the epoch's first batch
};

}  // namespace lockstep::libtorch_worker
