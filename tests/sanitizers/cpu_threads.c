/*
 * cpu_threads.c - the parallel regions of the CPU kernels, their probes, inputs and oracle, on 1 to
 * 4 threads and small shapes, on every instruction set that runs here. threads.sh builds it for
 * ThreadSanitizer and runs it.
 *
 *   sanitizers_cpu_threads [shared_scratch]
 *
 * shared_scratch plants a fault: every thread takes itself for the first one, so that all of them
 * work in the scratch of that one.
 */
#include "check.h"

#include <stdlib.h>

#include "attention_call.h"
#include "kernels/probe.h"

enum { MOST_THREADS = 4, ORACLE_ROWS = 16 };

static bool is_planted;

/* The linker puts the second in the place of the first (--wrap). */
int __real_omp_get_thread_num(void);
int __wrap_omp_get_thread_num(void);
int __wrap_omp_get_thread_num(void)
{
    return is_planted ? 0 : __real_omp_get_thread_num();
}

/* Blocks of query rows with a mask; short heads of a group in one span; decode of one row and of a
 * group, in two parts. */
static const struct rp_point points[] = {
    {RP_STAGE_PREFILL, 1, 2, 2, 100, 120, 20, RP_DTYPE_fp32, true},
    {RP_STAGE_PREFILL, 2, 4, 2, 10, 33, 16, RP_DTYPE_fp16, true},
    {RP_STAGE_DECODE, 1, 3, 3, 1, 2100, 16, RP_DTYPE_fp32, false},
    {RP_STAGE_DECODE, 1, 4, 1, 1, 2060, 24, RP_DTYPE_bf16, false},
};

static void check_point(const struct rp_point *p)
{
    struct call c;
    struct rp_oracle oracle;
    call_begin(&c, p);
    for (int t = 0; t < RP_TENSOR_COUNT; ++t)
        rp_inputs_fill(p, 1, (enum rp_tensor)t, c.stored[t].data);
    call_oracle(&c, ORACLE_ROWS, &oracle);
    for (int impl = 0; impl < RP_IMPL_DEFAULT_COUNT; ++impl) {
        for (int threads = 1; threads <= MOST_THREADS; ++threads) {
            call_launch(&c, (enum rp_impl)impl, threads);
            call_check(&c, (enum rp_impl)impl, &oracle);
        }
    }
    rp_oracle_clear(&oracle);
    call_end(&c);
}

static void check_points(void)
{
    for (size_t i = 0; i < RP_COUNT(points); ++i)
        check_point(&points[i]);
}

static void kernels_are_silent(void **state)
{
    (void)state;
    for_each_isa(check_points);
}

/* On a device with a small last-level cache. */
static void run_probe(const struct rp_probe *probe, int threads)
{
    struct rp_device_info device = {.threads = threads};
    struct rp_probe_call call = {.probe = probe, .device = &device};
    device.row.l2_bytes = 4096;
    RP_WORD_SET(device.row.backend, "cpu");
    CHECK_OK(probe->plan(&call), probe->method);
    call.scratch = aligned_alloc(64, (call.scratch_bytes + 63) / 64 * 64);
    memset(call.scratch, 0, call.scratch_bytes);
    if (probe->fill)
        CHECK_OK(probe->fill(&call), probe->method);
    CHECK_OK(probe->launch(&call), probe->method);
    free(call.scratch);
}

static void run_probes(void)
{
    for (int i = 0; i < RP_PROBE_COUNT; ++i) {
        for (int threads = 1; threads <= MOST_THREADS; ++threads) {
            if (strcmp(rp_probes()[i]->backend, "cpu") == 0)
                run_probe(rp_probes()[i], threads);
        }
    }
}

static void probes_are_silent(void **state)
{
    (void)state;
    for_each_isa(run_probes);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_are_silent),
        cmocka_unit_test(probes_are_silent),
    };
    is_planted = argc > 1 && strcmp(argv[1], "shared_scratch") == 0;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
