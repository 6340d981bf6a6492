// A convolution by oneDNN, or by the engine's direct loops in each direction where oneDNN has only a
// reference kernel or the plan prefers them. Pooling is a stage of its own here.
#include "workers/onednn/direct.hpp"
#include "workers/onednn/parallel.hpp"
#include "workers/onednn/stage.hpp"

namespace lockstep::onednn {

namespace {

class ConvolutionStage : public Stage {
public:
    ConvolutionStage(Workshop& shop, std::size_t number)
        : shop_(shop), number_(number), threads_(shop.job.threads)
    {
        const StagePlan& plan = shop.stage(number);
        const protocol::Layer& layer = plan.layer;
        const bool same = layer.padding == protocol::Padding::same;
        relu_ = layer.activation == protocol::Activation::relu;
        shape_ = {shop.job.batch,
                  layer.input[0],
                  layer.input[1],
                  kernels::padded(layer.input[2]),
                  kernels::padded(layer.output[2]),
                  layer.output[0],
                  layer.output[1],
                  layer.kernel_height,
                  layer.kernel_width,
                  same ? (layer.kernel_height - 1) / 2 : 0,
                  same ? (layer.kernel_width - 1) / 2 : 0};
        const bool library = plan.method == Method::library;
        ask(forward_, library, Direction::forward, "forward");
        ask(weights_, library, Direction::backward_weights, "backward_weights");
        if (plan.wants_input_gradient) {
            ask(data_, library, Direction::backward_data, "backward_data");
        }
        const std::int64_t kernel = taps() * shape_.inputs * shape_.outputs;
        if (!data_ && plan.wants_input_gradient) {
            turned_slot_ = shop.arena.request_floats(kernel, shop.at_backward(number));
        }
        if (!weights_) {
            sums_slot_ = shop.arena.request_floats(kernel * threads_, shop.at_backward(number));
        }
    }

    void bind() override
    {
        tensors_ = find_tensors(shop_, number_);
        turned_ = shop_.arena.floats(turned_slot_);
        sums_ = shop_.arena.floats(sums_slot_);
        const Tensors& t = tensors_;
        if (forward_) {
            forward_->bind(shop_.library, shop_.arena, {t.x, t.kernel, t.bias, t.y});
        }
        if (data_) {
            data_->bind(shop_.library, shop_.arena, {t.y_gradient, t.kernel, t.x_gradient});
        }
        if (weights_) {
            weights_->bind(shop_.library, shop_.arena, {t.x, t.y_gradient, t.kernel_gradient});
        }
    }

    void forward(const Pass& pass) override
    {
        if (forward_) {
            forward_->run(shop_.library);
            return;
        }
        in_shares(threads_, pass.count, [&](int, std::int64_t begin, std::int64_t end) {
            direct::forward(shape_, tensors_.x, tensors_.kernel, tensors_.bias, relu_, tensors_.y, begin,
                            end);
        });
    }

    void backward(const Pass& pass) override
    {
        const std::int64_t rows = pass.count * shape_.out_height * shape_.out_width;
        in_shares(threads_, shape_.outputs / kernels::kGroup, [&](int, std::int64_t begin, std::int64_t end) {
            kernels::mask_and_sum(tensors_.y_gradient, relu_ ? tensors_.y : nullptr, rows, shape_.outputs,
                                  tensors_.bias_gradient, begin, end);
        });
        if (weights_) {
            weights_->run(shop_.library);
        } else {
            own_weights(pass.count);
        }
        if (tensors_.x_gradient == nullptr) {
            return;
        }
        if (data_) {
            data_->run(shop_.library);
        } else {
            own_data(pass.count);
        }
    }

private:
    std::int64_t taps() const { return shape_.kernel_height * shape_.kernel_width; }

    void ask(std::optional<LibraryCall>& call, bool library, Direction direction, const char* pass)
    {
        if (library) {
            call = LibraryCall::convolution(shop_.library, shape_, direction, relu_);
        }
        if (call) {
            call->request(shop_.arena, direction == Direction::forward ? shop_.at_forward(number_)
                                                                       : shop_.at_backward(number_));
        }
        shop_.facts[shop_.stage(number_).layer.name + "." + pass] =
            call ? "onednn " + call->name() : "own direct, " + kernels::target();
    }

    void own_weights(std::int64_t count)
    {
        const std::int64_t kernel = taps() * shape_.inputs * shape_.outputs;
        in_shares(threads_, count, [&](int thread, std::int64_t begin, std::int64_t end) {
            direct::backward_weights(shape_, tensors_.x, tensors_.y_gradient, sums_ + thread * kernel, begin,
                                     end);
        });
        in_shares(threads_, kernel / kernels::kGroup, [&](int, std::int64_t begin, std::int64_t end) {
            kernels::add_copies(sums_, threads_, kernel, tensors_.kernel_gradient, begin * kernels::kGroup,
                                end * kernels::kGroup);
        });
    }

    void own_data(std::int64_t count)
    {
        const std::int64_t tap_floats = shape_.inputs * shape_.outputs;
        in_shares(threads_, taps(), [&](int, std::int64_t begin, std::int64_t end) {
            for (std::int64_t tap = begin; tap < end; ++tap) {
                kernels::transpose(tensors_.kernel + tap * tap_floats, shape_.outputs,
                                   turned_ + tap * tap_floats, shape_.inputs, shape_.inputs, shape_.outputs);
            }
        });
        in_shares(threads_, count, [&](int, std::int64_t begin, std::int64_t end) {
            direct::backward_data(shape_, tensors_.y_gradient, turned_, tensors_.x_gradient, begin, end);
        });
    }

    Workshop& shop_;
    std::size_t number_;
    int threads_;
    bool relu_ = false;
    ConvolutionShape shape_;
    std::optional<LibraryCall> forward_, data_, weights_;
    Arena::Slot turned_slot_, sums_slot_;
    Tensors tensors_;
    float* turned_ = nullptr;
    float* sums_ = nullptr;
};

}  // namespace

std::unique_ptr<Stage> make_convolution(Workshop& shop, std::size_t number)
{
    return std::make_unique<ConvolutionStage>(shop, number);
}

}  // namespace lockstep::onednn
