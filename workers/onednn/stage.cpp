// Lifetimes and pointers that all stages look up alike.
#include "workers/onednn/stage.hpp"

namespace lockstep::onednn {

Arena::Lifetime Workshop::at_forward(std::size_t number) const
{
    return {plan.forward(number), plan.forward(number)};
}

Arena::Lifetime Workshop::at_backward(std::size_t number) const
{
    return {plan.backward(number), plan.backward(number)};
}

Arena::Lifetime Workshop::through(std::size_t number) const
{
    return {plan.forward(number), plan.backward(number)};
}

Tensors find_tensors(const Workshop& shop, std::size_t number)
{
    const StagePlan& stage = shop.stage(number);
    const Arena& arena = shop.arena;
    Tensors found;
    if (stage.method != Method::first_layer) {
        found.x = arena.floats(shop.tensors[stage.reads].value);
        found.x_gradient =
            stage.wants_input_gradient ? arena.floats(shop.tensors[stage.reads].gradient) : nullptr;
    }
    found.y = arena.floats(shop.tensors[stage.writes].value);
    found.y_gradient = arena.floats(shop.tensors[stage.writes].gradient);
    if (stage.layer.has_parameters()) {
        const std::size_t kernel = shop.plan.kernel_of(stage.layer.name);
        const std::int64_t at = shop.plan.parameters[kernel].offset;
        const std::int64_t bias_at = shop.plan.parameters[kernel + 1].offset;
        found.kernel = arena.floats(shop.parameters) + at;
        found.bias = arena.floats(shop.parameters) + bias_at;
        found.kernel_gradient = arena.floats(shop.gradients) + at;
        found.bias_gradient = arena.floats(shop.gradients) + bias_at;
    }
    return found;
}

}  // namespace lockstep::onednn
