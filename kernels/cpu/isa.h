/*
 * isa.h - the copies of the CPU kernels, one per instruction set, and which one runs.
 *
 * sources.cmake compiles the same files once for each, with RP_ISA set to its name; RP_ISA_NAME
 * ends every exported symbol with it. The best copy this processor can run is taken at run time.
 */
#ifndef RP_KERNELS_CPU_ISA_H
#define RP_KERNELS_CPU_ISA_H

#include <stdbool.h>

#include "base/status.h"
#include "kernels/kernel.h"

enum rp_cpu_isa { RP_CPU_ISA_portable, RP_CPU_ISA_avx2, RP_CPU_ISA_avx512, RP_CPU_ISA_COUNT };

const char *rp_cpu_isa_name(enum rp_cpu_isa isa);

/* True when this copy was built and this processor can run it. */
bool rp_cpu_isa_runs(enum rp_cpu_isa isa);

/* What launches use: the best that runs, unless selected otherwise. */
enum rp_cpu_isa rp_cpu_isa_current(void);

/* For tests and benchmarks, between launches; RP_ERR_UNSUPPORTED when it does not run here. */
enum rp_status rp_cpu_isa_select(enum rp_cpu_isa isa) RP_MUST_CHECK;

/* One copy: its launches, its row conversions (storage.h) for tests, and the probes' loops. */
struct rp_cpu_copy {
    enum rp_status (*naive)(const struct rp_attention *a);
    enum rp_status (*reference)(const struct rp_attention *a);
    enum rp_status (*fused)(const struct rp_attention *a);
    void (*row_load)(enum rp_dtype dtype, const void *from, float *to, int64_t n);
    void (*row_store)(enum rp_dtype dtype, const float *from, void *to, int64_t n);

    /* So many FLOP of multiply-adds in registers, a multiple of 2 * 12 * 16. What it and the next
     * one return only keeps the compiler from leaving them out. */
    float (*probe_fma)(int64_t flops);
    /* Reads every byte once, forward; bytes a multiple of 512, data aligned to 64. */
    uint32_t (*probe_read)(const void *data, size_t bytes);
    /* a = 0.5 b + c, n floats, a multiple of 16. */
    void (*probe_triad)(float *restrict a, const float *restrict b, const float *restrict c,
                        size_t n);
};

const struct rp_cpu_copy *rp_cpu_isa_copy(void);

#define RP_CPU_DECLARE_COPY(isa)                                                                   \
    enum rp_status rp_cpu_naive_##isa(const struct rp_attention *a);                               \
    enum rp_status rp_cpu_reference_##isa(const struct rp_attention *a);                           \
    enum rp_status rp_cpu_fused_##isa(const struct rp_attention *a);                               \
    void rp_row_load_##isa(enum rp_dtype dtype, const void *from, float *to, int64_t n);           \
    void rp_row_store_##isa(enum rp_dtype dtype, const float *from, void *to, int64_t n);          \
    float rp_probe_fma_##isa(int64_t flops);                                                       \
    uint32_t rp_probe_read_##isa(const void *data, size_t bytes);                                  \
    void rp_probe_triad_##isa(float *restrict a, const float *restrict b, const float *restrict c, \
                              size_t n)

RP_CPU_DECLARE_COPY(portable);
RP_CPU_DECLARE_COPY(avx2);
RP_CPU_DECLARE_COPY(avx512);

#define RP_ISA_JOIN2(name, isa) name##_##isa
#define RP_ISA_JOIN(name, isa)  RP_ISA_JOIN2(name, isa)
#ifdef RP_ISA
#define RP_ISA_NAME(name) RP_ISA_JOIN(name, RP_ISA)
#endif

#endif
