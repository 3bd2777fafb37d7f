/*
 * test_measure.c - R18: a NaN, an infinity or a wrong value injected into naive, into reference,
 * into both is reported as a mismatch each time, and nothing else is; failing launches are error
 * rows.
 *
 * The linker replaces rp_kernel_find (tests/CMakeLists.txt: --wrap), so that a kernel can be one
 * that computes as it should and then spoils one element, and what watches the machine, so that a
 * busy one disturbs no sample.
 */
#include "check.h"

#include <stdlib.h>

#include "device/device.h"
#include "kernels/kernel.h"
#include "measure/first_use.h"
#include "measure/measure.h"
#include "model/result.h"

enum fault { FAULT_NONE, FAULT_NAN, FAULT_INFINITY, FAULT_VALUE, FAULT_LAUNCH, FAULT_LATER };

static enum fault faults[RP_IMPL_COUNT];
static int launches[RP_IMPL_COUNT];
static size_t library_bytes; /* what the planted library keeps from its first use on */
static void *library_memory;

const struct rp_kernel *__real_rp_kernel_find(const char *backend, enum rp_impl impl);
const struct rp_kernel *__wrap_rp_kernel_find(const char *backend, enum rp_impl impl);

static enum rp_status spoiled_launch(const struct rp_attention *a, enum rp_impl impl)
{
    enum fault fault = faults[impl];
    ++launches[impl];
    if (library_bytes > 0 && !library_memory && impl == RP_IMPL_reference) {
        library_memory = malloc(library_bytes);
        memset(library_memory, 1, library_bytes);
    }
    if (fault == FAULT_LAUNCH && launches[impl] == 2)
        return RP_FAIL(RP_ERR_DEVICE, "planted: the launch failed");
    enum rp_status status = __real_rp_kernel_find("cpu", impl)->launch(a);
    /* The last row of a head is always among those that are checked. */
    const struct rp_point *p = a->point;
    float *o = (float *)a->o + (p->batch * p->heads * p->seq_q - 1) * p->head_dim;
    if (fault == FAULT_NAN)
        o[0] = NAN;
    if (fault == FAULT_INFINITY)
        o[1] = INFINITY;
    if (fault == FAULT_VALUE || (fault == FAULT_LATER && launches[impl] > 5))
        o[2] += 0.01f;
    return status;
}

static enum rp_status launch_naive(const struct rp_attention *a)
{
    return spoiled_launch(a, RP_IMPL_naive);
}

static enum rp_status launch_reference(const struct rp_attention *a)
{
    return spoiled_launch(a, RP_IMPL_reference);
}

static enum rp_status launch_fused(const struct rp_attention *a)
{
    return spoiled_launch(a, RP_IMPL_fused);
}

const struct rp_kernel *__wrap_rp_kernel_find(const char *backend, enum rp_impl impl)
{
    static struct rp_kernel kernels[RP_IMPL_COUNT];
    static enum rp_status (*const launchers[RP_IMPL_COUNT])(const struct rp_attention *) = {
        [RP_IMPL_naive] = launch_naive,
        [RP_IMPL_reference] = launch_reference,
        [RP_IMPL_fused] = launch_fused};
    const struct rp_kernel *real = __real_rp_kernel_find(backend, impl);
    if (!real)
        return NULL;
    kernels[impl] = *real;
    kernels[impl].launch = launchers[impl];
    return &kernels[impl];
}

void __wrap_rp_device_watch(struct rp_device *device, struct rp_watch *now);
void __wrap_rp_device_sample_end(struct rp_device *device, struct rp_sample_watch *seen);

void __wrap_rp_device_watch(struct rp_device *device, struct rp_watch *now)
{
    (void)device;
    *now = (struct rp_watch){.stolen_s = NAN, .throttled_s = NAN};
}

void __wrap_rp_device_sample_end(struct rp_device *device, struct rp_sample_watch *seen)
{
    (void)device;
    *seen = (struct rp_sample_watch){.lost_s = NAN, .energy_j = NAN};
}

static struct rp_result rows[RP_IMPL_COUNT];
static int n_rows;

static void keep_row(void *context, const struct rp_result *row, const struct rp_sample *samples,
                     size_t n_samples)
{
    enum rp_impl impl;
    (void)context;
    CHECK_TRUE(rp_impl_find(row->impl, &impl), "a known implementation");
    CHECK_EQ_I64((int64_t)n_samples, row->samples, "its samples");
    CHECK_TRUE(n_samples == 0 || samples[0].time_s > 0, "that took time");
    rows[impl] = *row;
    ++n_rows;
}

static void measure(enum fault naive, enum fault reference)
{
    struct rp_device *device = NULL;
    struct rp_protocol protocol;
    const struct rp_device_request request = {.local_size = 1, .threads = 1};
    const struct rp_point point = {.stage = RP_STAGE_PREFILL,
                                   .batch = 1,
                                   .heads = 2,
                                   .kv_heads = 2,
                                   .seq_q = 32,
                                   .seq_k = 32,
                                   .head_dim = 16,
                                   .dtype = RP_DTYPE_fp32,
                                   .causal = true};
    const struct rp_measure_listener listener = {.row = keep_row};
    rp_protocol_init(&protocol);
    protocol.cold = false;
    protocol.max_samples = protocol.min_samples = 6;
    protocol.verify_rows = 4;
    const struct rp_measure_plan plan = {.protocol = &protocol, .planned = RP_IMPL_DEFAULT};
    faults[RP_IMPL_naive] = naive;
    faults[RP_IMPL_reference] = reference;
    memset(launches, 0, sizeof launches);
    n_rows = 0;
    CHECK_OK(rp_device_open(rp_backend_find("cpu"), &request, &device), "open");
    CHECK_OK(rp_measure_point(device, &point, RP_IMPL_DEFAULT, &plan, &listener), "measure");
    CHECK_EQ_I64(rp_device_held_bytes(device), 0, "memory is back to where it was");
    CHECK_EQ_I64(n_rows, RP_IMPL_DEFAULT_COUNT, "one row each, whatever happens");
    rp_device_close(device);
}

