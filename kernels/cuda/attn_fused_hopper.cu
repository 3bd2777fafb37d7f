/*
 * attn_fused_hopper.cu - prefill in one pass with what compute capability 9.0 has of its own: whole
 * boxes of K and V are copied by one thread (TMA), and a warp group multiplies 64 rows at once, B
 * in shared memory (wgmma). fp16 and bf16, head_dim 64 and 128; built with -DRP_CUDA_HOPPER=ON.
 *
 * THIS HAS NEVER RUN ON A GPU. The tests run it on the CPU, with the copy unit and the matrix unit
 * as the manuals describe them (tests/host_cuda/kernel_hopper.h), and nvcc compiles it; what else
 * the hardware asks for is for tests/gpu/check.sh to find out.
 *
 * A block has 128 query rows of one head: two warp groups compute, 64 rows each, a third one
 * brings K and V, 64 keys a step, up to four steps ahead. While one group does its softmax the
 * other has the matrix unit. Clocks of a multiprocessor for a step at width 128 (4096 FLOP a clock,
 * 128 bytes of shared memory a clock), both groups:
 *
 *     matrix unit     2 * 2 * 64 * 64 * 128 * 2 / 4096        1024
 *     shared memory   K and V read by each group, 4 * 16 KB    512
 *                     K and V written, 2 * 16 KB               256
 *                     Q read again, were it not in registers   512 (with these 256 over)
 *
 * So Q stays in registers: 32 of them, beside 64 of O, 32 of S and 16 of P. The copying warps give
 * theirs away: 2 * 128 * 240 + 128 * 24 of 65,536. With 168 for each, ptxas makes products wait.
 */
#include "kernels/cuda/fused.h"
#include "kernels/cuda/fused_prefill.h"
#include "kernels/cuda/fused_warp.h"
#include "kernels/cuda/hopper_layout.h"
#include "kernels/cuda/hopper_map.h"
#include "kernels/cuda/ptx_hopper.h"

enum {
    GROUP_THREADS = 128,
    COMPUTING_THREADS = GROUP_THREADS * static_cast<int>(RP_HOPPER_GROUPS), /* the first ones */
    THREADS = COMPUTING_THREADS + GROUP_THREADS,
    REGISTERS_COPYING = 24,
    REGISTERS_COMPUTING = 240,
    P_STEPS = RP_HOPPER_KEYS / RP_HOPPER_STEP_COLUMNS
};

/* What fused_warp.h has to know. */
template <class T_, int WIDTH_> struct HopperTile {
    using T = T_;
    static constexpr int WIDTH = WIDTH_;
    static constexpr int WARP_ROWS = 16;
    static constexpr int WARP_KEYS = RP_HOPPER_KEYS;
    static constexpr int WARP_WIDTH = WIDTH;
    static constexpr int STEPS = WIDTH / RP_HOPPER_STEP_COLUMNS;
    static constexpr bool Q_STAYS = true;
    static constexpr int STRIDE = 2 * WIDTH;
    static constexpr bool ASYNC = true;
    static_assert(RP_HOPPER_QUERIES == RP_CUDA_FUSED_QUERIES(STRIDE), "costs are counted so");
    static_assert(RP_HOPPER_KEYS == RP_CUDA_FUSED_KEYS(STRIDE), "costs are counted so");

    static __device__ __forceinline__ int first_row()
    {
        return static_cast<int>(threadIdx.x) / WARP * WARP_ROWS;
    }

    static __device__ __forceinline__ int first_key()
    {
        return 0;
    }
};

/* Shared memory of a block, as addresses of it. */
template <int WIDTH> struct Shared {
    unsigned begin;

    __device__ __forceinline__ unsigned q(int group) const
    {
        return begin + rp_hopper_q_place(WIDTH, group);
    }

    __device__ __forceinline__ unsigned k(int step) const
    {
        return begin + rp_hopper_k_place(WIDTH, step % RP_HOPPER_STAGES);
    }

    __device__ __forceinline__ unsigned v(int step) const
    {
        return begin + rp_hopper_v_place(WIDTH, step % RP_HOPPER_STAGES);
    }

    __device__ __forceinline__ unsigned barrier(int kind, int step) const
    {
        return begin + rp_hopper_barrier_place(WIDTH, kind, step % RP_HOPPER_STAGES);
    }

    /* Until what a step has to wait for is there. */
    __device__ __forceinline__ void wait(int kind, int step) const
    {
        rp_barrier_wait(barrier(kind, step), step / RP_HOPPER_STAGES % 2);
    }
};

/* Steps of a block. */
static __device__ __forceinline__ int count_steps(const PrefillCall &call, const PrefillWork &work)
{
    return find_reach<RP_HOPPER_QUERIES>(call, find_last(call, work)) / RP_HOPPER_KEYS + 1;
}

/* 64 rows of a head, from `row` on, all columns. */
template <int WIDTH>
static __device__ __forceinline__ void copy_tile(unsigned to, const CUtensorMap *map,
                                                 unsigned barrier, int row, int head)
{
#pragma unroll
    for (int i = 0; i < rp_hopper_boxes(WIDTH); ++i)
        rp_copy_box(to + i * RP_HOPPER_BOX_BYTES, map, barrier, i * RP_HOPPER_BOX_COLUMNS,
                    {row, head});
}

