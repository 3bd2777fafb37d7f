/*
 * attention_call.h - one CPU attention call with every buffer ending at a page that must not be
 * touched: reading or writing one byte too many ends the test. Include after check.h.
 */
#ifndef RP_TESTS_ATTENTION_CALL_H
#define RP_TESTS_ATTENTION_CALL_H

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kernels/cpu/isa.h"
#include "kernels/kernel.h"
#include "measure/accuracy.h"
#include "measure/inputs.h"

struct guarded {
    unsigned char *data;
    size_t bytes;
    void *mapping;
    size_t mapping_bytes;
};

static inline struct guarded guarded_alloc(size_t bytes)
{
    struct guarded g = {.bytes = bytes};
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t used = (bytes + page - 1) / page * page;
    g.mapping_bytes = used + page;
    g.mapping =
        mmap(NULL, g.mapping_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK_TRUE(g.mapping != MAP_FAILED, "mmap");
    CHECK_TRUE(mprotect((char *)g.mapping + used, page, PROT_NONE) == 0, "mprotect");
    g.data = (unsigned char *)g.mapping + used - bytes;
    memset(g.data, 0xFF, bytes); /* NaN in every dtype */
    return g;
}

static inline void guarded_free(struct guarded *g)
{
    munmap(g->mapping, g->mapping_bytes);
}

/* A point with its tensors. Change `values`, then pack. */
struct call {
    struct rp_point p;
    float *values[RP_TENSOR_COUNT]; /* as floats; after call_pack exactly what is stored */
    struct guarded stored[RP_TENSOR_COUNT];
    struct guarded o;
};

static inline void call_pack(struct call *c)
{
    for (int t = 0; t < RP_TENSOR_COUNT; ++t) {
        size_t n = (size_t)rp_inputs_count(&c->p, (enum rp_tensor)t);
        rp_dtype_encode_array(c->p.dtype, c->values[t], c->stored[t].data, n);
        rp_dtype_decode_array(c->p.dtype, c->stored[t].data, c->values[t], n);
    }
}

static inline void call_begin(struct call *c, const struct rp_point *p)
{
    size_t element = (size_t)rp_dtype_info(p->dtype)->storage_bytes;
    c->p = *p;
    for (int t = 0; t < RP_TENSOR_COUNT; ++t) {
        size_t n = (size_t)rp_inputs_count(p, (enum rp_tensor)t);
        c->values[t] = malloc(n * sizeof(float));
        c->stored[t] = guarded_alloc(n * element);
        rp_inputs_values(1, (enum rp_tensor)t, 0, (int64_t)n, c->values[t]);
    }
    c->o = guarded_alloc((size_t)rp_inputs_count(p, RP_TENSOR_Q) * element);
    call_pack(c);
}

static inline void call_end(struct call *c)
{
    for (int t = 0; t < RP_TENSOR_COUNT; ++t) {
        free(c->values[t]);
        guarded_free(&c->stored[t]);
    }
    guarded_free(&c->o);
}

/* One launch with scores and workspace of exactly the size the method's cost says. */
static inline void call_launch(struct call *c, enum rp_impl impl, int threads)
{
    const struct rp_kernel *kernel = rp_kernel_find("cpu", impl);
    struct rp_method_device device = {.backend = "cpu", .threads = threads};
    struct rp_method_cost cost;
    CHECK_OK(rp_method_cost_of(&device, impl, &c->p, &cost), rp_impl_name(impl));
    struct guarded scores = guarded_alloc((size_t)cost.scores_bytes);
    struct guarded workspace = guarded_alloc((size_t)cost.workspace_bytes);
    struct rp_attention a = {
        .point = &c->p,
        .q = c->stored[RP_TENSOR_Q].data,
        .k = c->stored[RP_TENSOR_K].data,
        .v = c->stored[RP_TENSOR_V].data,
        .o = c->o.data,
        .scores = scores.data,
        .workspace = workspace.data,
        .threads = threads,
    };
    memset(c->o.data, 0xFF, c->o.bytes);
    CHECK_OK(kernel->launch(&a), rp_impl_name(impl));
    guarded_free(&workspace);
    guarded_free(&scores);
}

/* "fused avx2 fp16 T=17x33 ...": what a failure is called. */
static inline const char *call_name(const struct call *c, enum rp_impl impl)
{
    static char name[RP_POINT_TEXT_SIZE + 64];
    char text[RP_POINT_TEXT_SIZE];
    rp_point_text(&c->p, text);
    snprintf(name, sizeof name, "%s %s: %s", rp_impl_name(impl),
             rp_cpu_isa_name(rp_cpu_isa_current()), text);
    return name;
}

static inline void call_check(const struct call *c, enum rp_impl impl,
                              const struct rp_oracle *oracle)
{
    struct rp_accuracy accuracy;
    rp_accuracy_check(&c->p, oracle, c->o.data, 0x1p-24, &accuracy);
    if (!accuracy.passed)
        fail_msg("%s: %s", call_name(c, impl), accuracy.reason);
}

static inline void call_oracle(const struct call *c, int64_t rows, struct rp_oracle *oracle)
{
    CHECK_OK(rp_oracle_create(&c->p, c->stored[RP_TENSOR_Q].data, c->stored[RP_TENSOR_K].data,
                              c->stored[RP_TENSOR_V].data, rows, 1, oracle),
             "oracle");
}

/* Calls `body` with each copy of the kernels that runs here selected, then the best again. */
static inline void for_each_isa(void (*body)(void))
{
    for (int isa = 0; isa < RP_CPU_ISA_COUNT; ++isa) {
        if (!rp_cpu_isa_runs((enum rp_cpu_isa)isa)) {
            print_message("not on this processor: %s\n", rp_cpu_isa_name((enum rp_cpu_isa)isa));
            continue;
        }
        CHECK_OK(rp_cpu_isa_select((enum rp_cpu_isa)isa), "select");
        body();
    }
}

#endif
