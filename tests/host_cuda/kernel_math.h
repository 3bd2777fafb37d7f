/*
 * kernel_math.h - the scalar functions of CUDA that NVIDIA's headers give to nvcc only. Fast
 * approximations (__expf) are the exact functions here; their error is not imitated.
 */
#ifndef RP_TESTS_KERNEL_MATH_H
#define RP_TESTS_KERNEL_MATH_H

#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "kernel_side.h"

using std::isnan;

inline float __expf(float x)
{
    return expf(x);
}

inline float __logf(float x)
{
    return logf(x);
}

inline float __fdividef(float a, float b)
{
    return a / b;
}

inline float rsqrtf(float x)
{
    return 1.0f / sqrtf(x);
}

inline unsigned __float_as_uint(float x)
{
    unsigned bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

inline float __uint_as_float(unsigned bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

template <class T> T __ldg(const T *p)
{
    return *p;
}

template <class A, class B> std::common_type_t<A, B> min(A a, B b)
{
    return b < a ? b : a;
}

template <class A, class B> std::common_type_t<A, B> max(A a, B b)
{
    return a < b ? b : a;
}

namespace host_cuda
{

/* Replaces *p by f(*p) in one step, for blocks run on several cores; gives the old value. */
template <class T, class Function> T exchange_atomically(T *p, Function f)
{
    static_assert(sizeof(T) == 4 || sizeof(T) == 8);
    using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
    Bits old_bits = __atomic_load_n(reinterpret_cast<Bits *>(p), __ATOMIC_RELAXED);
    for (;;) {
        T old_value;
        Bits new_bits;
        memcpy(&old_value, &old_bits, sizeof old_value);
        T new_value = f(old_value);
        memcpy(&new_bits, &new_value, sizeof new_bits);
        if (__atomic_compare_exchange_n(reinterpret_cast<Bits *>(p), &old_bits, new_bits, false,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            return old_value;
    }
}

} // namespace host_cuda

template <class T> T atomicAdd(T *p, std::type_identity_t<T> x)
{
    return host_cuda::exchange_atomically(p, [=](T old) { return static_cast<T>(old + x); });
}

template <class T> T atomicMax(T *p, std::type_identity_t<T> x)
{
    return host_cuda::exchange_atomically(p, [=](T old) { return old > x ? old : x; });
}

inline void __threadfence()
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

#endif
