// The register tile under every product here: C (+)= A * B with any strides, columns in panels of 16.
// Included once per Highway target, so it has no ordinary include guard and no contract of its own; the
// callable form is kernels::multiply().
#if defined(LOCKSTEP_ONEDNN_GEMM_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef LOCKSTEP_ONEDNN_GEMM_INL
#undef LOCKSTEP_ONEDNN_GEMM_INL
#else
#define LOCKSTEP_ONEDNN_GEMM_INL
#endif

#include <algorithm>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "workers/onednn/kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace lockstep::onednn::kernels::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using Wide = hn::CappedTag<float, 16>;
using Floats = hn::Vec<Wide>;

// A panel of 16 columns is one AVX-512 register, two of AVX2, four of SSE and NEON. Rows and panels of a
// tile are chosen so that its sums, one row of B and one broadcast of A fill the register file (16
// registers, 32 with AVX-512) and no more.
constexpr std::int64_t kLanes = HWY_MIN(16, HWY_LANES(float));
constexpr int kVectorsPerPanel = static_cast<int>(16 / kLanes);
constexpr int kTileRows = kLanes >= 16 ? 12 : (kLanes == 8 ? 6 : 3);
constexpr int kTilePanels = kLanes >= 16 ? 2 : 1;

template <int rows, int panels>
HWY_INLINE void tile(const Product& p, const float* HWY_RESTRICT a, const float* HWY_RESTRICT b,
                     float* HWY_RESTRICT c, std::int64_t depth, bool accumulate)
{
    constexpr Wide d;
    constexpr int vectors = panels * kVectorsPerPanel;
    Floats sums[rows][vectors];
#pragma GCC unroll 16
    for (int r = 0; r < rows; ++r) {
#pragma GCC unroll 16
        for (int v = 0; v < vectors; ++v) {
            sums[r][v] = hn::Zero(d);
        }
        if (accumulate) {
            hwy::Prefetch(c + r * p.c_row);
        }
    }
    for (std::int64_t k = 0; k < depth; ++k) {
        Floats right[vectors];
#pragma GCC unroll 16
        for (int v = 0; v < vectors; ++v) {
            right[v] = hn::Load(d, b + (v / kVectorsPerPanel) * p.b_panel + (v % kVectorsPerPanel) * kLanes);
        }
#pragma GCC unroll 16
        for (int r = 0; r < rows; ++r) {
            const Floats left = hn::Set(d, a[r * p.a_row]);
#pragma GCC unroll 16
            for (int v = 0; v < vectors; ++v) {
                sums[r][v] = hn::MulAdd(left, right[v], sums[r][v]);
            }
        }
        a += p.a_depth;
        b += p.b_depth;
    }
#pragma GCC unroll 16
    for (int r = 0; r < rows; ++r) {
#pragma GCC unroll 16
        for (int v = 0; v < vectors; ++v) {
            float* out =
                c + r * p.c_row + (v / kVectorsPerPanel) * p.c_panel + (v % kVectorsPerPanel) * kLanes;
            hn::Store(accumulate ? hn::Add(hn::Load(d, out), sums[r][v]) : sums[r][v], d, out);
        }
    }
}

// The rows that are left after whole tiles, in halves: fewer sizes to compile than one for each remainder.
template <int rows, int panels>
HWY_INLINE void last_rows(std::int64_t row, const Product& p, const float* a, const float* b, float* c,
                          std::int64_t depth, bool accumulate)
{
    if constexpr (rows > 0) {
        for (; row + rows <= p.rows; row += rows) {
            tile<rows, panels>(p, a + row * p.a_row, b, c + row * p.c_row, depth, accumulate);
        }
        last_rows<rows / 2, panels>(row, p, a, b, c, depth, accumulate);
    }
}

template <int panels>
HWY_INLINE void columns(const Product& p, const float* a, const float* b, float* c, std::int64_t depth,
                        bool accumulate)
{
    std::int64_t row = 0;
    for (; row + kTileRows <= p.rows; row += kTileRows) {
        tile<kTileRows, panels>(p, a + row * p.a_row, b, c + row * p.c_row, depth, accumulate);
    }
    last_rows<kTileRows / 2, panels>(row, p, a, b, c, depth, accumulate);
}

// Depth is cut so that a panel of B (16 floats a row) stays in a first-level cache of 32 KB beside its A.
constexpr std::int64_t kDepthBlock = 256;

[[maybe_unused]] HWY_NOINLINE void product(const Product& p, const float* a, const float* b, float* c,
                                           bool accumulate)
{
    for (std::int64_t k = 0; k < p.depth; k += kDepthBlock) {
        const std::int64_t depth = std::min(kDepthBlock, p.depth - k);
        const bool add = accumulate || k > 0;
        const float* a_k = a + k * p.a_depth;
        const float* b_k = b + k * p.b_depth;
        std::int64_t panel = 0;
        for (; panel + kTilePanels <= p.panels; panel += kTilePanels) {
            columns<kTilePanels>(p, a_k, b_k + panel * p.b_panel, c + panel * p.c_panel, depth, add);
        }
        for (; panel < p.panels; ++panel) {
            columns<1>(p, a_k, b_k + panel * p.b_panel, c + panel * p.c_panel, depth, add);
        }
    }
}

}  // namespace
}  // namespace lockstep::onednn::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
