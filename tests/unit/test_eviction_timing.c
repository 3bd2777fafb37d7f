/*
 * test_eviction_timing.c - the flush works: a cold decode over 8 MiB of K and V takes at least 1.5
 * times a warm one; and a planted flush that leaves the cache as it is would be noticed. Virtual
 * machines whose last-level cache is no faster than DRAM show it with what fits the level before.
 *
 * Minima of interleaved launches, so that a busy machine does not matter. Runs alone.
 */
#include "check.h"

#include "device/device.h"
#include "kernels/kernel.h"
#include "measure/tensors.h"

enum { TURNS = 15 };

static const double least_ratio = 1.5;

/* One kv head of 128 floats: a key is 1 KiB of K and V. */
static struct rp_point decode_over(int kib)
{
    return (struct rp_point){.stage = RP_STAGE_DECODE,
                             .batch = 1,
                             .heads = 1,
                             .kv_heads = 1,
                             .seq_q = 1,
                             .seq_k = kib,
                             .head_dim = 128,
                             .dtype = RP_DTYPE_fp32};
}

static double launch_s(struct rp_device *device, const struct rp_attention *args)
{
    double elapsed_s = 0;
    CHECK_OK(rp_device_timer_begin(device), "timer");
    CHECK_OK(rp_kernel_find("cpu", RP_IMPL_fused)->launch(args), "launch");
    CHECK_OK(rp_device_timer_end(device, &elapsed_s), "timer");
    return elapsed_s;
}

/* Fastest launch after an eviction over fastest launch right after another one. */
static double cold_over_warm(const struct rp_backend *backend, int kib)
{
    const struct rp_point decode = decode_over(kib);
    struct rp_device *device = NULL;
    struct rp_tensors tensors;
    struct rp_method_cost cost;
    struct rp_buffer workspace;
    const struct rp_device_request request = {.local_size = 1, .threads = 1};
    const struct rp_tensors_request wanted = {.point = &decode};
    double warm_s = INFINITY;
    double cold_s = INFINITY;
    CHECK_OK(rp_device_open(backend, &request, &device), "open");
    CHECK_OK(rp_tensors_create(device, &wanted, &tensors), "tensors");
    const struct rp_method_device method = rp_method_device_of(&rp_device_info(device)->row, 1);
    CHECK_OK(rp_method_cost_of(&method, RP_IMPL_fused, &decode, &cost), "cost");
    CHECK_EQ_I64(cost.scores_bytes, 0, "fused stores no scores");
    CHECK_OK(rp_device_alloc(device, RP_MEMORY_WORKSPACE, (size_t)cost.workspace_bytes, &workspace),
             "workspace");
    const struct rp_attention args = {.point = &decode,
                                      .q = tensors.inputs[RP_TENSOR_Q].data,
                                      .k = tensors.inputs[RP_TENSOR_K].data,
                                      .v = tensors.inputs[RP_TENSOR_V].data,
                                      .o = tensors.output.data,
                                      .workspace = workspace.data,
                                      .threads = 1};
    for (int turn = 0; turn < TURNS; ++turn) {
        CHECK_OK(rp_device_cache_evict(device), "evict");
        cold_s = fmin(cold_s, launch_s(device, &args));
        warm_s = fmin(warm_s, launch_s(device, &args));
    }
    rp_device_free(device, &workspace);
    rp_tensors_clear(device, &tensors);
    rp_device_close(device);
    return cold_s / warm_s;
}

/* The largest ratio over 8 MiB, 4 MiB, ... 512 KiB, or the first that is large enough. */
static double largest_ratio(const struct rp_backend *backend)
{
    double largest = 0;
    for (int kib = 8192; kib >= 512 && largest < least_ratio; kib /= 2) {
        double ratio = cold_over_warm(backend, kib);
        print_message("cold decode over %d KiB takes %.2f times a warm one\n", kib, ratio);
        largest = fmax(largest, ratio);
    }
    return largest;
}

static void test_flush_works(void **state)
{
    (void)state;
    CHECK_TRUE(largest_ratio(rp_backend_find("cpu")) >= least_ratio, "the caches were evicted");
}

static enum rp_status evict_nothing(void *state)
{
    (void)state;
    return RP_OK;
}

static void test_leak_is_noticed(void **state)
{
    (void)state;
    struct rp_backend leaky = *rp_backend_find("cpu");
    leaky.cache_evict = evict_nothing;
    CHECK_TRUE(largest_ratio(&leaky) < least_ratio, "the test above can fail");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flush_works),
        cmocka_unit_test(test_leak_is_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
