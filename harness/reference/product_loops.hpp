// The loops behind product.hpp, cut into tiles whose sums stay in registers. Included once for each
// instruction set that they are compiled for (so without #pragma once), each time into a namespace of its
// own: LOCKSTEP_PRODUCT_SET names it.
#include "harness/reference/product.hpp"

#ifndef LOCKSTEP_PRODUCT_SET
#define LOCKSTEP_PRODUCT_SET every_machine
#endif

namespace lockstep::reference::LOCKSTEP_PRODUCT_SET {

constexpr int kLanes = 4;
using Lanes __attribute__((vector_size(kLanes * sizeof(double)), aligned(alignof(double)), may_alias)) =
    double;

inline const Lanes& lanes(const double* p)
{
    return *reinterpret_cast<const Lanes*>(p);
}

inline Lanes& lanes(double* p)
{
    return *reinterpret_cast<Lanes*>(p);
}

constexpr int kVectors = 2;
constexpr std::int64_t kWidth = kVectors * kLanes;
constexpr std::int64_t kDepth = 256;  // 256 x 8 float64 are half of a 32 KiB cache

// Rows x kWidth sums, each over `count` terms: term i of row r and column j is
// a[r][i * a_term] * panel[i * kWidth + j].
template <int Rows>
inline void tile(std::int64_t count, const double* const* a, std::int64_t a_term, const double* panel,
                 double* const* c)
{
    Lanes sums[Rows][kVectors];
    const double* left[Rows];
#pragma GCC unroll 8
    for (int r = 0; r < Rows; ++r) {
        left[r] = a[r];
#pragma GCC unroll 8
        for (int v = 0; v < kVectors; ++v) {
            sums[r][v] = lanes(c[r] + v * kLanes);
        }
    }
    for (std::int64_t i = 0; i < count; ++i) {
#pragma GCC unroll 8
        for (int v = 0; v < kVectors; ++v) {
            const Lanes right = lanes(panel + (i * kVectors + v) * kLanes);
#pragma GCC unroll 8
            for (int r = 0; r < Rows; ++r) {
                sums[r][v] += left[r][i * a_term] * right;
            }
        }
    }
#pragma GCC unroll 8
    for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 8
        for (int v = 0; v < kVectors; ++v) {
            lanes(c[r] + v * kLanes) = sums[r][v];
        }
    }
}

// Copies `depth` rows of up to kWidth columns, so that they lie together and stay in the nearest cache
// while all rows of the other factor pass; the missing columns are 0.
inline void pack(std::int64_t depth, std::int64_t width, const double* b, std::int64_t b_row, double* panel)
{
    for (std::int64_t i = 0; i < depth; ++i) {
        if (width == kWidth) {
            __builtin_memcpy(panel + i * kWidth, b + i * b_row, kWidth * sizeof(double));
            continue;
        }
        for (std::int64_t column = 0; column < kWidth; ++column) {
            panel[i * kWidth + column] = column < width ? b[i * b_row + column] : 0.0;
        }
    }
}

// One tile of `rows` <= 4 rows; where fewer than kWidth columns are left, by way of a full-width copy.
inline void any_tile(std::int64_t rows, std::int64_t width, std::int64_t depth, const double* const* a,
                     std::int64_t a_term, const double* panel, double* const* c)
{
    double copy[4 * kWidth];
    double* target[4] = {};
    for (std::int64_t r = 0; r < rows; ++r) {
        target[r] = width == kWidth ? c[r] : copy + r * kWidth;
        for (std::int64_t column = 0; width < kWidth && column < kWidth; ++column) {
            target[r][column] = column < width ? c[r][column] : 0.0;
        }
    }
    switch (rows) {
        case 4:
            tile<4>(depth, a, a_term, panel, target);
            break;
        case 3:
            tile<3>(depth, a, a_term, panel, target);
            break;
        case 2:
            tile<2>(depth, a, a_term, panel, target);
            break;
        default:
            tile<1>(depth, a, a_term, panel, target);
            break;
    }
    for (std::int64_t r = 0; r < rows && width < kWidth; ++r) {
        for (std::int64_t column = 0; column < width; ++column) {
            c[r][column] = target[r][column];
        }
    }
}

// c[r][j] += sum over i < count of a(r)[i * a_term] * b[i * b_row + j], for r < rows, j < columns, where
// a(r) = a + (r / group) * a_group + (r % group) * a_row.
struct Sums {
    std::int64_t rows, count, columns;
    const double* a;
    std::int64_t group, a_group, a_row, a_term;
    const double* b;
    std::int64_t b_row;
    double* c;
    std::int64_t c_row;
};

inline void sums_of_products(const Sums& s)
{
    double panel[kDepth * kWidth];
    for (std::int64_t j = 0; j < s.columns; j += kWidth) {
        const std::int64_t width = s.columns - j < kWidth ? s.columns - j : kWidth;
        for (std::int64_t first = 0; first < s.count; first += kDepth) {
            const std::int64_t depth = s.count - first < kDepth ? s.count - first : kDepth;
            pack(depth, width, s.b + first * s.b_row + j, s.b_row, panel);
            for (std::int64_t r = 0; r < s.rows; r += 4) {
                const std::int64_t rows = s.rows - r < 4 ? s.rows - r : 4;
                const double* left[4] = {};
                double* target[4] = {};
                for (std::int64_t i = 0; i < rows; ++i) {
                    const std::int64_t row = r + i;
                    left[i] =
                        s.a + (row / s.group) * s.a_group + (row % s.group) * s.a_row + first * s.a_term;
                    target[i] = s.c + row * s.c_row + j;
                }
                any_tile(rows, width, depth, left, s.a_term, panel, target);
            }
        }
    }
}

inline void multiply_add(const Product& p)
{
    sums_of_products({p.rows, p.inner, p.last - p.first, p.a, p.group, p.a_group, p.a_stride, 1,
                      p.b + p.first, p.columns, p.c + p.first, p.columns});
}

inline void multiply_transposed_add(const TransposedProduct& p)
{
    const std::int64_t rows = p.last - p.first;
    sums_of_products({rows, p.rows, p.columns, p.a + p.first, rows, 0, 1, p.a_stride, p.d, p.columns,
                      p.c + p.first * p.columns, p.columns});
}

inline double dot(std::int64_t count, const double* a, const double* b)
{
    Lanes low{};
    Lanes high{};
    std::int64_t i = 0;
    for (; i + 2 * kLanes <= count; i += 2 * kLanes) {
        low += lanes(a + i) * lanes(b + i);
        high += lanes(a + i + kLanes) * lanes(b + i + kLanes);
    }
    double sum = 0.0;
    for (; i < count; ++i) {
        sum += a[i] * b[i];
    }
    for (int lane = 0; lane < kLanes; ++lane) {
        sum += low[lane] + high[lane];
    }
    return sum;
}

}  // namespace lockstep::reference::LOCKSTEP_PRODUCT_SET
