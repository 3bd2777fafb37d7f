/*
 * kernel_hopper.h - what the wrappers of kernels/cuda/ptx_hopper.h do, after the PTX manual. What
 * the GPU does meanwhile is done as late as it may be: products when they are waited for, boxes
 * when their barrier is (or at once, as the settings say), so that a wait too few gives other bits.
 *
 * Shared memory has addresses of 32 bits, and begins at no multiple of 1024.
 */
#ifndef RP_TESTS_KERNEL_HOPPER_H
#define RP_TESTS_KERNEL_HOPPER_H

#include <cuda.h>

#include "kernel_side.h"
#include "wgmma_layout.h"

#undef __grid_constant__
#define __grid_constant__

namespace host_cuda
{

enum : unsigned { SHARED_BEGIN = 4480 };

inline unsigned char *shared_at(unsigned address)
{
    return self->dynamic_shared + (address - SHARED_BEGIN);
}

/* A barrier's phases (mbarrier), in its 8 bytes of shared memory. */
void phase_create(void *barrier, int count);
void phase_expect(void *barrier, int bytes); /* before the arrival */
void phase_arrive(void *barrier);
void phase_complete(void *barrier, int bytes);
/* Waits until the phase of this parity is over (true), or a box reports to the barrier (false). */
bool phase_wait(void *barrier, int parity);

/* What cuTensorMapEncodeTiled keeps in a map. */
struct Tensor {
    const unsigned char *data;
    uint64_t size[3], stride_bytes[2];
    uint32_t box[3];
};
static_assert(sizeof(Tensor) <= sizeof(CUtensorMap));

/* A box on its way: of the tensor from `at` on, to an address of shared memory. */
struct Box {
    Tensor tensor;
    int at[3];
    unsigned to;
    void *barrier;
};

/* As keep_copy and take_copy; of the boxes that report to `barrier`. */
bool keep_box(const Box &box);
bool take_box(const void *barrier, Box *box);

/* Elements beyond the tensor are zeros, and count as bytes all the same. */
inline void land(const Box &box)
{
    const Tensor &t = box.tensor;
    for (uint32_t i = 0; i < t.box[1]; ++i) {
        for (uint32_t j = 0; j < t.box[0]; ++j) {
            const uint64_t row = static_cast<uint64_t>(box.at[1]) + i;
            const uint64_t column = static_cast<uint64_t>(box.at[0]) + j;
            const uint64_t head = static_cast<uint64_t>(box.at[2]);
            const bool inside = column < t.size[0] && row < t.size[1] && head < t.size[2];
            const unsigned char *from =
                t.data + head * t.stride_bytes[1] + row * t.stride_bytes[0] + 2 * column;
            unsigned char *to = shared_at(wgmma_swizzle(box.to + (i * t.box[0] + j) * 2));
            *reinterpret_cast<uint16_t *>(to) =
                inside ? *reinterpret_cast<const uint16_t *>(from) : 0;
        }
    }
    phase_complete(box.barrier, static_cast<int>(t.box[0] * t.box[1] * 2));
}

/* A product on its way: d (n blocks of 8 columns) = a b, or += a b. */
struct MatrixProduct {
    float (*d)[4];
    int n_blocks;
    unsigned a[4];
    uint64_t b;
    MatrixType type;
    bool adds, is_transposed;
};

void keep_product(const MatrixProduct &product);
void commit_products();
bool take_product(MatrixProduct *product); /* of those committed */

/* A warp has 16 of the 64 rows, in the layout of m16n8k16. */
inline void multiply(const MatrixProduct &p)
{
    const wgmma_operand b = wgmma_operand_of(p.b);
    if (b.others != 0 || b.swizzle != 1)
        trap({"wgmma", 0}, cudaErrorIllegalInstruction, "a descriptor without 128-byte swizzle");
    const auto element = [&](uint32_t n, uint32_t k) -> unsigned {
        const uint32_t address =
            p.is_transposed ? wgmma_by_columns(&b, n, k) : wgmma_by_rows(&b, n, k);
        return *reinterpret_cast<const uint16_t *>(shared_at(address));
    };
    for (int j = 0; j < p.n_blocks; ++j) {
        unsigned pairs[2];
        const uint32_t n = static_cast<uint32_t>(8 * j) + self->lane / 4;
        for (uint32_t i = 0; i < 2; ++i) {
            const uint32_t k = self->lane % 4 * 2 + 8 * i;
            pairs[i] = element(n, k) | element(n, k + 1) << 16;
        }
        float(&d)[4] = p.d[j];
        for (float &x : d)
            x = p.adds ? x : 0.0f;
        multiply_matrices(p.type, d, p.a, pairs);
    }
}

template <int ADDS, int IS_TRANSPOSED, int N>
void begin_product(MatrixType type, float (&d)[N][4], const unsigned (&a)[4], uint64_t b)
{
    keep_product({d, N, {a[0], a[1], a[2], a[3]}, b, type, ADDS != 0, IS_TRANSPOSED != 0});
}

} // namespace host_cuda

