/*
 * method_cost.h - what each implementation executes, moves and allocates, one function a method.
 *
 * The one place for this: kernels, plan, measure and the analysis all ask here. The derivation
 * stands above each function in method_cost_cpu.c and method_cost_cuda.c; a kernel that does
 * otherwise is wrong.
 */
#ifndef RP_MODEL_METHOD_COST_H
#define RP_MODEL_METHOD_COST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "model/column.h"
#include "model/impl.h"
#include "model/point.h"

#define RP_PATH_SIZE 17

/* What of the device the method's own choices depend on. */
struct rp_method_device {
    const char *backend;     /* cpu or cuda */
    int threads;             /* cpu: threads that compute */
    int64_t multiprocessors; /* cuda: for the number of splits over the keys */
};

struct rp_method_cost {
    char path[RP_PATH_SIZE]; /* arithmetic it runs on: tensor_fp16, simt_fp32, cpu_fp32, ... */
    int64_t launches;        /* kernel launches of one call; 1 on a CPU */
    int64_t flops_impl;      /* FLOP executed, tiles rounded up, hidden pairs if it computes them */
    int64_t bytes_impl;      /* bytes_min and what it moves besides */
    int64_t tensor_bytes;    /* Q, K, V and O */
    int64_t scores_bytes;    /* scores and probabilities in memory */
    int64_t workspace_bytes; /* everything else it needs: conversions, split partials */
    bool asks_workspace;     /* a library says how much more, on the device and only there */
};

/* The device of a row of /devices. A simulated one stands for a GPU. `threads` are those of the
 * measured row; a GPU ignores them. The backend's name stays owned by the row. */
struct rp_method_device rp_method_device_of(const struct rp_device_row *row, int threads);

/* RP_ERR_UNSUPPORTED when the backend has no such method, RP_ERR_CONFIG when a count overflows. */
enum rp_status rp_method_cost_of(const struct rp_method_device *device, enum rp_impl impl,
                                 const struct rp_point *p,
                                 struct rp_method_cost *cost) RP_MUST_CHECK;

/* tensor, scores and workspace together: the predicted peak, exact for the counted bytes; the least
 * there is where a library is yet to be asked. */
int64_t rp_method_cost_memory(const struct rp_method_cost *cost);

#endif
