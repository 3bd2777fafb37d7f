/* planted_hopper.cu - the product's source word for word, but that waits of one kind can be left
 * out: the one that planted_wait says. */
extern "C" int planted_wait;
int planted_wait = -1;

static inline void planted_barrier_wait(int kind, unsigned barrier, int parity)
{
    if (kind != planted_wait)
        rp_barrier_wait(barrier, parity);
}
#define rp_barrier_wait(barrier, parity) planted_barrier_wait(kind, barrier, parity)

#include "kernels/cuda/attn_fused_hopper.cu"
