/* planted_prefill.cu - see planted_fused.h. */
#include "planted_fused.h"

#include "kernels/cuda/attn_fused.cu"

int planted_fault = PLANTED_NOTHING;
const int planted_prefill_barriers = __COUNTER__ - planted_first;
