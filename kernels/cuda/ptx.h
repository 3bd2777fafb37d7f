/*
 * ptx.h - the instructions that CUDA C++ has no word for, a thin wrapper each. The host side of the
 * tests follows the layouts written here.
 *
 * Of a warp's lane let g = lane / 4 and t = lane % 4. A register of 16-bit elements holds two
 * neighbours, the first one in its low half.
 *
 *   m16n8k16, fp16 and bf16        m16n8k8, tf32                  d of both, fp32
 *   a[0]  A[g    ][2t, 2t+1]       a[0]  A[g    ][t    ]          d[0], d[1]  D[g    ][2t, 2t+1]
 *   a[1]  A[g + 8][2t, 2t+1]       a[1]  A[g + 8][t    ]          d[2], d[3]  D[g + 8][2t, 2t+1]
 *   a[2]  A[g    ][2t+8, 2t+9]     a[2]  A[g    ][t + 4]
 *   a[3]  A[g + 8][2t+8, 2t+9]     a[3]  A[g + 8][t + 4]
 *   b[0]  B[2t, 2t+1][g]           b[0]  B[t    ][g]
 *   b[1]  B[2t+8, 2t+9][g]         b[1]  B[t + 4][g]
 *
 * ldmatrix: lane 8 m + i points to row i (16 bytes, aligned to 16) of the 8 x 8 matrix m; register
 * m then holds M[g][2t, 2t+1], transposed M[2t, 2t+1][g]. In x2, lanes 16 to 31 point nowhere.
 */
#ifndef RP_KERNELS_CUDA_PTX_H
#define RP_KERNELS_CUDA_PTX_H

#include "kernels/cuda/launch.h"

#ifdef __CUDACC__

#define RP_DEVICE static __device__ __forceinline__

/* d += a b. On sm_75, which has no k = 16, two steps of k = 8. */
RP_DEVICE void rp_mma_m16n8k16_fp16(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2])
{
#if __CUDA_ARCH__ >= 800
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
        "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#else
    asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 "
        "{%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(b[0]));
    asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 "
        "{%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[2]), "r"(a[3]), "r"(b[1]));
#endif
}

/* bf16 and tf32 need sm_80; kernels for them are compiled for sm_75 too, and never launched. */
RP_DEVICE void rp_mma_m16n8k16_bf16(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2])
{
#if __CUDA_ARCH__ >= 800
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
        "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#else
    __trap();
#endif
}

/* Operands are rounded by rp_tf32_round. */
RP_DEVICE void rp_mma_m16n8k8_tf32(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2])
{
#if __CUDA_ARCH__ >= 800
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
        "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#else
    __trap();
#endif
}

/* To nearest, ties away from zero. */
RP_DEVICE unsigned rp_tf32_round(float x)
{
    unsigned bits = 0;
#if __CUDA_ARCH__ >= 800
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(x));
#else
    __trap();
#endif
    return bits;
}

/* 2^x to 2 units in the last place, subnormal results as 0: one instruction. */
RP_DEVICE float rp_exp2(float x)
{
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

/* x, of which the compiler knows nothing: what is computed from it stays where it is, and takes no
 * register elsewhere. */
RP_DEVICE int rp_opaque(int x)
{
    asm volatile("" : "+r"(x));
    return x;
}

/* Whether what needs cp.async (or is there for lack of it) is for the GPU that is compiled for. */
template <bool WITH_ASYNC> static constexpr __host__ __device__ bool rp_is_compiled_for()
{
#ifdef __CUDA_ARCH__
    return WITH_ASYNC == (__CUDA_ARCH__ >= 800);
#else
    return true;
#endif
}

RP_DEVICE unsigned rp_shared_address(const void *shared)
{
    return static_cast<unsigned>(__cvta_generic_to_shared(shared));
}

RP_DEVICE void rp_ldmatrix_x2(unsigned (&registers)[2], const void *row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
                 : "=r"(registers[0]), "=r"(registers[1])
                 : "r"(rp_shared_address(row))
                 : "memory");
}

RP_DEVICE void rp_ldmatrix_x4(unsigned (&registers)[4], const void *row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(registers[0]), "=r"(registers[1]), "=r"(registers[2]), "=r"(registers[3])
                 : "r"(rp_shared_address(row))
                 : "memory");
}

RP_DEVICE void rp_ldmatrix_x2_trans(unsigned (&registers)[2], const void *row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
                 : "=r"(registers[0]), "=r"(registers[1])
                 : "r"(rp_shared_address(row))
                 : "memory");
}

RP_DEVICE void rp_ldmatrix_x4_trans(unsigned (&registers)[4], const void *row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(registers[0]), "=r"(registers[1]), "=r"(registers[2]), "=r"(registers[3])
                 : "r"(rp_shared_address(row))
                 : "memory");
}

/* 16 bytes into shared memory, both sides aligned to 16. Not `inside`: zeros, the source is not
 * read. On sm_75, which has no cp.async, a copy at once. */
RP_DEVICE void rp_copy_async_16(void *to, const void *from, bool inside)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
                 :
                 : "r"(rp_shared_address(to)), "l"(from), "r"(inside ? 16 : 0)
                 : "memory");
#else
    *static_cast<int4 *>(to) = inside ? *static_cast<const int4 *>(from) : make_int4(0, 0, 0, 0);
#endif
}

/* The copies since the last commit become a group. */
RP_DEVICE void rp_copy_async_commit()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" : : : "memory");
#endif
}

/* This thread's copies have landed, but for those of the latest N groups. */
template <int N> RP_DEVICE void rp_copy_async_wait()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" : : "n"(N) : "memory");
#endif
}

#endif

#endif
