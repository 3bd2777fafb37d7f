/*
 * probe_vector.c - the inner loops of the CPU probes, on the widest vectors of each instruction
 * set.
 */
#include "kernels/cpu/isa.h"
#include "kernels/cpu/vec.h"

/* Independent chains: latency (4 to 5 cycles) times multiply-adds a cycle (2), and some. */
enum { CHAINS = 12, UNROLL = 8 };

float RP_ISA_NAME(rp_probe_fma)(int64_t flops)
{
    rp_vec sums[CHAINS];
    rp_vec factor;
    for (int lane = 0; lane < RP_VEC_LANES; ++lane)
        factor[lane] = 0.9f + 0.005f * (float)lane;
    for (int i = 0; i < CHAINS; ++i)
        sums[i] = rp_vec_all((float)i);
    for (int64_t left = flops; left > 0; left -= 2 * CHAINS * RP_VEC_LANES) {
        for (int i = 0; i < CHAINS; ++i)
            sums[i] = sums[i] * factor + 0.1f;
    }
    for (int i = 1; i < CHAINS; ++i)
        sums[0] += sums[i];
    return rp_vec_sum_lanes(sums[0]);
}

uint32_t RP_ISA_NAME(rp_probe_read)(const void *data, size_t bytes)
{
    const rp_vec_bits *vectors = data;
    rp_vec_bits seen[UNROLL] = {{0}};
    for (size_t i = 0; i < bytes / sizeof *vectors; i += UNROLL) {
        for (size_t u = 0; u < UNROLL; ++u)
            seen[u] |= vectors[i + u];
    }
    for (int u = 1; u < UNROLL; ++u)
        seen[0] |= seen[u];
    return seen[0][0];
}

void RP_ISA_NAME(rp_probe_triad)(float *restrict a, const float *restrict b,
                                 const float *restrict c, size_t n)
{
    for (size_t i = 0; i < n; i += RP_VEC_LANES)
        rp_vec_store(a + i, rp_vec_load(b + i) * 0.5f + rp_vec_load(c + i));
}
