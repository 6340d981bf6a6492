// The first convolution with its pooling, from the images as they come.
#include <cstring>

#include "workers/onednn/parallel.hpp"
#include "workers/onednn/stage.hpp"

namespace lockstep::onednn {

namespace {

class FirstLayerStage : public Stage {
public:
    FirstLayerStage(Workshop& shop, std::size_t number)
        : shop_(shop), number_(number), threads_(shop.job.threads)
    {
        const StagePlan& plan = shop.stage(number);
        const protocol::Layer& layer = plan.layer;
        const bool same = layer.padding == protocol::Padding::same;
        shape_ = {layer.input[0],
                  layer.input[1],
                  layer.input[2],
                  layer.kernel_height,
                  layer.kernel_width,
                  same ? (layer.kernel_height - 1) / 2 : 0,
                  same ? (layer.kernel_width - 1) / 2 : 0,
                  kernels::padded(layer.output[2]),
                  plan.window,
                  plan.output[0],
                  plan.output[1],
                  layer.activation == protocol::Activation::relu};
        // One thread's sums: kernel, then bias.
        kernel_floats_ = shape_.taps() * shape_.outputs;
        sums_stride_ = kernel_floats_ + shape_.outputs;
        const std::int64_t places =
            shop.job.batch * shape_.pooled_height * shape_.pooled_width * shape_.outputs;
        winners_slot_ = shop.arena.request(places * static_cast<std::int64_t>(sizeof(kernels::Winner)),
                                           shop.through(number));
        scratch_slot_ = shop.arena.request_floats(shape_.scratch() * threads_, shop.through(number));
        sums_slot_ = shop.arena.request_floats(sums_stride_ * threads_, shop.at_backward(number));
        const std::string how =
            "own first layer with pooling " + std::to_string(plan.window) + ", " + kernels::target();
        shop.facts[layer.name + ".forward"] = how;
        shop.facts[layer.name + ".backward_weights"] = how;
    }

    void bind() override
    {
        tensors_ = find_tensors(shop_, number_);
        winners_ = static_cast<kernels::Winner*>(shop_.arena.at(winners_slot_));
        scratch_ = shop_.arena.floats(scratch_slot_);
        sums_ = shop_.arena.floats(sums_slot_);
    }

    void forward(const Pass& pass) override
    {
        in_shares(threads_, pass.count, [&](int thread, std::int64_t begin, std::int64_t end) {
            kernels::first_layer_forward(shape_, pass.images, tensors_.kernel, tensors_.bias, tensors_.y,
                                         pass.learns ? winners_ : nullptr, begin, end,
                                         scratch_ + thread * shape_.scratch());
        });
    }

    void backward(const Pass& pass) override
    {
        in_shares(threads_, pass.count, [&](int thread, std::int64_t begin, std::int64_t end) {
            float* sums = sums_ + thread * sums_stride_;
            std::memset(sums, 0, sizeof(float) * static_cast<std::size_t>(sums_stride_));
            kernels::first_layer_backward(shape_, pass.images, tensors_.y_gradient, winners_, sums,
                                          sums + kernel_floats_, begin, end,
                                          scratch_ + thread * shape_.scratch());
        });
        kernels::add_copies(sums_, threads_, sums_stride_, tensors_.kernel_gradient, 0, kernel_floats_);
        kernels::add_copies(sums_ + kernel_floats_, threads_, sums_stride_, tensors_.bias_gradient, 0,
                            shape_.outputs);
    }

private:
    Workshop& shop_;
    std::size_t number_;
    int threads_;
    kernels::FirstLayer shape_;
    std::int64_t kernel_floats_ = 0, sums_stride_ = 0;
    Arena::Slot winners_slot_, scratch_slot_, sums_slot_;
    Tensors tensors_;
    kernels::Winner* winners_ = nullptr;
    float* scratch_ = nullptr;
    float* sums_ = nullptr;
};

}  // namespace

std::unique_ptr<Stage> make_first_layer(Workshop& shop, std::size_t number)
{
    return std::make_unique<FirstLayerStage>(shop, number);
}

}  // namespace lockstep::onednn
