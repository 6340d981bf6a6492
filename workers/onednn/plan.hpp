// What will run for each layer of a network: which layers are taken together, which method makes each
// convolution, and where each tensor lies in time. Decided once, before anything is allocated.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "protocol/job.hpp"
#include "workers/onednn/arena.hpp"
#include "workers/onednn/kernels.hpp"

namespace lockstep::onednn {

// How a convolution is made.
enum class Method {
    first_layer,  // own: straight from the unpadded input, pooling included
    winograd,     // own: 3x3 minimal filtering, 2x2 pooling included
    library,      // oneDNN, with an own loop for a direction in which it has only a reference kernel
    direct        // own: one product a row and tap
};
// Which of them a plan may use: `automatic`, or one of the last three wherever it can be.
enum class Preference { automatic, winograd, library, direct };

enum class StageKind { input, convolution, pool, dense, dropout };

// One stage: a layer, or a convolution with the pooling after it.
struct StagePlan {
    StageKind kind = StageKind::input;
    protocol::Layer layer;             // of the input stage: only its output is set
    Method method = Method::direct;    // convolution
    std::int64_t window = 1;           // convolution: side of the pooling that it includes
    std::vector<std::int64_t> output;  // after that pooling: {height, width, channels} or {features}
    std::int64_t winograd_tile = 0;
    std::size_t reads = 0, writes = 0;  // places in Plan::tensors; the same for a stage that works in place
    bool wants_input_gradient = true;
};

// An activation and its gradient. Its features lie as pixels x padded channels; a vector is one pixel.
struct TensorPlan {
    std::int64_t pixels = 1, channels = 0;  // channels unpadded
    std::int64_t features() const { return pixels * kernels::padded(channels); }
    Arena::Lifetime value, gradient;
};

struct ParameterPlan {
    protocol::Parameter canonical;
    // The engine's form: `groups` times rows x columns, rows padded within each group, columns padded. A
    // convolution has a group a tap (rows: input channels), a dense layer a group a pixel of its flattened
    // input, a bias one group of one row.
    std::int64_t groups = 1, rows = 1, columns = 0;
    bool pad_rows = true;
    std::int64_t offset = 0;  // in floats, within the region of all parameters
    std::int64_t stored_rows() const { return pad_rows ? kernels::padded(rows) : rows; }
    std::int64_t stored() const { return groups * stored_rows() * kernels::padded(columns); }
};

struct Plan {
    std::vector<StagePlan> stages;
    std::vector<TensorPlan> tensors;
    std::vector<ParameterPlan> parameters;  // kernel before bias, layers in order
    std::int64_t parameter_floats = 0;
    // Moments in a step: stage i runs forward at i and backward at backward(i), the loss lies between.
    int loss_moment() const { return static_cast<int>(stages.size()); }
    int forward(std::size_t stage) const { return static_cast<int>(stage); }
    int backward(std::size_t stage) const { return 2 * loss_moment() - static_cast<int>(stage); }
    // The kernel of a layer is parameters[...]; its bias the next. Requires a layer with parameters.
    std::size_t kernel_of(const std::string& layer) const;
};

// Throws std::invalid_argument, with the layer's name, for what the engine cannot do.
Plan make_plan(const protocol::Job& job, Preference preference);

}  // namespace lockstep::onednn
