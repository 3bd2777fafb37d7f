/* Ridge points and classes, with numbers to be checked by hand. */
#include "check.h"

#include "gpu_table.h"
#include "model/bound.h"
#include "model/cost.h"

static const struct rp_gpu_spec *gpu_of(const char *key)
{
    const struct rp_gpu_spec *gpu = rp_gpu_list_find_exact(&gpus, key);
    assert_non_null(gpu);
    return gpu;
}

/* fp16 dense tensor over DRAM. */
static void test_ridge(void **state)
{
    (void)state;
    static const struct {
        const char *key;
        double peak, bandwidth;
        long rounded;
    } cases[] = {
        {"t4", 65e12, 320e9, 203},
        {"a100-sxm-80gb", 312e12, 2039e9, 153},
        {"a100-sxm-40gb", 312e12, 1555e9, 201},
        {"h100-sxm-80gb", 989e12, 3350e9, 295},
        {"h100-pcie-80gb", 756e12, 2000e9, 378},
        {"h200-sxm-141gb", 989e12, 4800e9, 206},
    };
    for (size_t i = 0; i < RP_COUNT(cases); ++i) {
        const struct rp_gpu_spec *gpu = gpu_of(cases[i].key);
        double ridge = rp_ridge(rp_gpu_spec_peak(gpu, "tensor_fp16"), gpu->bandwidth_bytes_per_s);
        CHECK_NEAR(ridge, cases[i].peak / cases[i].bandwidth, 1e-9, cases[i].key);
        CHECK_EQ_I64(lround(ridge), cases[i].rounded, cases[i].key);
    }
    CHECK_TRUE(isnan(rp_gpu_spec_peak(gpu_of("t4"), "tensor_bf16")), "sm_75 has no bf16");
    CHECK_TRUE(isnan(rp_gpu_spec_peak(gpu_of("t4"), "cpu_fp32")), "not a path of a GPU");
}

static struct rp_point prefill(int64_t seq, bool causal, enum rp_dtype dtype)
{
    return (struct rp_point){.stage = RP_STAGE_PREFILL,
                             .batch = 1,
                             .heads = 32,
                             .kv_heads = 32,
                             .seq_q = seq,
                             .seq_k = seq,
                             .head_dim = 128,
                             .dtype = dtype,
                             .causal = causal};
}

/* Unmasked fp16 prefill crosses at T = 2 * ridge. */
static void test_crossing(void **state)
{
    (void)state;
    static const struct {
        const char *key;
        int64_t below, above;
    } cases[] = {{"t4", 406, 407}, {"a100-sxm-80gb", 306, 307}, {"h100-sxm-80gb", 590, 591}};
    for (size_t i = 0; i < RP_COUNT(cases); ++i) {
        const struct rp_gpu_spec *gpu = gpu_of(cases[i].key);
        struct rp_point low = prefill(cases[i].below, false, RP_DTYPE_fp16);
        struct rp_point high = prefill(cases[i].above, false, RP_DTYPE_fp16);
        assert_int_equal(rp_bound_ideal(gpu, &low, false).class_name, RP_CLASS_MEMORY);
        assert_int_equal(rp_bound_ideal(gpu, &high, false).class_name, RP_CLASS_COMPUTE);
        /* With a mask half the pairs are hidden, so the same length is memory-bound by `flops`
         * and compute-bound by the notebook's count. */
        high.causal = true;
        assert_int_equal(rp_bound_ideal(gpu, &high, false).class_name, RP_CLASS_MEMORY);
        assert_int_equal(rp_bound_ideal(gpu, &high, true).class_name, RP_CLASS_COMPUTE);
        high.seq_q = high.seq_k = 2 * cases[i].above;
        assert_int_equal(rp_bound_ideal(gpu, &high, false).class_name, RP_CLASS_COMPUTE);
    }
}