inline unsigned rp_shared_address(const void *shared)
{
    return host_cuda::SHARED_BEGIN +
           static_cast<unsigned>(static_cast<const unsigned char *>(shared) -
                                 host_cuda::self->dynamic_shared);
}

inline void rp_barrier_create(unsigned barrier, int count)
{
    host_cuda::phase_create(host_cuda::shared_at(barrier), count);
}

inline void rp_barrier_publish()
{
}

inline void rp_barrier_expect(unsigned barrier, int bytes)
{
    host_cuda::phase_expect(host_cuda::shared_at(barrier), bytes);
    host_cuda::phase_arrive(host_cuda::shared_at(barrier));
}

inline void rp_barrier_arrive(unsigned barrier)
{
    host_cuda::phase_arrive(host_cuda::shared_at(barrier));
}

inline void rp_barrier_wait(unsigned barrier, int parity)
{
    host_cuda::Box box;
    do {
        while (host_cuda::take_box(host_cuda::shared_at(barrier), &box))
            host_cuda::land(box);
    } while (!host_cuda::phase_wait(host_cuda::shared_at(barrier), parity));
}

inline void rp_copy_box(unsigned to, const CUtensorMap *map, unsigned barrier, int column,
                        const int (&row_head)[2])
{
    host_cuda::Box box = {
        {}, {column, row_head[0], row_head[1]}, to, host_cuda::shared_at(barrier)};
    memcpy(&box.tensor, map, sizeof box.tensor);
    if (to % 128 != 0)
        host_cuda::trap({"cp.async.bulk.tensor", 3}, cudaErrorMisalignedAddress,
                        "the destination is not aligned to 128 bytes");
    if (!host_cuda::keep_box(box))
        host_cuda::land(box);
}

template <int> void rp_registers_release()
{
}

template <int> void rp_registers_request()
{
}

inline void rp_wgmma_fence()
{
}

inline void rp_wgmma_commit()
{
    host_cuda::commit_products();
}

template <int N> void rp_wgmma_wait()
{
    static_assert(N == 0, "the host keeps no groups apart");
    host_cuda::MatrixProduct product;
    while (host_cuda::take_product(&product))
        host_cuda::multiply(product);
}

template <int N> void rp_wgmma_hold(float (&)[N][4])
{
}

template <int ADDS, int IS_TRANSPOSED, int N>
void rp_wgmma(float (&d)[N][4], const unsigned (&a)[4], uint64_t b, __half)
{
    host_cuda::begin_product<ADDS, IS_TRANSPOSED>(host_cuda::MatrixType::fp16, d, a, b);
}

template <int ADDS, int IS_TRANSPOSED, int N>
void rp_wgmma(float (&d)[N][4], const unsigned (&a)[4], uint64_t b, __nv_bfloat16)
{
    host_cuda::begin_product<ADDS, IS_TRANSPOSED>(host_cuda::MatrixType::bf16, d, a, b);
}

#endif
