/* products.h - the two products of attention by cuBLAS, as steps.h has them from scratch. */
#ifndef RP_KERNELS_CUDA_PRODUCTS_H
#define RP_KERNELS_CUDA_PRODUCTS_H

#include <stdbool.h>

#include "base/status.h"
#include "device/backend_cuda.h"
#include "kernels/cuda/steps.h"

/* as_tf32: fp32 operands are rounded to tf32. */
enum rp_status rp_products_score(struct rp_cuda_queue *queue, const struct rp_cuda_steps *s,
                                 bool as_tf32) RP_MUST_CHECK;
enum rp_status rp_products_weigh(struct rp_cuda_queue *queue, const struct rp_cuda_steps *s,
                                 bool as_tf32) RP_MUST_CHECK;

#endif
