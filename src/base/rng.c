/* rng.c - the only includer of Random123. */
#include "base/rng.h"

#include <Random123/philox.h>

struct rp_rng_block rp_rng_block(uint64_t seed, uint64_t stream, uint64_t counter)
{
    philox4x32_ctr_t c = {
        {(uint32_t)counter, (uint32_t)(counter >> 32), (uint32_t)stream, (uint32_t)(stream >> 32)}};
    philox4x32_key_t k = {{(uint32_t)seed, (uint32_t)(seed >> 32)}};
    philox4x32_ctr_t r = philox4x32(c, k);
    return (struct rp_rng_block){{r.v[0], r.v[1], r.v[2], r.v[3]}};
}

uint64_t rp_rng_below(uint64_t seed, uint64_t stream, uint64_t counter, uint64_t n)
{
    struct rp_rng_block block = rp_rng_block(seed, stream, counter);
    uint64_t bits = (uint64_t)block.word[0] << 32 | block.word[1];
    return bits % n;
}
