/*
 * test_backend_cuda.c - the CUDA backend: which device, its identity, memory counted and seen from
 * the driver, timing, failures that stay and those that do not; its probes; the matrix product.
 */
#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "device/device.h"
#include "host_cuda.h"
#include "kernels/cuda/probe_gemm.h"
#include "kernels/kernel.h"
#include "kernels/probe.h"

static void reset(const char *devices, const char *fail)
{
    host_cuda_reset(&(struct host_cuda_settings){.devices = devices, .fail = fail});
}

static enum rp_status open_at(int index, struct rp_device **device)
{
    const struct rp_device_request request = {
        .index = index, .local_size = 1, .data_folder = "data"};
    return rp_device_open(rp_backend_find("cuda"), &request, device);
}

static struct rp_device *open_device(const char *devices, const char *fail)
{
    struct rp_device *device = NULL;
    reset(devices, fail);
    CHECK_OK(open_at(0, &device), devices);
    return device;
}

/* Nothing is left behind, and no kernel did wrong. */
static void close_device(struct rp_device *device)
{
    rp_device_close(device);
    CHECK_EQ_TEXT(host_cuda_fault(), "", "no kernel did wrong");
    CHECK_EQ_I64(host_cuda_leaks(), 0, "everything is given back");
}

static void test_no_device_has_a_reason(void **state)
{
    (void)state;
    static const struct {
        const char *devices, *reason;
    } cases[] = {
        {"nodriver", "no NVIDIA driver is loaded"},
        {"olddriver", "the NVIDIA driver knows CUDA 11.4, this build needs"},
        {"none", "no NVIDIA GPU is visible"},
    };
    for (size_t i = 0; i < RP_COUNT(cases); ++i) {
        char reason[256];
        struct rp_device *device = NULL;
        reset(cases[i].devices, NULL);
        CHECK_EQ_I64(rp_backend_find("cuda")->count(reason, sizeof reason), 0, cases[i].devices);
        CHECK_CONTAINS(reason, cases[i].reason, cases[i].devices);
        CHECK_STATUS(open_at(0, &device), RP_ERR_ENVIRONMENT, cases[i].devices);
        CHECK_CONTAINS(rp_status_message(), cases[i].reason, cases[i].devices);
    }
}

static void test_identity(void **state)
{
    (void)state;
    static const struct {
        const char *devices, *gpu_type, *capability;
        int64_t multiprocessors;
    } cases[] = {
        {"t4", "t4", "7.5", 40},
        {"a100", "a100-sxm-80gb", "8.0", 108},
        {"h100", "h100-sxm-80gb", "9.0", 132},
    };
    for (size_t i = 0; i < RP_COUNT(cases); ++i) {
        struct rp_device *device = open_device(cases[i].devices, NULL);
        const struct rp_device_row *row = &rp_device_info(device)->row;
        CHECK_EQ_TEXT(row->gpu_type, cases[i].gpu_type, cases[i].devices);
        CHECK_EQ_TEXT(row->compute_capability, cases[i].capability, cases[i].devices);
        CHECK_EQ_I64(row->multiprocessors, cases[i].multiprocessors, cases[i].devices);
        CHECK_EQ_TEXT(row->uuid, "GPU-c0c0c0c0-c0c0-c0c0-c0c0-c0c0c0c0c0c0",
                      "as nvidia-smi has it");
        CHECK_EQ_TEXT(row->mig, "off", cases[i].devices);
        CHECK_EQ_I64(row->ecc, 1, cases[i].devices);
        CHECK_TRUE(isnan(row->power_limit_w), "nobody tells it here");
        close_device(device);
    }
}

static void test_the_visible_one_or_the_ranks_own(void **state)
{
    (void)state;
    struct rp_device *device = NULL;
    reset("t4:2", NULL);
    CHECK_OK(open_at(1, &device), "all are visible: the one of the rank's number");
    CHECK_EQ_TEXT(rp_device_info(device)->row.uuid, "GPU-c1c1c1c1-c1c1-c1c1-c1c1-c1c1c1c1c1c1", "");
    close_device(device);
    CHECK_STATUS(open_at(2, &device), RP_ERR_ENVIRONMENT, "a third rank has none");
    reset("t4", NULL);
    CHECK_OK(open_at(1, &device), "one is visible: it is the rank's");
    close_device(device);
}

