// One parameter at a time: a network of 10^8 values never stands in memory as a whole.
#include "harness/pipeline/supplies.hpp"

#include <fmt/format.h>

#include "harness/base/npy_file.hpp"
#include "harness/data/batch_order.hpp"
#include "harness/data/initial_weights.hpp"

namespace lockstep::pipeline {
namespace {

namespace fs = std::filesystem;

Result<void> make_folder(const fs::path& folder)
{
    std::error_code code;
    fs::create_directories(folder, code);
    if (code) {
        return fail(fmt::format("{} cannot be made: {}.", folder.string(), code.message()),
                    "Free some disk space or check the folder's rights.");
    }
    return {};
}

Result<void> write_parameter(const protocol::Network& network, std::size_t index,
                             const protocol::Layouts& layouts, std::span<const float> canonical,
                             const fs::path& file)
{
    const data::ParameterLayout layout(network, index, layouts);
    if (layout.same()) {
        return write_npy<float>(file, layout.worker_shape(), canonical);
    }
    std::vector<float> permuted(canonical.size());
    layout.to_worker(canonical, permuted);
    return write_npy<float>(file, layout.worker_shape(), permuted);
}

template <class Values>
Result<Files> write_all(const protocol::Network& network, const protocol::Layouts& layouts,
                        const fs::path& folder, Values&& values)
{
    if (const Result<void> made = make_folder(folder); !made) {
        return tl::unexpected(made.error());
    }
    Files files;
    const std::vector<protocol::Parameter> parameters = protocol::parameters_of(network);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        const fs::path file = folder / (parameters[i].name + ".npy");
        files[parameters[i].name] = file.string();
        if (fs::exists(file)) {
            continue;
        }
        if (const Result<void> written = write_parameter(network, i, layouts, values(i), file); !written) {
            return tl::unexpected(written.error());
        }
    }
    return files;
}

}  // namespace

Result<Files> supply_weights(const protocol::Network& network, const protocol::Layouts& layouts,
                             std::uint64_t seed, const fs::path& folder)
{
    const fs::path own =
        folder / fmt::format("weights_{}_{}_{}{}_{}_{}", network.id, seed, layouts.convolution,
                             layouts.flipped ? "_flipped" : "", layouts.dense, layouts.flatten);
    return write_all(network, layouts, own,
                     [&](std::size_t i) { return data::initial_values(network, i, seed); });
}

Result<Files> supply_weights(const protocol::Network& network, const protocol::Layouts& layouts,
                             const std::map<std::string, std::vector<float>>& canonical,
                             const fs::path& folder)
{
    const std::vector<protocol::Parameter> parameters = protocol::parameters_of(network);
    return write_all(network, layouts, folder, [&](std::size_t i) -> const std::vector<float>& {
        return canonical.at(parameters[i].name);
    });
}

Result<std::vector<std::string>> supply_orders(std::span<const std::int64_t> part, std::int64_t batch,
                                               std::uint64_t seed, std::int64_t epochs,
                                               const fs::path& folder)
{
    const fs::path own = folder / fmt::format("orders_{}_{}", seed, batch);
    if (const Result<void> made = make_folder(own); !made) {
        return tl::unexpected(made.error());
    }
    std::vector<std::string> files;
    for (std::int64_t epoch = 0; epoch < epochs; ++epoch) {
        const fs::path file = own / fmt::format("epoch_{}.npy", epoch + 1);
        files.push_back(file.string());
        if (fs::exists(file)) {
            continue;
        }
        const Result<std::vector<std::int64_t>> order = data::batch_order(part, batch, seed, epoch);
        if (!order) {
            return tl::unexpected(order.error());
        }
        const auto written =
            write_npy<std::int64_t>(file, {static_cast<std::int64_t>(order->size())}, *order);
        if (!written) {
            return tl::unexpected(written.error());
        }
    }
    return files;
}

Result<std::vector<float>> canonical_values(const protocol::Network& network, std::size_t parameter,
                                            const protocol::Layouts& layouts, const fs::path& path)
{
    const Result<NpyFile> file = NpyFile::open(path);
    if (!file) {
        return tl::unexpected(file.error());
    }
    const data::ParameterLayout layout(network, parameter, layouts);
    if (file->type() != NpyType::f32 || file->shape() != layout.worker_shape()) {
        return fail(fmt::format("{} has another type or shape than the worker declared.", path.string()),
                    "Correct the worker: its tensors must keep the shapes that its build reported.");
    }
    std::vector<float> canonical(static_cast<std::size_t>(file->elements()));
    layout.from_worker(file->values<float>(), canonical);
    return canonical;
}

}  // namespace lockstep::pipeline
