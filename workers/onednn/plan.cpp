// The rules by which layers become stages.
#include "workers/onednn/plan.hpp"

#include <algorithm>
#include <stdexcept>

namespace lockstep::onednn {

namespace {

using protocol::Layer;
using protocol::LayerKind;

// Products of one output channel and one input channel that Winograd with this tile needs for a map.
std::int64_t products(const Layer& layer, std::int64_t window, std::int64_t tile)
{
    const std::int64_t high = layer.output[0] / window * window, wide = layer.output[1] / window * window;
    return ((high + tile - 1) / tile) * ((wide + tile - 1) / tile) * (tile + 2) * (tile + 2);
}

// The larger tile has dearer transforms and a few times the rounding error: it must save a tenth.
std::int64_t best_tile(const Layer& layer, std::int64_t window)
{
    return products(layer, window, 4) * 10 <= products(layer, window, 2) * 9 ? 4 : 2;
}

class Planner {
public:
    Planner(const protocol::Job& job, Preference preference) : job_(job), preference_(preference) {}

    Plan run()
    {
        const std::vector<Layer>& layers = job_.network.layers;
        begin(layers);
        for (std::size_t next = 0; next < layers.size(); ++next) {
            const Layer& layer = layers[next];
            switch (layer.kind) {
                case LayerKind::convolution:
                    next += add_convolution(layer, next + 1 < layers.size() ? &layers[next + 1] : nullptr);
                    break;
                case LayerKind::max_pool:
                    add_pool(layer);
                    break;
                case LayerKind::dense:
                    add_dense(layer);
                    break;
                case LayerKind::dropout:
                    add_dropout(layer);
                    break;
                case LayerKind::flatten:
                    break;  // pixels x channels is already in its order
            }
        }
        lifetimes();
        place_parameters();
        return std::move(plan_);
    }

private:
    std::size_t new_tensor(std::int64_t pixels, std::int64_t channels)
    {
        plan_.tensors.push_back({pixels, channels, {}, {}});
        return plan_.tensors.size() - 1;
    }
    std::size_t new_tensor(const std::vector<std::int64_t>& shape)
    {
        return shape.size() == 3 ? new_tensor(shape[0] * shape[1], shape[2]) : new_tensor(1, shape[0]);
    }

    // The input itself, unless the first layer is a convolution that reads it as it is.
    void begin(const std::vector<Layer>& layers)
    {
        const std::vector<std::int64_t>& shape = job_.network.input;
        if (!layers.empty() && layers.front().kind == LayerKind::convolution && shape[2] < kernels::kGroup) {
            return;
        }
        // A network that flattens first sees a vector: padding each pixel would waste most of it.
        const auto first = std::find_if(layers.begin(), layers.end(),
                                        [](const Layer& layer) { return layer.kind != LayerKind::dropout; });
        const bool vector = first != layers.end() && first->kind == LayerKind::flatten;
        StagePlan stage;
        stage.kind = StageKind::input;
        stage.output = shape;
        stage.writes = vector ? new_tensor(1, shape[0] * shape[1] * shape[2]) : new_tensor(shape);
        plan_.stages.push_back(stage);
    }

    // True where something before the next stage has parameters, or the next stage is the first.
    bool gradient_is_wanted() const
    {
        return std::any_of(plan_.stages.begin(), plan_.stages.end(), [](const StagePlan& stage) {
            return stage.kind == StageKind::convolution || stage.kind == StageKind::dense;
        });
    }

    std::size_t current() const { return plan_.tensors.size() - 1; }

