// A dense layer by oneDNN's matrix products in fixed plain formats, or by the engine's own where oneDNN has
// only a reference kernel.
#include "workers/onednn/parallel.hpp"
#include "workers/onednn/stage.hpp"

namespace lockstep::onednn {

namespace {

using kernels::kGroup;
using kernels::Product;

class DenseStage : public Stage {
public:
    DenseStage(Workshop& shop, std::size_t number) : shop_(shop), number_(number), threads_(shop.job.threads)
    {
        const StagePlan& plan = shop.stage(number);
        relu_ = plan.layer.activation == protocol::Activation::relu;
        shape_ = {shop.job.batch, shop.plan.tensors[plan.reads].features(),
                  kernels::padded(plan.layer.output.back())};
        ask(forward_, Direction::forward, "forward");
        ask(weights_, Direction::backward_weights, "backward_weights");
        if (plan.wants_input_gradient) {
            ask(data_, Direction::backward_data, "backward_data");
            if (!data_) {
                turned_slot_ =
                    shop.arena.request_floats(shape_.inputs * shape_.outputs, shop.at_backward(number));
            }
        }
    }

    void bind() override
    {
        tensors_ = find_tensors(shop_, number_);
        turned_ = shop_.arena.floats(turned_slot_);
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
            const Product p{end - begin, shape_.outputs / kGroup, shape_.inputs, shape_.inputs,
                            1,           shape_.outputs,          kGroup,        shape_.outputs,
                            kGroup};
            kernels::multiply(p, tensors_.x + begin * shape_.inputs, tensors_.kernel,
                              tensors_.y + begin * shape_.outputs, false);
            kernels::bias_and_relu(tensors_.y, tensors_.bias, shape_.outputs, relu_, begin, end);
        });
    }

    void backward(const Pass& pass) override
    {
        in_shares(threads_, shape_.outputs / kGroup, [&](int, std::int64_t begin, std::int64_t end) {
            kernels::mask_and_sum(tensors_.y_gradient, relu_ ? tensors_.y : nullptr, pass.count,
                                  shape_.outputs, tensors_.bias_gradient, begin, end);
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
    void ask(std::optional<LibraryCall>& call, Direction direction, const char* pass)
    {
        if (shop_.library_allowed) {
            call = LibraryCall::dense(shop_.library, shape_, direction, relu_);
        }
        if (call) {
            call->request(shop_.arena, direction == Direction::forward ? shop_.at_forward(number_)
                                                                       : shop_.at_backward(number_));
        }
        shop_.facts[shop_.stage(number_).layer.name + "." + pass] =
            call ? "onednn " + call->name() : "own product, " + kernels::target();
    }

    void own_weights(std::int64_t count)
    {
        in_shares(threads_, shape_.inputs / kGroup, [&](int, std::int64_t begin, std::int64_t end) {
            const Product p{(end - begin) * kGroup,
                            shape_.outputs / kGroup,
                            count,
                            1,
                            shape_.inputs,
                            shape_.outputs,
                            kGroup,
                            shape_.outputs,
                            kGroup};
            kernels::multiply(p, tensors_.x + begin * kGroup, tensors_.y_gradient,
                              tensors_.kernel_gradient + begin * kGroup * shape_.outputs, false);
        });
    }

    void own_data(std::int64_t count)
    {
        in_shares(threads_, shape_.inputs / kGroup, [&](int, std::int64_t begin, std::int64_t end) {
            const std::int64_t first = begin * kGroup, width = (end - begin) * kGroup;
            if (width == 0) {
                return;
            }
            kernels::transpose(tensors_.kernel + first * shape_.outputs, shape_.outputs, turned_ + first,
                               shape_.inputs, width, shape_.outputs);
            const Product p{count,         width / kGroup, shape_.outputs, shape_.outputs, 1,
                            shape_.inputs, kGroup,         shape_.inputs,  kGroup};
            kernels::multiply(p, tensors_.y_gradient, turned_ + first, tensors_.x_gradient + first, false);
        });
    }

    Workshop& shop_;
    std::size_t number_;
    int threads_;
    bool relu_ = false;
    DenseShape shape_;
    std::optional<LibraryCall> forward_, data_, weights_;
    Arena::Slot turned_slot_;
    Tensors tensors_;
    float* turned_ = nullptr;
};

}  // namespace

std::unique_ptr<Stage> make_dense(Workshop& shop, std::size_t number)
{
    return std::make_unique<DenseStage>(shop, number);
}

}  // namespace lockstep::onednn
