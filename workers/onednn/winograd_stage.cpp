// A 3x3 convolution, with 2x2 pooling if the plan says so, by the engine's own Winograd kernels. Images are
// shared out whole, so that neighbouring tiles add to the input's gradient without locks.
#include "workers/onednn/parallel.hpp"
#include "workers/onednn/stage.hpp"

namespace lockstep::onednn {

namespace {

class WinogradStage : public Stage {
public:
    WinogradStage(Workshop& shop, std::size_t number)
        : shop_(shop), number_(number), threads_(shop.job.threads)
    {
        const StagePlan& plan = shop.stage(number);
        const protocol::Layer& layer = plan.layer;
        shape_ = {plan.winograd_tile,
                  layer.input[0],
                  layer.input[1],
                  kernels::padded(layer.input[2]),
                  kernels::padded(layer.output[2]),
                  layer.padding == protocol::Padding::same ? 1 : 0,
                  plan.window,
                  plan.output[0],
                  plan.output[1],
                  layer.activation == protocol::Activation::relu};
        Arena& arena = shop.arena;
        forward_kernel_slot_ = arena.request_floats(shape_.transformed(), shop.at_forward(number));
        if (plan.wants_input_gradient) {
            backward_kernel_slot_ = arena.request_floats(shape_.transformed(), shop.through(number));
        }
        if (plan.window == 2) {
            const std::int64_t places = shop.job.batch * plan.output[0] * plan.output[1] * shape_.outputs;
            winners_slot_ = arena.request(places * static_cast<std::int64_t>(sizeof(kernels::Winner)),
                                          shop.through(number));
        }
        forward_scratch_slot_ =
            arena.request_floats(shape_.forward_scratch() * threads_, shop.at_forward(number));
        backward_scratch_slot_ =
            arena.request_floats(shape_.backward_scratch() * threads_, shop.at_backward(number));
        sums_stride_ = shape_.transformed() + shape_.outputs;
        sums_slot_ = arena.request_floats(sums_stride_ * threads_, shop.at_backward(number));

        const std::string side = std::to_string(plan.winograd_tile);
        const std::string how = "own winograd " + side + "x" + side + " with pooling " +
                                std::to_string(plan.window) + ", " + kernels::target();
        shop.facts[layer.name + ".forward"] = how;
        shop.facts[layer.name + ".backward_weights"] = how;
        if (plan.wants_input_gradient) {
            shop.facts[layer.name + ".backward_data"] = how;
        }
    }

    void bind() override
    {
        const Arena& arena = shop_.arena;
        tensors_ = find_tensors(shop_, number_);
        forward_kernel_ = arena.floats(forward_kernel_slot_);
        backward_kernel_ = arena.floats(backward_kernel_slot_);
        winners_ = static_cast<kernels::Winner*>(arena.at(winners_slot_));
        forward_scratch_ = arena.floats(forward_scratch_slot_);
        backward_scratch_ = arena.floats(backward_scratch_slot_);
        sums_ = arena.floats(sums_slot_);
    }

    void forward(const Pass& pass) override
    {
        in_shares(threads_, shape_.inputs, [&](int, std::int64_t begin, std::int64_t end) {
            kernels::winograd_kernel(shape_, tensors_.kernel, forward_kernel_,
                                     pass.learns ? backward_kernel_ : nullptr, begin, end);
        });
        in_shares(threads_, pass.count, [&](int thread, std::int64_t begin, std::int64_t end) {
            kernels::winograd_forward(shape_, tensors_.x, forward_kernel_, tensors_.bias, tensors_.y,
                                      pass.learns ? winners_ : nullptr, begin, end,
                                      forward_scratch_ + thread * shape_.forward_scratch());
        });
    }

    void backward(const Pass& pass) override
    {
        if (shape_.window == 1 && shape_.relu) {
            mask(pass.count);
        }
        in_shares(threads_, pass.count, [&](int thread, std::int64_t begin, std::int64_t end) {
            float* sums = sums_ + thread * sums_stride_;
            kernels::winograd_backward(shape_, tensors_.x, tensors_.y_gradient, winners_, backward_kernel_,
                                       tensors_.x_gradient, sums, sums + shape_.transformed(), begin, end,
                                       backward_scratch_ + thread * shape_.backward_scratch());
        });
        in_shares(threads_, shape_.inputs, [&](int, std::int64_t begin, std::int64_t end) {
            kernels::winograd_kernel_gradient(shape_, sums_, threads_, sums_stride_, tensors_.kernel_gradient,
                                              begin, end);
        });
        kernels::add_copies(sums_ + shape_.transformed(), threads_, sums_stride_, tensors_.bias_gradient, 0,
                            shape_.outputs);
    }

private:
    // ReLU's mask over the whole map; the sums that come with it are made again by the backward pass.
    void mask(std::int64_t count)
    {
        const std::int64_t rows = count * shape_.out_height * shape_.out_width;
        in_shares(threads_, shape_.outputs / kernels::kGroup, [&](int, std::int64_t begin, std::int64_t end) {
            kernels::mask_and_sum(tensors_.y_gradient, tensors_.y, rows, shape_.outputs,
                                  tensors_.bias_gradient, begin, end);
        });
    }

    Workshop& shop_;
    std::size_t number_;
    int threads_;
    kernels::Winograd shape_;
    std::int64_t sums_stride_ = 0;
    Arena::Slot forward_kernel_slot_, backward_kernel_slot_, winners_slot_;
    Arena::Slot forward_scratch_slot_, backward_scratch_slot_, sums_slot_;
    Tensors tensors_;
    float* forward_kernel_ = nullptr;
    float* backward_kernel_ = nullptr;
    kernels::Winner* winners_ = nullptr;
    float* forward_scratch_ = nullptr;
    float* backward_scratch_ = nullptr;
    float* sums_ = nullptr;
};

}  // namespace

std::unique_ptr<Stage> make_winograd(Workshop& shop, std::size_t number)
{
    return std::make_unique<WinogradStage>(shop, number);
}

}  // namespace lockstep::onednn
