// The stages without parameters: the input's copy into padded channels, pooling on its own, dropout.
#include <cmath>

#include "workers/onednn/parallel.hpp"
#include "workers/onednn/stage.hpp"

namespace lockstep::onednn {

namespace {

// Copies images into the padded form; the padding was zero from the start and stays so while nothing shares
// its bytes, so it is written each time.
class InputStage : public Stage {
public:
    InputStage(Workshop& shop, std::size_t number)
        : shop_(shop), number_(number), tensor_(shop.plan.tensors[shop.stage(number).writes])
    {
    }
    void bind() override { to_ = shop_.arena.floats(shop_.tensors[shop_.stage(number_).writes].value); }
    void forward(const Pass& pass) override
    {
        const std::int64_t wide = kernels::padded(tensor_.channels);
        in_shares(shop_.job.threads, pass.count * tensor_.pixels,
                  [&](int, std::int64_t begin, std::int64_t end) {
                      for (std::int64_t pixel = begin; pixel < end; ++pixel) {
                          const float* from = pass.images + pixel * tensor_.channels;
                          std::fill(std::copy(from, from + tensor_.channels, to_ + pixel * wide),
                                    to_ + (pixel + 1) * wide, 0.0f);
                      }
                  });
    }
    void backward(const Pass&) override {}

private:
    Workshop& shop_;
    std::size_t number_;
    const TensorPlan& tensor_;
    float* to_ = nullptr;
};

class PoolStage : public Stage {
public:
    PoolStage(Workshop& shop, std::size_t number) : shop_(shop), number_(number)
    {
        const protocol::Layer& layer = shop.stage(number).layer;
        shape_ = {layer.input[0], layer.input[1], kernels::padded(layer.input[2]), layer.window};
        const std::int64_t places =
            shop.job.batch * shape_.pooled_height() * shape_.pooled_width() * shape_.channels;
        winners_slot_ = shop.arena.request(places * static_cast<std::int64_t>(sizeof(kernels::Winner)),
                                           shop.through(number));
        shop.facts[layer.name + ".forward"] = "own pooling, " + kernels::target();
    }
    void bind() override
    {
        tensors_ = find_tensors(shop_, number_);
        winners_ = static_cast<kernels::Winner*>(shop_.arena.at(winners_slot_));
    }
    void forward(const Pass& pass) override
    {
        in_shares(shop_.job.threads, pass.count * shape_.pooled_height(),
                  [&](int, std::int64_t begin, std::int64_t end) {
                      kernels::pool_forward(shape_, tensors_.x, tensors_.y, winners_, begin, end);
                  });
    }
    void backward(const Pass& pass) override
    {
        if (tensors_.x_gradient == nullptr) {
            return;
        }
        in_shares(shop_.job.threads, pass.count, [&](int, std::int64_t begin, std::int64_t end) {
            kernels::pool_backward(shape_, tensors_.y_gradient, winners_, tensors_.x_gradient, begin, end);
        });
    }

private:
    Workshop& shop_;
    std::size_t number_;
    kernels::Pooling shape_;
    Arena::Slot winners_slot_;
    Tensors tensors_;
    kernels::Winner* winners_ = nullptr;
};

// A counter-based generator: each draw depends only on its place, never on threads or order. The finalizer of
// Steele, Lea and Flood's SplitMix64.
std::uint64_t mixed(std::uint64_t value)
{
    value += 0x9E3779B97F4A7C15u;
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9u;
    value = (value ^ (value >> 27)) * 0x94D049BB133111EBu;
    return value ^ (value >> 31);
}

// Inverted dropout in place: what passes is scaled by 1/(1-rate), so that prediction needs no scaling.
class DropoutStage : public Stage {
public:
    DropoutStage(Workshop& shop, std::size_t number)
        : shop_(shop), number_(number), features_(shop.plan.tensors[shop.stage(number).writes].features())
    {
        const double rate = shop.stage(number).layer.rate;
        threshold_ = static_cast<std::uint64_t>(std::llround(rate * static_cast<double>(kDraws)));
        scale_ = rate < 1.0 ? static_cast<float>(1.0 / (1.0 - rate)) : 0.0f;
        factors_slot_ = shop.arena.request_floats(shop.job.batch * features_, shop.through(number));
        shop.facts[shop.stage(number).layer.name + ".forward"] = "own dropout";
    }
    void bind() override
    {
        const StagePlan& plan = shop_.stage(number_);
        values_ = shop_.arena.floats(shop_.tensors[plan.writes].value);
        gradient_ =
            plan.wants_input_gradient ? shop_.arena.floats(shop_.tensors[plan.writes].gradient) : nullptr;
        factors_ = shop_.arena.floats(factors_slot_);
    }
    void forward(const Pass& pass) override
    {
        if (!pass.dropout) {
            return;
        }
        const std::uint64_t key = mixed(mixed(shop_.job.seed + number_) ^ pass.number);
        in_shares(shop_.job.threads, pass.count * features_, [&](int, std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = begin; i < end; ++i) {
                const std::uint64_t draw = mixed(key ^ static_cast<std::uint64_t>(i)) % kDraws;
                factors_[i] = draw < threshold_ ? 0.0f : scale_;
                values_[i] *= factors_[i];
            }
        });
    }
    void backward(const Pass& pass) override
    {
        if (!pass.dropout || gradient_ == nullptr) {
            return;
        }
        in_shares(shop_.job.threads, pass.count * features_, [&](int, std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = begin; i < end; ++i) {
                gradient_[i] *= factors_[i];
            }
        });
    }

private:
    static constexpr std::uint64_t kDraws = 1u << 31;  // a power of two: rates come out to 5e-10

    Workshop& shop_;
    std::size_t number_;
    std::int64_t features_;
    std::uint64_t threshold_ = 0;
    float scale_ = 1.0f;
    Arena::Slot factors_slot_;
    float* values_ = nullptr;
    float* gradient_ = nullptr;
    float* factors_ = nullptr;
};

}  // namespace

std::unique_ptr<Stage> make_input(Workshop& shop, std::size_t number)
{
    return std::make_unique<InputStage>(shop, number);
}

std::unique_ptr<Stage> make_pool(Workshop& shop, std::size_t number)
{
    return std::make_unique<PoolStage>(shop, number);
}

std::unique_ptr<Stage> make_dropout(Workshop& shop, std::size_t number)
{
    return std::make_unique<DropoutStage>(shop, number);
}

}  // namespace lockstep::onednn
