/* test_simulated.c - what follows "simulated:", and the device's times, memory and faults. */
#include "check.h"

#include "device/backend_simulated.h"
#include "device/device.h"
#include "device/simulated_spec.h"

static void test_words(void **state)
{
    (void)state;
    struct rp_simulated_spec spec;
    CHECK_OK(rp_simulated_spec_parse("t4+h200:scale=0.5,memory=3k,slow=10@1,fail=7", 3, &spec),
             "several types, rank 3");
    CHECK_EQ_TEXT(spec.gpu_type, "h200", "round and round");
    CHECK_NEAR(spec.scale, 0.5, 0, "scale");
    CHECK_EQ_I64(spec.memory_bytes, 3072, "memory with a suffix");
    CHECK_NEAR(spec.slow_by, 1, 0, "rank 3 is not the slow one");
    CHECK_EQ_I64(spec.fail_at, 7, "fail");
    CHECK_OK(rp_simulated_spec_parse("t4:slow=10@1", 1, &spec), "rank 1");
    CHECK_NEAR(spec.slow_by, 10, 0, "is");
}

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *part;
    } cases[] = {
        {"", "a GPU type is missing"},     {"t4:scal=1", "did you mean 'scale'"},
        {"t4:scale", "no KEY=VALUE"},      {"t4:scale=-1", "0..1000000"},
        {"t4:scale=nan", "0..1000000"},    {"t4:fail=0", "at least 1"},
        {"t4:memory=1e3", "whole number"}, {"t4:slow=10", "FACTOR@RANK"},
        {"t4:slow=10@-1", "FACTOR@RANK"},
    };
    for (size_t i = 0; i < RP_COUNT(cases); ++i) {
        struct rp_simulated_spec spec;
        CHECK_STATUS(rp_simulated_spec_parse(cases[i].text, 0, &spec), RP_ERR_USAGE, cases[i].text);
        CHECK_CONTAINS(rp_status_message(), cases[i].part, cases[i].text);
    }
}

static struct rp_device *open_device(const char *model)
{
    struct rp_device *device = NULL;
    const struct rp_device_request request = {
        .local_size = 1, .model = model, .data_folder = "data", .seed = 1};
    CHECK_OK(rp_device_open(rp_backend_find("simulated"), &request, &device), model);
    return device;
}

static const struct rp_point point = {.stage = RP_STAGE_PREFILL,
                                      .batch = 1,
                                      .heads = 32,
                                      .kv_heads = 32,
                                      .seq_q = 4096,
                                      .seq_k = 4096,
                                      .head_dim = 128,
                                      .dtype = RP_DTYPE_fp16};

static double time_of(struct rp_device *device, enum rp_impl impl)
{
    double time_s = 0;
    CHECK_OK(rp_device_timer_begin(device), "begin");
    CHECK_OK(rp_simulated_launch(rp_device_queue(device), &point, impl), "launch");
    CHECK_OK(rp_device_timer_end(device, &time_s), "end");
    return time_s;
}

static void test_times(void **state)
{
    (void)state;
    struct rp_device *one = open_device("h100-sxm-80gb");
    struct rp_device *two = open_device("h100-sxm-80gb");
    struct rp_device *slow = open_device("h100-sxm-80gb:slow=10@0");
    double fused = time_of(one, RP_IMPL_fused);
    /* 4 * 32 * 128 * 4096^2 FLOP at 0.6 of 989e12 FLOP/s, within tiles, launch and spread. */
    CHECK_NEAR(fused, 4.0 * 32 * 128 * 4096 * 4096 / (0.6 * 989e12), 0.1 * fused, "compute-bound");
    CHECK_NEAR(time_of(two, RP_IMPL_fused), fused, 0, "the same run gives the same times");
    CHECK_NEAR(time_of(slow, RP_IMPL_fused), 10 * fused, 1e-9 * fused, "ten times slower");
    CHECK_TRUE(time_of(one, RP_IMPL_naive) > 3 * fused, "scores in memory cost");
    rp_device_close(one);
    rp_device_close(two);
    rp_device_close(slow);
}

static void test_memory(void **state)
{
    (void)state;
    struct rp_buffer buffer;
    struct rp_device *device = open_device("t4:memory=1M,early=512k");
    CHECK_EQ_I64(rp_device_memory_available_bytes(device), 1 << 20, "announced");
    CHECK_STATUS(rp_device_alloc(device, RP_MEMORY_SCORES, 600 << 10, &buffer),
                 RP_ERR_OUT_OF_MEMORY, "runs out early");
    CHECK_CONTAINS(rp_status_message(), "614400 bytes needed, 524288 available", "both told");
    CHECK_OK(rp_device_alloc(device, RP_MEMORY_SCORES, 500 << 10, &buffer), "this fits");
    CHECK_EQ_I64(rp_device_peak_scores_bytes(device), 500 << 10, "counted");
    rp_device_free(device, &buffer);
    rp_device_close(device);
}

static void test_faults(void **state)
{
    (void)state;
    struct rp_device *device = open_device("t4:fail=2,lost=4");
    static const enum rp_status expected[] = {RP_OK, RP_ERR_DEVICE, RP_OK, RP_ERR_DEVICE,
                                              RP_ERR_DEVICE};
    for (size_t i = 0; i < RP_COUNT(expected); ++i) {
        CHECK_STATUS(rp_simulated_launch(rp_device_queue(device), &point, RP_IMPL_fused),
                     expected[i], "the n-th launch");
        CHECK_TRUE(rp_device_is_lost(device) == (i >= 3), "lost from the fourth on");
    }
    rp_device_close(device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words),  cmocka_unit_test(test_refused), cmocka_unit_test(test_times),
        cmocka_unit_test(test_memory), cmocka_unit_test(test_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
