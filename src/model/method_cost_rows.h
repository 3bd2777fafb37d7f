/* method_cost_rows.h - the seam between method_cost.c and its rows, one function a method. */
#ifndef RP_MODEL_METHOD_COST_ROWS_H
#define RP_MODEL_METHOD_COST_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include "model/cost.h"
#include "model/method_cost.h"

struct rp_method_call {
    const struct rp_method_device *device;
    const struct rp_point *point;
    const struct rp_cost *paper;
    struct rp_method_cost *cost; /* launches 1, flops_dense, bytes_min and tensors are set */
};

typedef enum rp_status (*rp_method_function)(struct rp_method_call *call);

enum rp_status rp_method_cost_cpu_naive(struct rp_method_call *call) RP_MUST_CHECK;
enum rp_status rp_method_cost_cpu_reference(struct rp_method_call *call) RP_MUST_CHECK;
enum rp_status rp_method_cost_cpu_fused(struct rp_method_call *call) RP_MUST_CHECK;
enum rp_status rp_method_cost_cuda_naive(struct rp_method_call *call) RP_MUST_CHECK;
enum rp_status rp_method_cost_cuda_reference(struct rp_method_call *call) RP_MUST_CHECK;
enum rp_status rp_method_cost_cuda_fused(struct rp_method_call *call) RP_MUST_CHECK;
enum rp_status rp_method_cost_cuda_cudnn(struct rp_method_call *call) RP_MUST_CHECK;

/* A sum of products that remembers when it left 64 bits. Start from {0}. */
struct rp_tally {
    int64_t total;
    bool overflowed;
};

void rp_tally_add(struct rp_tally *tally, const int64_t *factors, size_t n);

/* RP_ERR_CONFIG naming `what` when it overflowed. */
enum rp_status rp_tally_end(const struct rp_tally *tally, const char *what,
                            int64_t *total) RP_MUST_CHECK;

#endif
