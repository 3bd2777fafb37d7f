/*
 * kernel_ptx.h - what the wrappers of kernels/cuda/ptx.h do, after the lane layouts documented
 * there. cp.async fills its destination with NaN until it is waited for.
 */
#ifndef RP_TESTS_KERNEL_PTX_H
#define RP_TESTS_KERNEL_PTX_H

#include "kernel_side.h"

namespace host_cuda
{

enum class MatrixType { fp16, bf16, tf32 };

/* d += a b over the whole warp: 16 x 8, k 16 (tf32: 8). */
void multiply_matrices(MatrixType type, float (&d)[4], const unsigned (&a)[4],
                       const unsigned (&b)[2]);

/* 16 bytes of whatever. Not memcpy: the compiler would move them where ThreadSanitizer is blind. */
struct __attribute__((may_alias)) Sixteen {
    uint64_t low, high;
};

/* A cp.async of 16 bytes. */
struct Copy {
    Sixteen *to;
    const Sixteen *from; /* null: zeros */
};

/* Whether the copy is kept until it is waited for; else it lands at once. */
bool keep_copy(const Copy &copy);
void commit_copies();
/* The next one that must land, so that `pending` groups are left; false: there is none. */
bool take_copy(size_t pending, Copy *copy);

/* Here, and not in the engine: it is the kernel that reads and writes. */
inline void land(const Copy &copy)
{
    *copy.to = copy.from ? *copy.from : Sixteen{0, 0};
}

/* The eight rows of each matrix share no bank of shared memory, or what is counted. */
void count_conflicts(const void *const *rows, int n_matrices);

/* Every lane reads from the rows the others point to: lane 8 m + i holds row i of matrix m. */
template <int N> void load_matrices(unsigned (&registers)[N], const void *row, bool transposed)
{
    const Place place = {"ldmatrix", N};
    const void *rows[WARP_LANES];
    if (reinterpret_cast<uintptr_t>(row) % 16 != 0)
        trap(place, cudaErrorMisalignedAddress, "a row is not aligned to 16 bytes");
    exchange(place, {Operation::matrix_load, 0xffffffffu}, &row, sizeof row, rows);
    if (self->lane == 0)
        count_conflicts(rows, N);
    for (int m = 0; m < N; ++m) {
        unsigned group = self->lane / 4;
        unsigned pair = 2 * (self->lane % 4);
        uint16_t element[2];
        for (unsigned e = 0; e < 2; ++e) {
            unsigned i = transposed ? pair + e : group;
            unsigned j = transposed ? group : pair + e;
            memcpy(&element[e], static_cast<const char *>(rows[8 * m + i]) + 2 * j, 2);
        }
        registers[m] = element[0] | static_cast<unsigned>(element[1]) << 16;
    }
}

} // namespace host_cuda

inline void rp_mma_m16n8k16_fp16(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2])
{
    host_cuda::multiply_matrices(host_cuda::MatrixType::fp16, d, a, b);
}

inline void rp_mma_m16n8k16_bf16(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2])
{
    host_cuda::multiply_matrices(host_cuda::MatrixType::bf16, d, a, b);
}

inline void rp_mma_m16n8k8_tf32(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2])
{
    host_cuda::multiply_matrices(host_cuda::MatrixType::tf32, d, a, b);
}

/* To nearest, ties away from zero, as cvt.rna.tf32 does. */
inline unsigned rp_tf32_round(float x)
{
    return (__float_as_uint(x) + 0x1000u) & ~0x1fffu;
}

inline float rp_exp2(float x)
{
    return exp2f(x);
}

template <class T> T rp_opaque(T x)
{
    return x;
}

/* Kernels for every GPU are run here. */
template <bool> constexpr bool rp_is_compiled_for()
{
    return true;
}

inline void rp_ldmatrix_x2(unsigned (&registers)[2], const void *row)
{
    host_cuda::load_matrices(registers, row, false);
}

inline void rp_ldmatrix_x4(unsigned (&registers)[4], const void *row)
{
    host_cuda::load_matrices(registers, row, false);
}

inline void rp_ldmatrix_x2_trans(unsigned (&registers)[2], const void *row)
{
    host_cuda::load_matrices(registers, row, true);
}

inline void rp_ldmatrix_x4_trans(unsigned (&registers)[4], const void *row)
{
    host_cuda::load_matrices(registers, row, true);
}

inline void rp_copy_async_16(void *to, const void *from, bool inside)
{
    host_cuda::Copy copy = {static_cast<host_cuda::Sixteen *>(to),
                            static_cast<const host_cuda::Sixteen *>(inside ? from : nullptr)};
    uintptr_t either = reinterpret_cast<uintptr_t>(to) | reinterpret_cast<uintptr_t>(from);
    if (either % 16 != 0)
        host_cuda::trap({"cp.async", 16}, cudaErrorMisalignedAddress,
                        "source or destination is not aligned to 16 bytes");
    if (host_cuda::keep_copy(copy))
        *copy.to = {UINT64_MAX, UINT64_MAX}; /* NaN until it is waited for */
    else
        host_cuda::land(copy);
}

inline void rp_copy_async_commit()
{
    host_cuda::commit_copies();
}

template <int N> void rp_copy_async_wait()
{
    host_cuda::Copy copy;
    while (host_cuda::take_copy(N, &copy))
        host_cuda::land(copy);
}

#endif