    // Returns how many layers after it were taken along.
    std::size_t add_convolution(const Layer& layer, const Layer* after)
    {
        const std::int64_t pool = after != nullptr && after->kind == LayerKind::max_pool ? after->window : 1;
        StagePlan stage;
        stage.kind = StageKind::convolution;
        stage.layer = layer;
        stage.wants_input_gradient = gradient_is_wanted();
        const bool small = layer.kernel_height == 3 && layer.kernel_width == 3;
        if (plan_.stages.empty()) {
            stage.method = Method::first_layer;
            stage.window = pool <= kernels::kLargestWindow ? pool : 1;
        } else if (small && (preference_ == Preference::automatic || preference_ == Preference::winograd)) {
            stage.method = Method::winograd;
            stage.window = pool == 2 ? 2 : 1;
            stage.winograd_tile = best_tile(layer, stage.window);
        } else {
            stage.method = preference_ == Preference::direct ? Method::direct : Method::library;
        }
        stage.output = stage.window > 1 ? after->output : layer.output;
        add_parameters(layer, layer.kernel_height * layer.kernel_width, layer.input[2],
                       stage.method != Method::first_layer);
        stage.reads = plan_.tensors.empty() ? 0 : current();
        stage.writes = new_tensor(stage.output);
        plan_.stages.push_back(stage);
        return stage.window > 1 ? 1 : 0;
    }

    void add_pool(const Layer& layer)
    {
        if (layer.window > kernels::kLargestWindow) {
            throw std::invalid_argument("the pooling window of " + layer.name + " is wider than 255");
        }
        StagePlan stage;
        stage.kind = StageKind::pool;
        stage.layer = layer;
        stage.output = layer.output;
        stage.wants_input_gradient = gradient_is_wanted();
        stage.reads = current();
        stage.writes = new_tensor(layer.output);
        plan_.stages.push_back(stage);
    }

    void add_dense(const Layer& layer)
    {
        StagePlan stage;
        stage.kind = StageKind::dense;
        stage.layer = layer;
        stage.output = layer.output;
        stage.wants_input_gradient = gradient_is_wanted();
        stage.reads = current();
        const TensorPlan& input = plan_.tensors[stage.reads];
        add_parameters(layer, input.pixels, input.channels, true);
        stage.writes = new_tensor(layer.output);
        plan_.stages.push_back(stage);
    }

    void add_dropout(const Layer& layer)
    {
        StagePlan stage;
        stage.kind = StageKind::dropout;
        stage.layer = layer;
        stage.output = layer.output;
        stage.wants_input_gradient = gradient_is_wanted();
        stage.reads = stage.writes = current();
        plan_.stages.push_back(stage);
    }

    void add_parameters(const Layer& layer, std::int64_t groups, std::int64_t rows, bool pad_rows)
    {
        for (const protocol::Parameter& each : protocol::parameters_of(job_.network)) {
            if (each.name == layer.name + ".kernel") {
                plan_.parameters.push_back({each, groups, rows, layer.output.back(), pad_rows, 0});
            } else if (each.name == layer.name + ".bias") {
                plan_.parameters.push_back({each, 1, 1, layer.output.back(), false, 0});
            }
        }
    }

    // A value lives from the stage that writes it to that stage's backward pass (which may need it as ReLU's
    // mask); its gradient from the backward pass of the last stage that reads it.
    void lifetimes()
    {
        for (std::size_t i = 0; i < plan_.stages.size(); ++i) {
            const StagePlan& stage = plan_.stages[i];
            if (stage.reads != stage.writes || i == 0) {
                TensorPlan& written = plan_.tensors[stage.writes];
                written.value = {plan_.forward(i), plan_.backward(i)};
                written.gradient = {plan_.loss_moment(), plan_.backward(i)};
            }
        }
        for (std::size_t i = 0; i < plan_.stages.size(); ++i) {
            if (i > 0) {
                plan_.tensors[plan_.stages[i].reads].gradient.first = plan_.backward(i);
            }
        }
    }

    void place_parameters()
    {
        for (ParameterPlan& each : plan_.parameters) {
            each.offset = plan_.parameter_floats;
            plan_.parameter_floats += each.stored();
        }
    }

    const protocol::Job& job_;
    Preference preference_;
    Plan plan_;
};

}  // namespace

std::size_t Plan::kernel_of(const std::string& layer) const
{
    const auto found = std::find_if(parameters.begin(), parameters.end(), [&](const ParameterPlan& each) {
        return each.canonical.name == layer + ".kernel";
    });
    return static_cast<std::size_t>(found - parameters.begin());
}

Plan make_plan(const protocol::Job& job, Preference preference)
{
    return Planner(job, preference).run();
}

}  // namespace lockstep::onednn