/* One thread: Q, then K and V of every step, as soon as there is room. */
template <int WIDTH>
static __device__ __forceinline__ void bring(const Shared<WIDTH> &shared, const PrefillCall &call,
                                             const PrefillWork &work,
                                             const CUtensorMap *const (&maps)[3])
{
    const int kv_head = work.head / call.group;
    const int n_steps = count_steps(call, work);
    const unsigned q_full = shared.barrier(RP_HOPPER_Q_FULL, 0);
    rp_barrier_expect(q_full, rp_hopper_q_bytes(WIDTH));
#pragma unroll
    for (int group = 0; group < RP_HOPPER_GROUPS; ++group)
        copy_tile<WIDTH>(shared.q(group), maps[0], q_full, work.first + group * RP_HOPPER_BOX_ROWS,
                         work.head);
    for (int step = 0; step < n_steps; ++step) {
        const unsigned k_full = shared.barrier(RP_HOPPER_K_FULL, step);
        const unsigned v_full = shared.barrier(RP_HOPPER_V_FULL, step);
        if (step >= RP_HOPPER_STAGES)
            shared.wait(RP_HOPPER_READ, step - RP_HOPPER_STAGES);
        rp_barrier_expect(k_full, rp_hopper_tile_bytes(WIDTH));
        copy_tile<WIDTH>(shared.k(step), maps[1], k_full, step * RP_HOPPER_KEYS, kv_head);
        rp_barrier_expect(v_full, rp_hopper_tile_bytes(WIDTH));
        copy_tile<WIDTH>(shared.v(step), maps[2], v_full, step * RP_HOPPER_KEYS, kv_head);
    }
}

/* Q of this warp's rows, from `q`, the tile of its group. */
template <class Tile>
static __device__ __forceinline__ void take_q(Registers<Tile> &r, const unsigned char *q)
{
    const int lane = static_cast<int>(threadIdx.x) % WARP;
    const int row = Tile::first_row() % RP_HOPPER_BOX_ROWS + lane % 16;
    constexpr int BOX_STEPS = RP_HOPPER_BOX_COLUMNS / RP_HOPPER_STEP_COLUMNS;
#pragma unroll
    for (int step = 0; step < Tile::STEPS; ++step)
        rp_ldmatrix_x4(r.q[step], q + step / BOX_STEPS * RP_HOPPER_BOX_BYTES +
                                      rp_hopper_chunk_place(row, step % BOX_STEPS * 2 + lane / 16));
}

/* Begins S = Q K^T. */
template <class Tile>
static __device__ __forceinline__ void begin_score(Registers<Tile> &r, unsigned k)
{
    rp_wgmma<0, 0>(r.s[0], r.q[0], rp_hopper_k_descriptor(k, 0), typename Tile::T());
#pragma unroll
    for (int step = 1; step < Tile::STEPS; ++step)
        rp_wgmma<1, 0>(r.s[0], r.q[step], rp_hopper_k_descriptor(k, step), typename Tile::T());
}

/* Begins O += P V. */
template <class Tile>
static __device__ __forceinline__ void begin_weigh(Registers<Tile> &r,
                                                   const unsigned (&p)[P_STEPS][4], unsigned v)
{
#pragma unroll
    for (int step = 0; step < P_STEPS; ++step)
        rp_wgmma<1, 1>(r.o[0], p[step], rp_hopper_v_descriptor(v, step), typename Tile::T());
}

template <class Tile> static __device__ __forceinline__ void end_products(Registers<Tile> &r)
{
    rp_wgmma_commit();
    rp_wgmma_wait<0>();
    rp_wgmma_hold(r.s[0]);
    rp_wgmma_hold(r.o[0]);
}

/* P V of a step whose scores are there, together with the scores of the next one. */
template <class Tile, bool HAS_NEXT>
static __device__ __forceinline__ void
take_step(Registers<Tile> &r, const Shared<Tile::WIDTH> &shared, int step, float scale_log2)
{
    unsigned p[P_STEPS][4];
    soften(r, scale_log2);
#pragma unroll
    for (int i = 0; i < 4 * P_STEPS; ++i) {
        const float *pair = &r.s[0][i / 2][i % 2 * 2];
        p[i / 4][i % 4] = pack(pair[0], pair[1], typename Tile::T());
    }
    shared.wait(RP_HOPPER_V_FULL, step);
    if (HAS_NEXT)
        shared.wait(RP_HOPPER_K_FULL, step + 1);
    rp_wgmma_fence();
    if (HAS_NEXT)
        begin_score(r, shared.k(step + 1));
    begin_weigh(r, p, shared.v(step));
    end_products(r);
    if (threadIdx.x % WARP == 0)
        rp_barrier_arrive(shared.barrier(RP_HOPPER_READ, step));
}

