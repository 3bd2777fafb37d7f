/* planted_decode.cu - see planted_fused.h. */
#include "planted_fused.h"

#include "kernels/cuda/attn_fused_decode.cu"

const int planted_decode_barriers = __COUNTER__ - planted_first;
