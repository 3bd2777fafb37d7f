/*
 * ptx_hopper.h - instructions of sm_90a that CUDA C++ has no word for, a thin wrapper each: copies
 * of tensor boxes, barriers they report to, and matrix products of a warp group of 128 threads.
 *
 * wgmma: rows 16 w ... of A and D are those of warp w in its group, in the layout of ptx.h's
 * m16n8k16: d[n] holds columns 8 n ... . B is in shared memory, said by a descriptor
 * (hopper_layout.h). It runs while the warps go on: what it reads and writes must be left alone
 * from rp_wgmma_fence to rp_wgmma_wait, and rp_wgmma_hold tells the compiler so.
 */
#ifndef RP_KERNELS_CUDA_PTX_HOPPER_H
#define RP_KERNELS_CUDA_PTX_HOPPER_H

#include <cuda.h>

#include "kernels/cuda/ptx.h"

#ifdef __CUDACC__

/* Barriers are 8 bytes in shared memory. A phase ends when `count` arrivals and all expected bytes
 * are there; phases alternate between parity 0 and 1. */
RP_DEVICE void rp_barrier_create(unsigned barrier, int count)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" : : "r"(barrier), "r"(count) : "memory");
}

/* Barriers are to be seen by the copy unit, too; before __syncthreads. */
RP_DEVICE void rp_barrier_publish()
{
    asm volatile("fence.mbarrier_init.release.cluster;" : : : "memory");
}

/* Arrives, and expects so many bytes from the copy unit. */
RP_DEVICE void rp_barrier_expect(unsigned barrier, int bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
                 :
                 : "r"(barrier), "r"(bytes)
                 : "memory");
}

RP_DEVICE void rp_barrier_arrive(unsigned barrier)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" : : "r"(barrier) : "memory");
}

/* Waits for the end of the phase of this parity; one that ended before this phase counts. */
RP_DEVICE void rp_barrier_wait(unsigned barrier, int parity)
{
    unsigned is_over = 0;
    while (is_over == 0)
        asm volatile("{\n"
                     ".reg .pred p;\n"
                     "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
                     "selp.u32 %0, 1, 0, p;\n"
                     "}"
                     : "=r"(is_over)
                     : "r"(barrier), "r"(parity)
                     : "memory");
}

/* A box of a tensor, from (column, row, head) on, into shared memory; it reports to `barrier`. */
RP_DEVICE void rp_copy_box(unsigned to, const CUtensorMap *map, unsigned barrier, int column,
                           const int (&row_head)[2])
{
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%3, %4, %5}], [%2];"
                 :
                 : "r"(to), "l"(map), "r"(barrier), "r"(column), "r"(row_head[0]), "r"(row_head[1])
                 : "memory");
}

/* The registers of a thread from here on; said by all warps of a warp group. */
template <int N> RP_DEVICE void rp_registers_release()
{
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" : : "n"(N));
}

template <int N> RP_DEVICE void rp_registers_request()
{
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" : : "n"(N));
}

/* Registers written before are seen by the products that follow. */
RP_DEVICE void rp_wgmma_fence()
{
    asm volatile("wgmma.fence.sync.aligned;" : : : "memory");
}

/* The products since the last commit become a group. */
RP_DEVICE void rp_wgmma_commit()
{
    asm volatile("wgmma.commit_group.sync.aligned;" : : : "memory");
}

/* All but the latest N groups are done. */
template <int N> RP_DEVICE void rp_wgmma_wait()
{
    asm volatile("wgmma.wait_group.sync.aligned %0;" : : "n"(N) : "memory");
}

/* Nothing that is done with d moves across. */
template <int N> RP_DEVICE void rp_wgmma_hold(float (&d)[N][4])
{
#pragma unroll
    for (int n = 0; n < N; ++n)
        asm volatile("" : "+f"(d[n][0]), "+f"(d[n][1]), "+f"(d[n][2]), "+f"(d[n][3]) : : "memory");
}

#define RP_D4(n)  "+f"(d[n][0]), "+f"(d[n][1]), "+f"(d[n][2]), "+f"(d[n][3])
#define RP_D16(n) RP_D4(n), RP_D4(n + 1), RP_D4(n + 2), RP_D4(n + 3)
#define RP_D32(n) RP_D16(n), RP_D16(n + 4)
#define RP_A      "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3])
#define RP_REGISTERS_32                                                                            \
    "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,"                                       \
    "%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31"
#define RP_REGISTERS_64                                                                            \
    RP_REGISTERS_32 ",%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,"            \
                    "%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63"

/* d = a b, or d += a b where it adds; a in registers. Transposed: rows of b are summed over. */
#define RP_WGMMA_N64(TYPE)                                                                         \
    asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %37, 0;\n"                                      \
                 "wgmma.mma_async.sync.aligned.m64n64k16.f32." TYPE "." TYPE " {" RP_REGISTERS_32  \
                 "}, {%32,%33,%34,%35}, %36, p, 1, 1, %38;\n}"                                     \
                 : RP_D32(0)                                                                       \
                 : RP_A, "l"(b), "n"(ADDS), "n"(IS_TRANSPOSED))

#define RP_WGMMA_N128(TYPE)                                                                        \
    asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %69, 0;\n"                                      \
                 "wgmma.mma_async.sync.aligned.m64n128k16.f32." TYPE "." TYPE " {" RP_REGISTERS_64 \
                 "}, {%64,%65,%66,%67}, %68, p, 1, 1, %70;\n}"                                     \
                 : RP_D32(0), RP_D32(8)                                                            \
                 : RP_A, "l"(b), "n"(ADDS), "n"(IS_TRANSPOSED))

template <int ADDS, int IS_TRANSPOSED>
RP_DEVICE void rp_wgmma(float (&d)[8][4], const unsigned (&a)[4], uint64_t b, __half)
{
    RP_WGMMA_N64("f16");
}

template <int ADDS, int IS_TRANSPOSED>
RP_DEVICE void rp_wgmma(float (&d)[8][4], const unsigned (&a)[4], uint64_t b, __nv_bfloat16)
{
    RP_WGMMA_N64("bf16");
}

template <int ADDS, int IS_TRANSPOSED>
RP_DEVICE void rp_wgmma(float (&d)[16][4], const unsigned (&a)[4], uint64_t b, __half)
{
    RP_WGMMA_N128("f16");
}

template <int ADDS, int IS_TRANSPOSED>
RP_DEVICE void rp_wgmma(float (&d)[16][4], const unsigned (&a)[4], uint64_t b, __nv_bfloat16)
{
    RP_WGMMA_N128("bf16");
}

#endif

#endif