static void test_times(void **state)
{
    (void)state;
    /* T=1024: flops_dense = 4*32*128*1024^2 = 17179869184, bytes_min = 2*128*4*32*1024. */
    struct rp_point p = prefill(1024, false, RP_DTYPE_fp16);
    struct rp_floor f = rp_bound_ideal(gpu_of("t4"), &p, false);
    CHECK_NEAR(f.compute_s, 17179869184.0 / 65e12, 1e-12, "compute");
    CHECK_NEAR(f.memory_s, 33554432.0 / 320e9, 1e-12, "memory");
    CHECK_NEAR(f.floor_s, f.compute_s, 0, "the larger");
    p.dtype = RP_DTYPE_fp32; /* plain cores, twice the bytes */
    f = rp_bound_ideal(gpu_of("t4"), &p, false);
    CHECK_NEAR(f.compute_s, 17179869184.0 / 8.1e12, 1e-12, "fp32 compute");
    CHECK_NEAR(f.memory_s, 67108864.0 / 320e9, 1e-12, "fp32 memory");
    p.dtype = RP_DTYPE_bf16;
    f = rp_bound_ideal(gpu_of("t4"), &p, false);
    assert_int_equal(f.class_name, RP_CLASS_MISSING);
    CHECK_TRUE(isnan(f.floor_s), "no bf16 on sm_75");
    p.dtype = RP_DTYPE_tf32;
    assert_int_equal(rp_bound_ideal(gpu_of("h200-sxm-141gb"), &p, false).class_name,
                     RP_CLASS_COMPUTE);
}

static void test_missing(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double flops, bytes, peak, bandwidth;
    } cases[] = {
        {"peak not known", 1, 1, NAN, 1},      {"bandwidth not known", 1, 1, 1, NAN},
        {"peak of zero", 1, 1, 0, 1},          {"negative bandwidth", 1, 1, 1, -1},
        {"count not applicable", -1, 1, 1, 1}, {"bytes not applicable", 1, -1, 1, 1},
    };
    for (size_t i = 0; i < RP_COUNT(cases); ++i) {
        struct rp_floor f =
            rp_floor_of(cases[i].flops, cases[i].bytes, cases[i].peak, cases[i].bandwidth);
        CHECK_TRUE(f.class_name == RP_CLASS_MISSING, cases[i].name);
        CHECK_TRUE(isnan(f.floor_s), cases[i].name);
    }
    assert_int_equal(rp_floor_of(10, 1, 10, 1).class_name, RP_CLASS_COMPUTE); /* at the ridge */
    assert_int_equal(rp_floor_of(9, 1, 10, 1).class_name, RP_CLASS_MEMORY);
}

/* Scores that fit the last-level cache never reach DRAM; one byte more and all of them do. */
static void test_predicted_cache(void **state)
{
    (void)state;
    struct rp_gpu_spec gpu = *gpu_of("t4");
    struct rp_method_cost cost = {.path = "simt_fp32",
                                  .flops_impl = 8100000,
                                  .bytes_impl = 32000000,
                                  .scores_bytes = 3 * 1048576,
                                  .workspace_bytes = 1048576};
    struct rp_floor f = rp_bound_predicted(&gpu, &cost, 320000);
    CHECK_NEAR(f.memory_s, 1e-6, 1e-12, "fits 4 MiB");
    CHECK_NEAR(f.compute_s, 1e-6, 1e-12, "its own path");
    cost.workspace_bytes += 1;
    f = rp_bound_predicted(&gpu, &cost, 320000);
    CHECK_NEAR(f.memory_s, 1e-4, 1e-12, "does not fit");
    assert_int_equal(f.class_name, RP_CLASS_MEMORY);
    cost.workspace_bytes = 0;
    gpu.l2_bytes = -1;
    CHECK_NEAR(rp_bound_predicted(&gpu, &cost, 320000).memory_s, 1e-4, 1e-12, "cache not known");
    memcpy(cost.path, "cpu_fp32", sizeof "cpu_fp32");
    assert_int_equal(rp_bound_predicted(&gpu, &cost, 320000).class_name, RP_CLASS_MISSING);
}

static void test_names(void **state)
{
    (void)state;
    CHECK_EQ_TEXT(rp_class_name(RP_CLASS_COMPUTE), "compute", "name");
    CHECK_EQ_TEXT(rp_class_name(RP_CLASS_MISSING), "missing", "name");
    for (int i = 0; i < RP_CLASS_COUNT; ++i)
        assert_non_null(rp_class_name((enum rp_class)i));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ridge),           cmocka_unit_test(test_crossing),
        cmocka_unit_test(test_times),           cmocka_unit_test(test_missing),
        cmocka_unit_test(test_predicted_cache), cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, load_gpus, unload_gpus);
}