static void test_memory_from_two_sides(void **state)
{
    (void)state;
    const size_t bytes = 8 << 20;
    struct rp_device *device = open_device("t4", NULL);
    struct rp_buffer buffer, more;
    char word[8] = "written";
    char read[8] = "";
    int64_t before = rp_device_outside_used_bytes(device);
    CHECK_OK(rp_device_outside_peak_reset(device), "reset");
    CHECK_OK(rp_device_alloc(device, RP_MEMORY_SCORES, bytes, &buffer), "8 MiB");
    CHECK_OK(rp_device_write(device, &buffer, word, sizeof word), "write");
    CHECK_OK(rp_device_read(device, read, &buffer, sizeof read), "read");
    CHECK_EQ_TEXT(read, word, "what was written");
    CHECK_OK(rp_device_poison(device, &buffer), "poison");
    CHECK_OK(rp_device_read(device, read, &buffer, sizeof read), "read");
    CHECK_EQ_I64(read[7], -1, "every byte 0xFF");
    rp_device_free(device, &buffer);
    CHECK_EQ_I64(rp_device_peak_scores_bytes(device), (int64_t)bytes, "counted");
    int64_t seen = rp_device_outside_peak_bytes(device) - before;
    CHECK_TRUE(seen >= (int64_t)bytes, "and seen by the driver at its lowest");
    CHECK_STATUS(rp_device_alloc(device, RP_MEMORY_SCORES, (size_t)1 << 40, &more),
                 RP_ERR_OUT_OF_MEMORY, "a TiB");
    CHECK_TRUE(!rp_device_is_lost(device), "and the device goes on");
    close_device(device);
}

static enum rp_status launch_empty(struct rp_device *device, double *elapsed_s)
{
    extern const struct rp_probe rp_probe_cuda_launch;
    const struct rp_probe_call call = {.probe = &rp_probe_cuda_launch,
                                       .device = rp_device_info(device),
                                       .queue = rp_device_queue(device)};
    RP_TRY(rp_device_cache_evict(device));
    RP_TRY(rp_device_timer_begin(device));
    RP_TRY(rp_probe_cuda_launch.launch(&call));
    return rp_device_timer_end(device, elapsed_s);
}

static void test_only_some_failures_stay(void **state)
{
    (void)state;
    double elapsed_s = -1;
    struct rp_device *device = open_device("t4", NULL);
    CHECK_OK(launch_empty(device, &elapsed_s), "a launch");
    CHECK_TRUE(elapsed_s >= 0, "takes some time");
    close_device(device);

    device = open_device("t4", "LAUNCH:1:9"); /* cudaErrorInvalidConfiguration */
    CHECK_STATUS(launch_empty(device, &elapsed_s), RP_ERR_DEVICE, "a launch that is refused");
    CHECK_TRUE(!rp_device_is_lost(device), "does not stay");
    CHECK_OK(launch_empty(device, &elapsed_s), "the next one goes on");
    close_device(device);

    device = open_device("t4", "LAUNCH:1:700"); /* cudaErrorIllegalAddress */
    CHECK_STATUS(launch_empty(device, &elapsed_s), RP_ERR_DEVICE, "a kernel that reads nowhere");
    CHECK_TRUE(rp_device_is_lost(device), "takes the context with it");
    rp_device_close(device);
}

static struct rp_probe_call plan(struct rp_device *device, const struct rp_probe *probe)
{
    struct rp_probe_call call = {
        .probe = probe, .device = rp_device_info(device), .queue = rp_device_queue(device)};
    CHECK_OK(probe->plan(&call), probe->method);
    CHECK_TRUE(call.work > 0, probe->method);
    return call;
}

