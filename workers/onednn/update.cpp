// The optimizers: one pass over parameters, gradients and moments.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "workers/onednn/update.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "workers/onednn/gemm-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace lockstep::onednn::kernels::HWY_NAMESPACE {

void adam(const Adam& rule, float* HWY_RESTRICT parameters, const float* HWY_RESTRICT gradients,
          float* HWY_RESTRICT first, float* HWY_RESTRICT second, std::int64_t count)
{
    constexpr Wide d;
    const Floats keep1 = hn::Set(d, rule.keep1), take1 = hn::Set(d, rule.take1);
    const Floats keep2 = hn::Set(d, rule.keep2), take2 = hn::Set(d, rule.take2);
    const Floats rate = hn::Set(d, rule.rate), epsilon = hn::Set(d, rule.epsilon);
    for (std::int64_t i = 0; i < count; i += kLanes) {
        const Floats g = hn::Load(d, gradients + i);
        const Floats m = hn::MulAdd(keep1, hn::Load(d, first + i), hn::Mul(take1, g));
        const Floats v = hn::MulAdd(keep2, hn::Load(d, second + i), hn::Mul(take2, hn::Mul(g, g)));
        const Floats step = hn::Div(hn::Mul(rate, m), hn::Add(hn::Sqrt(v), epsilon));
        hn::Store(m, d, first + i);
        hn::Store(v, d, second + i);
        hn::Store(hn::Sub(hn::Load(d, parameters + i), step), d, parameters + i);
    }
}

void momentum(float rate, float keep_share, float* HWY_RESTRICT parameters,
              const float* HWY_RESTRICT gradients, float* HWY_RESTRICT velocity, std::int64_t count)
{
    constexpr Wide d;
    const Floats keep = hn::Set(d, keep_share), step = hn::Set(d, rate);
    for (std::int64_t i = 0; i < count; i += kLanes) {
        const Floats v = hn::MulAdd(keep, hn::Load(d, velocity + i), hn::Load(d, gradients + i));
        hn::Store(v, d, velocity + i);
        hn::Store(hn::NegMulAdd(step, v, hn::Load(d, parameters + i)), d, parameters + i);
    }
}

}  // namespace lockstep::onednn::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lockstep::onednn::kernels {

HWY_EXPORT(adam);
HWY_EXPORT(momentum);

void adam(const Adam& rule, float* parameters, const float* gradients, float* first, float* second,
          std::int64_t count)
{
    HWY_DYNAMIC_DISPATCH(adam)(rule, parameters, gradients, first, second, count);
}

void momentum(float rate, float keep, float* parameters, const float* gradients, float* velocity,
              std::int64_t count)
{
    HWY_DYNAMIC_DISPATCH(momentum)(rate, keep, parameters, gradients, velocity, count);
}

}  // namespace lockstep::onednn::kernels
#endif
