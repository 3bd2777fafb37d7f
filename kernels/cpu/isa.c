/* isa.c - picks the copy of the CPU kernels that this processor runs best. Compiled once. */
#include "kernels/cpu/isa.h"

#include <stdatomic.h>

#ifdef RP_CPU_X86
#include <cpuid.h>
#endif

#define COPY(isa)                                                                                  \
    [RP_CPU_ISA_##isa] = {rp_cpu_naive_##isa,  rp_cpu_reference_##isa, rp_cpu_fused_##isa,         \
                          rp_row_load_##isa,   rp_row_store_##isa,     rp_probe_fma_##isa,         \
                          rp_probe_read_##isa, rp_probe_triad_##isa}

/* RP_CPU_X86: set by sources.cmake where the two x86 copies are built. */
static const struct rp_cpu_copy copies[RP_CPU_ISA_COUNT] = {
    COPY(portable),
#ifdef RP_CPU_X86
    COPY(avx2),
    COPY(avx512),
#endif
};

static const char *const names[] = {"portable", "avx2", "avx512"};

static atomic_int selected = -1; /* none yet: the best */

const char *rp_cpu_isa_name(enum rp_cpu_isa isa)
{
    return names[isa];
}

#ifdef RP_CPU_X86
/* Leaf 1, bit 29 of ecx; not every compiler's __builtin_cpu_supports knows the word. */
static bool has_f16c(void)
{
    unsigned a = 0;
    unsigned b = 0;
    unsigned c = 0;
    unsigned d = 0;
    return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c >> 29 & 1u) != 0;
}
#endif

bool rp_cpu_isa_runs(enum rp_cpu_isa isa)
{
    if (isa == RP_CPU_ISA_portable)
        return true;
#ifdef RP_CPU_X86
    __builtin_cpu_init();
    bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && has_f16c();
    if (isa == RP_CPU_ISA_avx2)
        return avx2;
    return avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#else
    return false;
#endif
}

enum rp_cpu_isa rp_cpu_isa_current(void)
{
    int isa = atomic_load(&selected);
    if (isa >= 0)
        return (enum rp_cpu_isa)isa;
    isa = RP_CPU_ISA_COUNT - 1;
    while (!rp_cpu_isa_runs((enum rp_cpu_isa)isa))
        --isa;
    atomic_store(&selected, isa);
    return (enum rp_cpu_isa)isa;
}

enum rp_status rp_cpu_isa_select(enum rp_cpu_isa isa)
{
    if (!rp_cpu_isa_runs(isa))
        return RP_FAIL(RP_ERR_UNSUPPORTED, "this processor or build has no %s kernels", names[isa]);
    atomic_store(&selected, (int)isa);
    return RP_OK;
}

const struct rp_cpu_copy *rp_cpu_isa_copy(void)
{
    return &copies[rp_cpu_isa_current()];
}
