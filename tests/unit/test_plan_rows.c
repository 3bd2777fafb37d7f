/* test_plan_rows.c - what a file teaches a plan, and what rows add up to. */
#include "check.h"

#include <stdlib.h>

#include "cli/plan_sum.h"
#include "gpu_table.h"

static const struct rp_job_point prefill = {
    .point = {RP_STAGE_PREFILL, 1, 32, 32, 1024, 1024, 128, RP_DTYPE_fp16, false},
    .impls = 1u << RP_IMPL_reference | 1u << RP_IMPL_fused,
};

static struct rp_protocol protocol;
static struct rp_plan_type t4;

static void open_t4(void)
{
    struct rp_device *device = NULL;
    const struct rp_device_request request = {.local_size = 1, .model = "t4"};
    CHECK_OK(rp_device_open(rp_backend_find("simulated"), &request, &device), "open");
    rp_plan_type_init(&t4, device, rp_gpu_list_find_exact(&gpus, "t4"));
    rp_device_close(device);
    rp_protocol_init(&protocol);
}

static void add_device(struct rp_study *study, const char *gpu_type, const char *backend)
{
    struct rp_device_row device;
    rp_row_init(RP_TABLE_DEVICES, &device);
    RP_WORD_SET(device.gpu_type, gpu_type);
    RP_WORD_SET(device.backend, backend);
    CHECK_OK(rp_study_append(study, RP_TABLE_DEVICES, &device), "device");
}

/* A ceiling that would make everything take hours, of device number `index`. */
static void add_ceiling(struct rp_study *study, int64_t index)
{
    struct rp_ceiling ceiling;
    rp_row_init(RP_TABLE_CEILINGS, &ceiling);
    ceiling.device = index;
    ceiling.value = 1e6;
    RP_WORD_SET(ceiling.kind, "bandwidth");
    CHECK_OK(rp_study_append(study, RP_TABLE_CEILINGS, &ceiling), "ceiling");
}

static void learn(const struct rp_study *study)
{
    struct rp_implied *implied = NULL;
    CHECK_OK(rp_implied_create(&implied), "implied");
    rp_plan_type_learn(&t4, study, implied);
}

static void plan(struct rp_plan_row rows[RP_IMPL_COUNT])
{
    size_t n = 0;
    CHECK_OK(rp_plan_point(&t4, &prefill, &protocol, rows, &n), "plan");
    CHECK_EQ_I64((int64_t)n, 2, "the implementations of the point");
    rp_implied_destroy((struct rp_implied *)t4.implied);
}

/* Only of this type, only what was measured, only devices that are there. */
static void test_whose_ceilings(void **state)
{
    (void)state;
    struct rp_study study;
    struct rp_plan_row rows[RP_IMPL_COUNT];
    open_t4();
    rp_study_init(&study);
    add_device(&study, "l4", "cuda");
    add_device(&study, "t4", "simulated");
    add_ceiling(&study, 0);
    add_ceiling(&study, 1);
    add_ceiling(&study, 2);
    add_ceiling(&study, -1);
    learn(&study);
    plan(rows);
    CHECK_EQ_TEXT(rp_rates_source(&t4.rates), "datasheet", "nothing of it is a T4's");
    CHECK_EQ_I64(rows[0].outcome, RP_OUTCOME_OK, "as ever");

    add_device(&study, "t4", "cuda"); /* number 2 is there now */
    learn(&study);
    plan(rows);
    CHECK_EQ_TEXT(rp_rates_source(&t4.rates), "measured", "a T4's");
    CHECK_EQ_I64(rows[0].outcome, RP_OUTCOME_TIMEOUT, "436 MB at 0.9 MB/s");
    CHECK_CONTAINS(rows[0].reason, "the limit is 60 s", "why");
    rp_study_clear(&study);
}

/* What ran out of memory there when it was tried stands for all that need as much. */
static void test_known_oom(void **state)
{
    (void)state;
    struct rp_study study;
    struct rp_plan_row rows[RP_IMPL_COUNT];
    struct rp_result row;
    open_t4();
    rp_study_init(&study);
    add_device(&study, "t4", "cuda");
    CHECK_OK(rp_result_begin(&row, &prefill.point, RP_IMPL_reference), "row");
    rp_result_set_outcome(&row, RP_OUTCOME_OOM, "cudaMalloc: out of memory");
    row.device = 0;
    row.predicted_memory_bytes = 100 << 20;
    CHECK_OK(rp_study_append_result(&study, &row, NULL, 0), "append");
    learn(&study);
    plan(rows);
    CHECK_EQ_I64(rows[0].outcome, RP_OUTCOME_SKIPPED, "reference needs 224 MiB");
    CHECK_CONTAINS(rows[0].reason, "ran out of memory with 104857600", "behind which");
    CHECK_TRUE(rows[0].wall_s <= 0, "takes no time");
    CHECK_EQ_I64(rows[1].outcome, RP_OUTCOME_OK, "fused is another implementation");
    rp_study_clear(&study);
}

/* Two points alike on two ranks: half the time of one device; the host's memory of each twice. */
static void test_sum(void **state)
{
    (void)state;
    struct rp_study study;
    struct rp_plan_row rows[RP_IMPL_COUNT];
    struct rp_plan_sum *sum = NULL;
    struct rp_plan_totals totals;
    open_t4();
    rp_study_init(&study);
    learn(&study);
    plan(rows);
    CHECK_EQ_I64(rows[0].class_predicted, RP_CLASS_MEMORY, "39 FLOP/B of 203: the scores");
    CHECK_EQ_I64(rows[0].class_ideal, RP_CLASS_COMPUTE, "512 FLOP/B");
    CHECK_OK(rp_plan_sum_create(2, &sum), "create");
    rp_plan_sum_add(sum, &t4, rows, 2);
    rp_plan_sum_add(sum, &t4, rows, 2);
    const struct rp_plan_layout layout = {.ranks = 2, .nodes = 2};
    CHECK_OK(rp_plan_sum_end(sum, &t4, &layout, &totals), "end");
    rp_plan_sum_destroy(sum);
    double point_s = rows[0].wall_s + rows[1].wall_s;
    CHECK_EQ_I64(totals.points, 2, "points");
    CHECK_EQ_I64(totals.rows, 4, "rows");
    CHECK_EQ_I64(totals.of_outcome[RP_OUTCOME_OK], 4, "all fit");
    CHECK_NEAR(totals.device_s, 2 * point_s, 1e-12, "one device");
    CHECK_NEAR(totals.makespan_s, point_s, 1e-12, "two ranks");
    CHECK_NEAR(totals.node_hours, 2 * point_s / 3600, 1e-12, "two nodes");
    CHECK_EQ_TEXT(totals.slurm_time, "00:03:00", "the least there is");
    /* 2 GiB a rank, 32 MiB of tensors and 8 MiB of reference output on the host. */
    CHECK_EQ_I64(totals.memory_bytes, (INT64_C(2) << 30) + (40 << 20), "one rank a node");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whose_ceilings),
        cmocka_unit_test(test_known_oom),
        cmocka_unit_test(test_sum),
    };
    return cmocka_run_group_tests(tests, load_gpus, unload_gpus);
}
