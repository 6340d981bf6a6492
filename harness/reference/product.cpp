// Compiled twice: for every machine, and for x86-64 with AVX2 and fused multiply-add, which is several times
// faster. One machine always takes the same of the two.
#include "harness/reference/product.hpp"

#define LOCKSTEP_PRODUCT_SET every_machine
#include "harness/reference/product_loops.hpp"
#undef LOCKSTEP_PRODUCT_SET

#if defined(__x86_64__) && !defined(__clang__)
#define LOCKSTEP_PRODUCT_TWICE
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#define LOCKSTEP_PRODUCT_SET avx2
#include "harness/reference/product_loops.hpp"
#undef LOCKSTEP_PRODUCT_SET
#pragma GCC pop_options
#endif

namespace lockstep::reference {
namespace {

bool has_avx2()
{
#if defined(LOCKSTEP_PRODUCT_TWICE)
    static const bool has = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
    return has;
#else
    return false;
#endif
}

}  // namespace

#if !defined(LOCKSTEP_PRODUCT_TWICE)
namespace avx2 = every_machine;
#endif

void multiply_add(const Product& product)
{
    has_avx2() ? avx2::multiply_add(product) : every_machine::multiply_add(product);
}

void multiply_transposed_add(const TransposedProduct& product)
{
    has_avx2() ? avx2::multiply_transposed_add(product) : every_machine::multiply_transposed_add(product);
}

double dot(std::int64_t count, const double* a, const double* b)
{
    return has_avx2() ? avx2::dot(count, a, b) : every_machine::dot(count, a, b);
}

}  // namespace lockstep::reference
