/*
 * test_ceilings.c - ceilings of simulated devices: what data/gpus.tsv says times what the model
 * reaches of it, for every path a type has and no other.
 */
#include "check.h"

#include "base/clock.h"
#include "ceiling_rows.h"
#include "device/backend_simulated.h"
#include "gpu_table.h"
#include "kernels/probe.h"

static void measure(const char *model, struct ceiling_rows *kept)
{
    struct rp_device *device = NULL;
    const struct rp_device_request request = {
        .local_size = 1, .model = model, .data_folder = "data", .seed = 1};
    struct rp_ceilings_listener listener = ceiling_listener(kept);
    CHECK_OK(rp_device_open(rp_backend_find("simulated"), &request, &device), model);
    CHECK_OK(rp_measure_ceilings(device, &listener), model);
    CHECK_EQ_I64(rp_device_held_bytes(device), 0, "memory is back to where it was");
    rp_device_close(device);
}

/* Within the spread of the model (1 %) and the latency of a launch beside its work (0.05 %). */
static void check_reached(const struct rp_ceiling *row, double datasheet, double efficiency)
{
    CHECK_NEAR(row->datasheet, datasheet, 0, row->kind);
    CHECK_NEAR(row->value, efficiency * datasheet, 0.0105 * efficiency * datasheet, row->kind);
}

static void test_datasheet(void **state)
{
    (void)state;
    static const char *const paths[] = {"tensor_fp16", "tensor_bf16", "tensor_tf32", "simt_fp32"};
    for (size_t i = 0; i < gpus.count; ++i) {
        const struct rp_gpu_spec *gpu = &gpus.items[i];
        struct ceiling_rows kept;
        int n_paths = 0;
        measure(gpu->gpu_type, &kept);
        for (size_t p = 0; p < RP_COUNT(paths); ++p) {
            double peak = rp_gpu_spec_peak(gpu, paths[p]);
            if (isnan(peak))
                continue;
            ++n_paths;
            check_reached(ceiling_of(&kept, "compute", paths[p]), peak, 0.6);
            check_row(ceiling_of(&kept, "compute", paths[p]), "FLOP/s");
            check_reached(ceiling_of(&kept, "compute_sustained", paths[p]), peak, 0.6);
            check_row(ceiling_of(&kept, "compute_sustained", paths[p]), "FLOP/s");
        }
        check_reached(ceiling_of(&kept, "bandwidth", ""), gpu->bandwidth_bytes_per_s, 0.8);
        check_reached(ceiling_of(&kept, "read_bandwidth", ""), gpu->bandwidth_bytes_per_s, 0.8);
        check_row(ceiling_of(&kept, "cache_bandwidth", ""), "B/s");
        const struct rp_ceiling *latency = ceiling_of(&kept, "latency", "");
        check_row(latency, "s");
        CHECK_NEAR(latency->value, gpu->launch_latency_s, 0.01 * latency->value, "latency");
        CHECK_TRUE(isnan(latency->datasheet), "no datasheet has a latency");
        CHECK_EQ_TEXT(ceiling_of(&kept, "anchor", "")->method, "start", "moment");
        CHECK_EQ_I64(kept.n, 2 * n_paths + 6, "and nothing else");
        CHECK_TRUE(kept.n_begun >= kept.n - 1, "each step is told (bandwidth is also a read)");
        CHECK_EQ_I64(kept.rows[0].threads, -1, "no CPU threads");
    }
}

static void test_repeatable(void **state)
{
    (void)state;
    struct ceiling_rows one;
    struct ceiling_rows two;
    struct ceiling_rows slow;
    measure("h100-sxm-80gb", &one);
    measure("h100-sxm-80gb:scale=1000", &two); /* would sleep for hours if probes did */
    measure("h100-sxm-80gb:slow=10@0", &slow);
    CHECK_EQ_I64(two.n, one.n, "rows");
    for (int i = 0; i < one.n; ++i)
        CHECK_NEAR(two.rows[i].value, one.rows[i].value, 0, one.rows[i].kind);
    double reads = ceiling_of(&one, "read_bandwidth", "")->value;
    CHECK_NEAR(ceiling_of(&slow, "read_bandwidth", "")->value, 0.1 * reads, 1e-3 * reads, "slow");
}

static void test_faults_are_for_points(void **state)
{
    (void)state;
    struct rp_device *device = NULL;
    struct ceiling_rows kept;
    struct rp_ceilings_listener listener = ceiling_listener(&kept);
    const struct rp_device_request request = {
        .local_size = 1, .model = "t4:fail=1,lost=2", .data_folder = "data"};
    const struct rp_point point = {.stage = RP_STAGE_DECODE,
                                   .batch = 1,
                                   .heads = 1,
                                   .kv_heads = 1,
                                   .seq_q = 1,
                                   .seq_k = 64,
                                   .head_dim = 64,
                                   .dtype = RP_DTYPE_fp16};
    CHECK_OK(rp_device_open(rp_backend_find("simulated"), &request, &device), "open");
    void *queue = rp_device_queue(device);
    CHECK_OK(rp_measure_ceilings(device, &listener), "no fault here");
    CHECK_STATUS(rp_simulated_launch(queue, &point, RP_IMPL_fused), RP_ERR_DEVICE, "first launch");
    kept.n = 0;
    CHECK_OK(rp_measure_anchor(device, "middle", &listener), "nor here");
    CHECK_EQ_I64(kept.n, 2, "arithmetic and memory");
    CHECK_EQ_TEXT(ceiling_of(&kept, "anchor", "")->method, "middle", "moment");
    CHECK_EQ_TEXT(ceiling_of(&kept, "anchor_read", "")->method, "middle", "moment");
    CHECK_STATUS(rp_simulated_launch(queue, &point, RP_IMPL_fused), RP_ERR_DEVICE, "second launch");
    kept.n = 0;
    CHECK_STATUS(rp_measure_anchor(device, "end", &listener), RP_ERR_DEVICE, "lost");
    CHECK_STATUS(rp_measure_ceilings(device, &listener), RP_ERR_DEVICE, "lost");
    CHECK_CONTAINS(rp_status_message(), "the device is lost", "says so");
    CHECK_EQ_I64(kept.n, 0, "no row");
    rp_device_close(device);
}

/* A listener without members, as the header allows. */
static void test_nobody_listens(void **state)
{
    (void)state;
    struct rp_device *device = NULL;
    const struct rp_ceilings_listener nobody = {0};
    const struct rp_device_request request = {
        .local_size = 1, .model = "t4", .data_folder = "data"};
    CHECK_OK(rp_device_open(rp_backend_find("simulated"), &request, &device), "open");
    CHECK_OK(rp_measure_ceilings(device, &nobody), "measure");
    rp_device_close(device);
}

/* What /ceilings keeps of a method has room for the word of the sustained one behind it. */
static void test_tables(void **state)
{
    (void)state;
    for (size_t i = 0; i < RP_PROBE_COUNT; ++i) {
        const struct rp_probe *probe = rp_probes()[i];
        CHECK_TRUE(rp_backend_find(probe->backend) != NULL, probe->backend);
        CHECK_TRUE(strlen(probe->method) <= 40, probe->method);
        CHECK_TRUE((probe->kind == RP_PROBE_COMPUTE) == (probe->path[0] != '\0'), probe->method);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_datasheet),
        cmocka_unit_test(test_repeatable),
        cmocka_unit_test(test_faults_are_for_points),
        cmocka_unit_test(test_nobody_listens),
        cmocka_unit_test(test_tables),
    };
    return cmocka_run_group_tests(tests, load_gpus, unload_gpus);
}
