/*
 * kernel.h - a method as a table. Tables are C11; a .cu file exports only extern "C" launchers.
 *
 * Layout of every tensor is row-major and contiguous:
 *   q, o (batch, heads, seq_q, head_dim)    k, v (batch, kv_heads, seq_k, head_dim)
 */
#ifndef RP_KERNELS_KERNEL_H
#define RP_KERNELS_KERNEL_H

#include "base/status.h"
#include "device/backend.h"
#include "model/impl.h"
#include "model/method_cost.h"
#include "model/point.h"

struct rp_attention {
    const struct rp_point *point;
    const void *q, *k, *v; /* device addresses, elements of the point's dtype */
    void *o;
    void *scores;    /* scores_bytes of the method's cost; contents undefined */
    void *workspace; /* workspace_bytes of the method's cost; contents undefined */
    void *queue;     /* of the device; null on a CPU */
    int threads;     /* CPU: size of the team that computes */
};

struct rp_kernel {
    enum rp_impl impl;
    const char *backend;

    /* RP_ERR_UNSUPPORTED with a sentence, before anything is allocated. */
    enum rp_status (*supports)(const struct rp_point *p, const struct rp_device_info *device);

    /* Optional: null where the method's cost says all. Makes ready what a library needs for calls
     * of this point and says how much workspace they take beside the cost's. RP_ERR_UNSUPPORTED
     * with the library's words when it refuses. */
    enum rp_status (*prepare)(const struct rp_point *p, void *queue, int64_t *workspace_bytes);

    /* Queues one call (on a CPU: makes it). Never syncs, allocates or prints. */
    enum rp_status (*launch)(const struct rp_attention *a);
};

/* Null when the backend has no kernel of this implementation. */
const struct rp_kernel *rp_kernel_find(const char *backend, enum rp_impl impl);

#endif
