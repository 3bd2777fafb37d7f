/*
 * cudnn_graph.h - attention as cuDNN's engines know it: the graph of matmul, scale, mask, softmax
 * and matmul, whose inner tensors are virtual, so that one fused kernel can do it all.
 */
#ifndef RP_KERNELS_CUDA_CUDNN_GRAPH_H
#define RP_KERNELS_CUDA_CUDNN_GRAPH_H

#include <stdbool.h>

#include "kernels/cuda/cudnn.h"
#include "model/point.h"

/* The tensors that a call binds to memory; the last four are scalars of the host. */
enum rp_cudnn_tensor {
    RP_CUDNN_Q,
    RP_CUDNN_K,
    RP_CUDNN_V,
    RP_CUDNN_O,
    RP_CUDNN_SCALE,   /* float */
    RP_CUDNN_HIDDEN,  /* float: the score of a pair that the mask hides */
    RP_CUDNN_KEYS,    /* int32: seq_k */
    RP_CUDNN_QUERIES, /* int32: seq_q */
    RP_CUDNN_BOUND_COUNT
};

/* The identity cuDNN knows a tensor by. */
int64_t rp_cudnn_tensor_id(int tensor);

/* Whether the graph of this point has it. */
bool rp_cudnn_graph_has(const struct rp_point *p, enum rp_cudnn_tensor tensor);

/* The operation graph of the point, in `set` with all it consists of. */
enum rp_status rp_cudnn_graph_make(struct rp_cudnn_set *set, void *handle, const struct rp_point *p,
                                   void **graph) RP_MUST_CHECK;

#endif
