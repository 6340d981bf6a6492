// The three sums of products that all layers are made of.
#pragma once

#include <cstdint>

namespace lockstep::reference {

// c[r][j] += sum over k of a(r)[k] * b[k * columns + j]   for r < rows, k < inner, first <= j < last,
//     where a(r) = a + (r / group) * a_group + (r % group) * a_stride.
// Each sum runs in the order of k, whatever the sizes. Rows of `a` may overlap; c is rows x columns.
struct Product {
    std::int64_t rows;
    std::int64_t inner;
    std::int64_t columns;
    std::int64_t first;
    std::int64_t last;
    const double* a;
    std::int64_t group;
    std::int64_t a_group;
    std::int64_t a_stride;
    const double* b;
    double* c;
};
void multiply_add(const Product& product);

// c[k][j] += sum over r of a[r * a_stride + k] * d[r * columns + j]
//     for first <= k < last, r < rows, j < columns.
// Each sum runs in the order of r. c is at least last x columns.
struct TransposedProduct {
    std::int64_t rows;
    std::int64_t first;
    std::int64_t last;
    std::int64_t columns;
    const double* a;
    std::int64_t a_stride;
    const double* d;
    double* c;
};
void multiply_transposed_add(const TransposedProduct& product);

// sum over i of a[i] * b[i], as eight interleaved sums that are added at the end.
double dot(std::int64_t count, const double* a, const double* b);

}  // namespace lockstep::reference