/* Every probe but the large matrix products, which a CPU would take minutes for. */
static void test_probes_run(void **state)
{
    (void)state;
    struct rp_device *device = open_device("t4", NULL);
    int n = 0;
    for (size_t i = 0; i < RP_PROBE_COUNT; ++i) {
        const struct rp_probe *probe = rp_probes()[i];
        struct rp_buffer scratch;
        double elapsed_s = 0;
        if (strcmp(probe->backend, "cuda") != 0 || probe->extent >= 2048)
            continue;
        struct rp_probe_call call = plan(device, probe);
        CHECK_OK(rp_device_alloc(device, RP_MEMORY_WORKSPACE, call.scratch_bytes, &scratch),
                 probe->method);
        call.scratch = scratch.data;
        if (probe->fill)
            CHECK_OK(probe->fill(&call), probe->method);
        CHECK_OK(rp_device_timer_begin(device), probe->method);
        CHECK_OK(probe->launch(&call), probe->method);
        CHECK_OK(rp_device_timer_end(device, &elapsed_s), probe->method);
        rp_device_free(device, &scratch);
        ++n;
    }
    CHECK_EQ_I64(n, 8, "probes that ran");
    close_device(device);
}

/* The product itself, so that a wrong type or leading dimension shows: C (column-major) = A B. */
static void test_gemm_multiplies(void **state)
{
    (void)state;
    enum { N = 16 };
    static const char *const paths[] = {"simt_fp32", "tensor_tf32"};
    for (size_t i = 0; i < RP_COUNT(paths); ++i) {
        struct rp_device *device = open_device("a100", NULL);
        const struct rp_probe probe = {.backend = "cuda",
                                       .kind = RP_PROBE_COMPUTE,
                                       .path = paths[i],
                                       .method = "GEMM",
                                       .extent = N,
                                       .plan = rp_cuda_probe_gemm_plan,
                                       .fill = rp_cuda_probe_gemm_fill,
                                       .launch = rp_cuda_probe_gemm_launch};
        struct rp_buffer scratch;
        float seen[3][N * N];
        struct rp_probe_call call = plan(device, &probe);
        CHECK_EQ_I64((int64_t)call.scratch_bytes, (int64_t)sizeof seen, "three matrices");
        CHECK_OK(rp_device_alloc(device, RP_MEMORY_WORKSPACE, sizeof seen, &scratch), "scratch");
        call.scratch = scratch.data;
        CHECK_OK(probe.fill(&call), "fill");
        CHECK_OK(probe.launch(&call), "launch");
        CHECK_OK(rp_device_read(device, seen, &scratch, sizeof seen), "read");
        double sum = 0;
        for (int k = 0; k < N; ++k)
            sum += (double)seen[0][k * N + 3] * (double)seen[1][5 * N + k];
        CHECK_TRUE(fabs(sum - (double)seen[2][5 * N + 3]) < 2e-2, "an element of the product");
        CHECK_TRUE(seen[0][0] != seen[0][1] && seen[0][0] != 0.0f, "of random data");
        rp_device_free(device, &scratch);
        close_device(device);
    }
}

static void test_what_a_t4_lacks(void **state)
{
    (void)state;
    extern const struct rp_probe rp_probe_cuda_tensor_bf16_4096;
    struct rp_device *device = open_device("t4", NULL);
    struct rp_probe_call call = {.probe = &rp_probe_cuda_tensor_bf16_4096,
                                 .device = rp_device_info(device)};
    CHECK_STATUS(call.probe->plan(&call), RP_ERR_UNSUPPORTED, "bf16 on a T4");
    close_device(device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_device_has_a_reason),
        cmocka_unit_test(test_identity),
        cmocka_unit_test(test_the_visible_one_or_the_ranks_own),
        cmocka_unit_test(test_memory_from_two_sides),
        cmocka_unit_test(test_only_some_failures_stay),
        cmocka_unit_test(test_probes_run),
        cmocka_unit_test(test_gemm_multiplies),
        cmocka_unit_test(test_what_a_t4_lacks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
