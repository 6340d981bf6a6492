// The product kernel on shapes that leave remainders, on every Highway target of this processor.
#include "workers/onednn/kernels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "hwy/targets.h"
#include "workers/onednn/arena.hpp"

namespace lockstep::onednn::kernels {
namespace {

class KernelsOnEachTarget : public testing::TestWithParam<std::int64_t> {
protected:
    void SetUp() override { hwy::SetSupportedTargetsForTest(GetParam()); }
    void TearDown() override { hwy::SetSupportedTargetsForTest(0); }
};

TEST_P(KernelsOnEachTarget, MultiplyAddsTheProductOfAnyRowsPanelsAndDepth)
{
    std::mt19937 random(1);
    for (const std::int64_t rows : {1, 5, 13, 27}) {
        for (const std::int64_t panels : {1, 2, 3}) {
            for (const std::int64_t depth : {1, 7, 300}) {
                Arena arena;
                const std::int64_t columns = panels * kGroup;
                const Arena::Slot a_slot = arena.request_floats(rows * depth, Arena::kAlways);
                const Arena::Slot b_slot = arena.request_floats(depth * columns, Arena::kAlways);
                const Arena::Slot c_slot = arena.request_floats(rows * columns, Arena::kAlways);
                arena.allocate();
                float *a = arena.floats(a_slot), *b = arena.floats(b_slot), *c = arena.floats(c_slot);
                std::uniform_real_distribution<float> draw(-1.0f, 1.0f);
                std::generate_n(a, rows * depth, [&] { return draw(random); });
                std::generate_n(b, depth * columns, [&] { return draw(random); });
                std::fill_n(c, rows * columns, 2.0f);
                // A by columns, B by panels, C by rows.
                multiply({rows, panels, depth, 1, rows, kGroup, depth * kGroup, columns, kGroup}, a, b, c,
                         true);
                for (std::int64_t r = 0; r < rows; ++r) {
                    for (std::int64_t n = 0; n < columns; ++n) {
                        double sum = 2.0;
                        for (std::int64_t k = 0; k < depth; ++k) {
                            sum += static_cast<double>(a[k * rows + r]) *
                                   b[n / kGroup * depth * kGroup + k * kGroup + n % kGroup];
                        }
                        // 300 terms below 1: at most a few units in the last place of sums near 10.
                        ASSERT_NEAR(c[r * columns + n], sum, 2e-5) << target();
                    }
                }
            }
        }
    }
}

TEST_P(KernelsOnEachTarget, AdamFollowsItsFormulaDownToItsEpsilon)
{
    alignas(64) float theta[16], g[16], m[16], v[16];
    for (int i = 0; i < 16; ++i) {
        theta[i] = 0.5f;
        g[i] = static_cast<float>(std::pow(10.0, -i / 2.0)) * (i % 2 == 0 ? 1.0f : -1.0f);
        m[i] = 0.1f * g[i];
        v[i] = 0.01f * g[i] * g[i];
    }
    const Adam rule{1e-3f, 0.9f, 0.1f, 0.999f, 0.001f, 1e-7f};
    adam(rule, theta, g, m, v, 16);
    for (int i = 0; i < 16; ++i) {
        const double gradient = g[i], first = 0.9 * 0.1 * gradient + 0.1 * gradient;
        const double second = 0.999 * 0.01 * gradient * gradient + 0.001 * gradient * gradient;
        EXPECT_NEAR(theta[i], 0.5 - 1e-3 * first / (std::sqrt(second) + 1e-7), 1.2e-7) << i;
        EXPECT_NEAR(m[i], first, 1e-6 * std::abs(first)) << i;
    }
}

INSTANTIATE_TEST_SUITE_P(Targets, KernelsOnEachTarget, testing::ValuesIn(targets()),
                         [](const auto& each) { return std::string(hwy::TargetName(each.param)); });

}  // namespace
}  // namespace lockstep::onednn::kernels