/* A warp of the computing groups: O of its 16 rows, in registers. */
template <class Tile>
static __device__ __forceinline__ void compute(Registers<Tile> &r,
                                               const Shared<Tile::WIDTH> &shared,
                                               const PrefillCall &call, const PrefillWork &work)
{
    const int last = find_last(call, work);
    const int n_steps = count_steps(call, work);
    const auto mask_step = [&](int step) {
        const int key = step * RP_HOPPER_KEYS;
        if (key + RP_HOPPER_KEYS > last + 1)
            mask_rows(r, last - key, call.causal);
    };
    clear_rows(r);
    shared.wait(RP_HOPPER_K_FULL, 0);
    rp_wgmma_fence();
    begin_score(r, shared.k(0));
    end_products(r);
    for (int step = 0; step < n_steps - 1; ++step) {
        mask_step(step);
        take_step<Tile, true>(r, shared, step, call.scale_log2);
    }
    mask_step(n_steps - 1);
    take_step<Tile, false>(r, shared, n_steps - 1, call.scale_log2);
}

template <int WIDTH> static __device__ __forceinline__ void create_barriers(Shared<WIDTH> shared)
{
    rp_barrier_create(shared.barrier(RP_HOPPER_Q_FULL, 0), 1);
    for (int stage = 0; stage < RP_HOPPER_STAGES; ++stage) {
        rp_barrier_create(shared.barrier(RP_HOPPER_K_FULL, stage), 1);
        rp_barrier_create(shared.barrier(RP_HOPPER_V_FULL, stage), 1);
        rp_barrier_create(shared.barrier(RP_HOPPER_READ, stage), RP_HOPPER_CONSUMERS);
    }
    rp_barrier_publish();
}

template <class Tile>
static __global__ void __launch_bounds__(THREADS, 1)
    hopper_kernel(const __grid_constant__ CUtensorMap q_map,
                  const __grid_constant__ CUtensorMap k_map,
                  const __grid_constant__ CUtensorMap v_map, typename Tile::T *o, PrefillCall call)
{
    DYN_SHARED(unsigned char, dynamic);
    const unsigned begin = rp_shared_address(dynamic);
    const unsigned unit = RP_HOPPER_PATTERN_BYTES;
    const Shared<Tile::WIDTH> shared = {(begin + unit - 1) / unit * unit};
    const PrefillWork work = find_work<RP_HOPPER_QUERIES>(call, static_cast<int>(blockIdx.x));
    if (threadIdx.x == 0)
        create_barriers(shared);
    __syncthreads(); /* barriers are there */
    if (threadIdx.x >= COMPUTING_THREADS) {
        rp_registers_release<REGISTERS_COPYING>();
        if (threadIdx.x == COMPUTING_THREADS)
            bring(shared, call, work, {&q_map, &k_map, &v_map});
    } else {
        rp_registers_request<REGISTERS_COMPUTING>();
        Registers<Tile> r;
        const int group = static_cast<int>(threadIdx.x) / GROUP_THREADS;
        shared.wait(RP_HOPPER_Q_FULL, 0);
        take_q(r, dynamic + (shared.q(group) - begin));
        compute(r, shared, call, work);
        store(r, o + find_q(call, work), call.seq_q - work.first, call.head_dim);
    }
}

template <class T, int WIDTH> static cudaError_t launch(const rp_cuda_steps *s)
{
    using Tile = HopperTile<T, WIDTH>;
    const int bytes = rp_hopper_shared_bytes(WIDTH);
    const int64_t heads = s->kv_heads * (s->rows / s->seq_q);
    const rp_hopper_map q_shape = rp_hopper_map_of(WIDTH, s->seq_q, heads);
    const rp_hopper_map kv_shape = rp_hopper_map_of(WIDTH, s->seq_k, s->kv_heads);
    CUtensorMap q, k, v;
    cudaError_t error = encode_map(&q, s->q, s->storage, q_shape);
    if (error == cudaSuccess)
        error = encode_map(&k, s->k, s->storage, kv_shape);
    if (error == cudaSuccess)
        error = encode_map(&v, s->v, s->storage, kv_shape);
    if (error == cudaSuccess)
        error = allow_shared(hopper_kernel<Tile>, bytes);
    if (error != cudaSuccess)
        return error;
    LAUNCH(hopper_kernel<Tile>, dim3(static_cast<unsigned>(rp_cuda_prefill_blocks(s))),
           dim3(THREADS), static_cast<size_t>(bytes), s->stream, q, k, v, static_cast<T *>(s->o),
           call_of(s));
    return cudaGetLastError();
}

extern "C" cudaError_t rp_cuda_hopper_serves(const rp_cuda_steps *s, bool *serves)
{
    int device = 0;
    int major = 0;
    int minor = 0;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device);
    *serves = major == 9 && minor == 0 && s->storage != RP_CUDA_FP32 &&
              (s->head_dim == 64 || s->head_dim == 128);
    return error;
}

extern "C" cudaError_t rp_cuda_hopper_prefill(const rp_cuda_steps *s)
{
    if (s->storage == RP_CUDA_BF16)
        return s->head_dim == 64 ? launch<__nv_bfloat16, 64>(s) : launch<__nv_bfloat16, 128>(s);
    return s->head_dim == 64 ? launch<__half, 64>(s) : launch<__half, 128>(s);
}
