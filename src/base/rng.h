/*
 * rng.h - counter-based random bits (Philox4x32-10, Random123; Salmon et al., SC'11).
 *
 * A value depends on (seed, stream, counter) only: the same bits on every device, rank count and
 * thread count, in any order of asking.
 */
#ifndef RP_BASE_RNG_H
#define RP_BASE_RNG_H

#include <stdint.h>

struct rp_rng_block {
    uint32_t word[4];
};

struct rp_rng_block rp_rng_block(uint64_t seed, uint64_t stream, uint64_t counter);

/* Uniform in 0 .. n - 1; n at least 1. The bias is below n / 2^64. */
uint64_t rp_rng_below(uint64_t seed, uint64_t stream, uint64_t counter, uint64_t n);

#endif