static void test_injected(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum fault naive, reference;
        const char *naive_status, *reference_status;
    } cases[] = {
        {"nothing injected", FAULT_NONE, FAULT_NONE, "ok", "ok"},
        {"NaN in naive", FAULT_NAN, FAULT_NONE, "mismatch", "ok"},
        {"NaN in reference", FAULT_NONE, FAULT_NAN, "ok", "mismatch"},
        {"NaN in both", FAULT_NAN, FAULT_NAN, "mismatch", "mismatch"},
        {"infinity in naive", FAULT_INFINITY, FAULT_NONE, "mismatch", "ok"},
        {"a wrong value in naive", FAULT_VALUE, FAULT_NONE, "mismatch", "ok"},
        {"a wrong value in reference", FAULT_NONE, FAULT_VALUE, "ok", "mismatch"},
        {"a wrong value in both", FAULT_VALUE, FAULT_VALUE, "mismatch", "mismatch"},
        {"right at first, wrong in the last sample", FAULT_LATER, FAULT_NONE, "mismatch", "ok"},
        {"a launch that fails", FAULT_LAUNCH, FAULT_NONE, "error", "ok"},
    };
    for (size_t i = 0; i < RP_COUNT(cases); ++i) {
        measure(cases[i].naive, cases[i].reference);
        CHECK_EQ_TEXT(rows[RP_IMPL_naive].status, cases[i].naive_status, cases[i].name);
        CHECK_EQ_TEXT(rows[RP_IMPL_reference].status, cases[i].reference_status, cases[i].name);
        CHECK_EQ_TEXT(rows[RP_IMPL_fused].status, "ok", cases[i].name);
        bool is_timed = strcmp(cases[i].naive_status, "error") != 0;
        CHECK_TRUE(isnan(rows[RP_IMPL_naive].time_median_s) == !is_timed, cases[i].name);
        CHECK_TRUE((rows[RP_IMPL_naive].reason[0] != '\0') ==
                       (strcmp(cases[i].naive_status, "ok") != 0),
                   cases[i].name);
    }
}

/* Every column of a measured row is set or has a reason not to be. */
static void test_every_column_is_set(void **state)
{
    (void)state;
    static const char *const later[] = {
        "rank",    "run",      "device",   "sample_offset",   "sequence",        "temperature_c",
        "power_w", "energy_j", "clock_hz", "dram_read_bytes", "dram_write_bytes"};
    const struct rp_table_schema *schema = rp_table_schema(RP_TABLE_RESULTS);
    measure(FAULT_NONE, FAULT_NONE);
    for (size_t c = 0; c < schema->n_columns; ++c) {
        const struct rp_column *column = &schema->columns[c];
        const char *cell = (const char *)&rows[RP_IMPL_naive] + column->offset;
        bool is_later = false;
        for (size_t i = 0; i < RP_COUNT(later); ++i)
            is_later = is_later || strcmp(column->name, later[i]) == 0;
        int64_t whole = 0;
        double real = 0;
        memcpy(&whole, cell, sizeof whole);
        memcpy(&real, cell, sizeof real);
        if (is_later || strcmp(column->name, "reason") == 0 || strcmp(column->name, "flags") == 0)
            continue;
        if (column->kind == RP_COLUMN_WORD)
            CHECK_TRUE(cell[0] != '\0', column->name);
        if (column->kind == RP_COLUMN_I64)
            CHECK_TRUE(whole >= 0, column->name);
        if (column->kind == RP_COLUMN_F64)
            CHECK_TRUE(!isnan(real), column->name);
    }
    CHECK_EQ_I64(rows[RP_IMPL_naive].peak_memory_bytes, rows[RP_IMPL_naive].predicted_memory_bytes,
                 "predicted exactly");
}

/* A library that takes 32 MiB once, on its first use: in no row's memory, reported apart. */
static void test_library_memory(void **state)
{
    (void)state;
    struct rp_device *device = NULL;
    const struct rp_device_request request = {.local_size = 1, .threads = 1};
    CHECK_OK(rp_device_open(rp_backend_find("cpu"), &request, &device), "open");
    library_bytes = 32 << 20;
    int64_t kept = rp_measure_first_use(device);
    CHECK_TRUE(kept < 0 || kept >= 32 << 20, "reported apart");
    CHECK_TRUE(library_memory != NULL, "it was used");
    CHECK_EQ_I64(rp_device_held_bytes(device), 0, "nothing of its own is left");
    measure(FAULT_NONE, FAULT_NONE);
    for (int impl = 0; impl < RP_IMPL_DEFAULT_COUNT && kept >= 0; ++impl)
        CHECK_TRUE(rows[impl].device_memory_bytes < 4 << 20, "not in the memory of a point");
    CHECK_TRUE(rp_measure_first_use(device) < 1 << 20, "the second use takes nothing");
    rp_device_close(device);
    free(library_memory);
    library_memory = NULL;
    library_bytes = 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_injected),
        cmocka_unit_test(test_every_column_is_set),
        cmocka_unit_test(test_library_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
