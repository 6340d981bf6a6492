// One shuffle an epoch.
#include "harness/data/batch_order.hpp"

#include <fmt/format.h>

#include <numeric>

#include "harness/base/random.hpp"

namespace lockstep::data {
namespace {

// Sets the streams of batch orders apart from every other use of the same seed; the epoch is added.
constexpr std::uint64_t kPurpose = 0x6f72646572000000;  // "order"

}  // namespace

Result<std::vector<std::int64_t>> batch_order(std::span<const std::int64_t> part, std::int64_t batch,
                                              std::uint64_t seed, std::int64_t epoch)
{
    const std::int64_t images = static_cast<std::int64_t>(part.size());
    if (batch < 1) {
        return fail(fmt::format("The batch size {} is not a positive number.", batch),
                    "Give --batch-size 1 or more.");
    }
    if (images < batch) {
        return fail(fmt::format("{} training images do not fill one batch of {}.", images, batch),
                    "Give a smaller --batch-size, or train on more images.");
    }
    std::vector<std::int64_t> order(part.begin(), part.end());
    Random random(seed, kPurpose + static_cast<std::uint64_t>(epoch));
    shuffle(order, random);
    order.resize(static_cast<std::size_t>(steps_of_epoch(images, batch) * batch));
    return order;
}

Result<std::vector<std::int64_t>> batch_order(std::int64_t images, std::int64_t batch, std::uint64_t seed,
                                              std::int64_t epoch)
{
    std::vector<std::int64_t> all(static_cast<std::size_t>(images));
    std::iota(all.begin(), all.end(), 0);
    return batch_order(all, batch, seed, epoch);
}

}  // namespace lockstep::data
