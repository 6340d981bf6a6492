// The matrix product as a callable kernel, and the copies and sums that go with it.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "workers/onednn/gemm.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "workers/onednn/gemm-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace lockstep::onednn::kernels::HWY_NAMESPACE {

void multiply(const Product& p, const float* a, const float* b, float* c, bool accumulate)
{
    product(p, a, b, c, accumulate);
}

// Blocks of 16 x 16 keep both sides within the first-level cache.
void transpose(const float* from, std::int64_t from_row, float* to, std::int64_t to_row, std::int64_t rows,
               std::int64_t columns)
{
    for (std::int64_t r = 0; r < rows; r += kGroup) {
        for (std::int64_t c = 0; c < columns; c += kGroup) {
            for (std::int64_t i = 0; i < kGroup; ++i) {
                for (std::int64_t j = 0; j < kGroup; ++j) {
                    to[(c + i) * to_row + r + j] = from[(r + j) * from_row + c + i];
                }
            }
        }
    }
}

void add_copies(const float* copies, std::int64_t count, std::int64_t stride, float* sum, std::int64_t begin,
                std::int64_t end)
{
    constexpr Wide d;
    for (std::int64_t i = begin; i < end; i += kLanes) {
        Floats total = hn::Load(d, copies + i);
        for (std::int64_t n = 1; n < count; ++n) {
            total = hn::Add(total, hn::Load(d, copies + n * stride + i));
        }
        hn::Store(total, d, sum + i);
    }
}

}  // namespace lockstep::onednn::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lockstep::onednn::kernels {

HWY_EXPORT(multiply);
HWY_EXPORT(transpose);
HWY_EXPORT(add_copies);

void multiply(const Product& product, const float* a, const float* b, float* c, bool accumulate)
{
    HWY_DYNAMIC_DISPATCH(multiply)(product, a, b, c, accumulate);
}

void transpose(const float* from, std::int64_t from_row, float* to, std::int64_t to_row, std::int64_t rows,
               std::int64_t columns)
{
    HWY_DYNAMIC_DISPATCH(transpose)(from, from_row, to, to_row, rows, columns);
}

void add_copies(const float* copies, std::int64_t count, std::int64_t stride, float* sum, std::int64_t begin,
                std::int64_t end)
{
    HWY_DYNAMIC_DISPATCH(add_copies)(copies, count, stride, sum, begin, end);
}

std::vector<std::int64_t> targets()
{
    return hwy::SupportedAndGeneratedTargets();
}

std::string target()
{
    const std::int64_t best = hwy::SupportedTargets() & HWY_TARGETS;
    return hwy::TargetName(best & -best);
}

}  // namespace lockstep::onednn::kernels
#endif
