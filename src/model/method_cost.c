/*
 * method_cost.c - which method answers for (backend, implementation), and what all of them share.
 *
 * The counts themselves: method_cost_cpu.c and method_cost_cuda.c, one function a method with its
 * derivation above it.
 */
#include "model/method_cost.h"

#include <string.h>

#include "model/cost.h"
#include "model/method_cost_rows.h"

void rp_tally_add(struct rp_tally *tally, const int64_t *factors, size_t n)
{
    int64_t product = 1;
    for (size_t i = 0; i < n; ++i)
        tally->overflowed |= __builtin_mul_overflow(product, factors[i], &product);
    tally->overflowed |= __builtin_add_overflow(tally->total, product, &tally->total);
}

enum rp_status rp_tally_end(const struct rp_tally *tally, const char *what, int64_t *total)
{
    if (tally->overflowed)
        return RP_FAIL(RP_ERR_CONFIG, "%s of this point does not fit 64 bits", what);
    *total = tally->total;
    return RP_OK;
}

struct rp_method_device rp_method_device_of(const struct rp_device_row *row, int threads)
{
    bool simulated = strcmp(row->backend, "simulated") == 0;
    return (struct rp_method_device){.backend = simulated ? "cuda" : row->backend,
                                     .threads = threads,
                                     .multiprocessors = row->multiprocessors};
}

static enum rp_status cost_by_impl(const struct rp_method_device *device, enum rp_impl impl,
                                   const struct rp_cost *paper, struct rp_method_call *call)
{
    static const rp_method_function cpu[RP_IMPL_COUNT] = {
        [RP_IMPL_naive] = rp_method_cost_cpu_naive,
        [RP_IMPL_reference] = rp_method_cost_cpu_reference,
        [RP_IMPL_fused] = rp_method_cost_cpu_fused,
    };
    static const rp_method_function cuda[RP_IMPL_COUNT] = {
        [RP_IMPL_naive] = rp_method_cost_cuda_naive,
        [RP_IMPL_reference] = rp_method_cost_cuda_reference,
        [RP_IMPL_fused] = rp_method_cost_cuda_fused,
        [RP_IMPL_cudnn] = rp_method_cost_cuda_cudnn,
    };
    rp_method_function count = NULL;
    if (strcmp(device->backend, "cpu") == 0)
        count = cpu[impl];
    else if (strcmp(device->backend, "cuda") == 0)
        count = cuda[impl];
    if (!count)
        return RP_FAIL(RP_ERR_UNSUPPORTED, "backend \"%s\" has no implementation %s",
                       device->backend, rp_impl_name(impl));
    call->device = device;
    call->paper = paper;
    return count(call);
}

enum rp_status rp_method_cost_of(const struct rp_method_device *device, enum rp_impl impl,
                                 const struct rp_point *p, struct rp_method_cost *cost)
{
    struct rp_cost paper;
    memset(cost, 0, sizeof *cost);
    RP_TRY(rp_cost_of(p, &paper));
    cost->launches = 1;
    cost->flops_impl = paper.flops_dense;
    cost->bytes_impl = paper.bytes_min;
    cost->tensor_bytes = paper.bytes_min; /* each of Q, K, V and O is allocated once, too */
    RP_TRY(cost_by_impl(device, impl, &paper, &(struct rp_method_call){.point = p, .cost = cost}));

    struct rp_tally memory = {0};
    rp_tally_add(&memory, &cost->tensor_bytes, 1);
    rp_tally_add(&memory, &cost->scores_bytes, 1);
    rp_tally_add(&memory, &cost->workspace_bytes, 1);
    return rp_tally_end(&memory, "memory", &(int64_t){0});
}

int64_t rp_method_cost_memory(const struct rp_method_cost *cost)
{
    return cost->tensor_bytes + cost->scores_bytes + cost->workspace_bytes;
}
