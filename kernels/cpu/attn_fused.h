/* attn_fused.h - the seam between the two halves of `fused`. */
#ifndef RP_KERNELS_CPU_ATTN_FUSED_H
#define RP_KERNELS_CPU_ATTN_FUSED_H

#include "kernels/cpu/isa.h"
#include "model/method_cpu.h"

#define rp_fused_decode RP_ISA_NAME(rp_fused_decode)

/* Where rp_cpu_fused_is_decode: K and V streamed as they are, split over the keys. */
void rp_fused_decode(const struct rp_attention *a, const struct rp_cpu_layout *layout);

#endif
