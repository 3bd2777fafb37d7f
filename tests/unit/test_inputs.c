/* test_inputs.c - inputs are exact in every dtype and the same whoever makes them. */
#include "check.h"

#include <omp.h>
#include <stdlib.h>

#include "measure/inputs.h"

#define SEED 7

static const struct rp_point small = {.batch = 2,
                                      .heads = 6,
                                      .kv_heads = 3,
                                      .seq_q = 5,
                                      .seq_k = 11,
                                      .head_dim = 13,
                                      .dtype = RP_DTYPE_fp32};

static void counts_elements(void **state)
{
    (void)state;
    CHECK_EQ_I64(rp_inputs_count(&small, RP_TENSOR_Q), 2 * 6 * 5 * 13, "Q");
    CHECK_EQ_I64(rp_inputs_count(&small, RP_TENSOR_K), 2 * 3 * 11 * 13, "K");
    CHECK_EQ_I64(rp_inputs_count(&small, RP_TENSOR_V), 2 * 3 * 11 * 13, "V");
}

static void values_are_symmetric_and_spread(void **state)
{
    (void)state;
    enum { N = 65536 };
    float *values = malloc(N * sizeof *values);
    double sum = 0.0;
    double squares = 0.0;
    rp_inputs_values(SEED, RP_TENSOR_Q, 0, N, values);
    for (int i = 0; i < N; ++i) {
        float n = values[i] * 64.0f;
        CHECK_TRUE(n == floorf(n) && fabsf(n) <= 127.0f, "n / 64, |n| <= 127");
        sum += (double)values[i];
        squares += (double)values[i] * (double)values[i];
    }
    /* Uniform over 255 values: variance (255^2 - 1) / 12 / 64^2 = 1.323, mean 0 within 4.5 sigma.
     */
    CHECK_NEAR(squares / N, 1.323, 0.02, "variance");
    CHECK_NEAR(sum / N, 0.0, 4.5 * 1.15 / 256.0, "mean");
    free(values);
}

static void parts_equal_the_whole(void **state)
{
    (void)state;
    float whole[200];
    float part[200];
    rp_inputs_values(SEED, RP_TENSOR_K, 0, 200, whole);
    for (int64_t first = 0; first < 40; ++first) {
        rp_inputs_values(SEED, RP_TENSOR_K, first, 100, part);
        CHECK_TRUE(memcmp(part, whole + first, 100 * sizeof *part) == 0, "any first element");
    }
}

static void seeds_and_tensors_differ(void **state)
{
    (void)state;
    float q[64];
    float k[64];
    float other[64];
    rp_inputs_values(SEED, RP_TENSOR_Q, 0, 64, q);
    rp_inputs_values(SEED, RP_TENSOR_K, 0, 64, k);
    rp_inputs_values(SEED + 1, RP_TENSOR_Q, 0, 64, other);
    CHECK_TRUE(memcmp(q, k, sizeof q) != 0, "Q and K");
    CHECK_TRUE(memcmp(q, other, sizeof q) != 0, "two seeds");
}

/* A fixed value, so that a change of generator or of layout is a decision and not an accident. */
static void first_values_are_known(void **state)
{
    (void)state;
    float first[4];
    rp_inputs_values(0, RP_TENSOR_Q, 0, 4, first);
    /* Philox4x32-10 of counter 0 and key 0 begins with 0x6627e8d5 (its authors' known answer):
     * bytes d5, e8, 27, 66. */
    CHECK_NEAR((double)first[0], (0xd5 - 128) / 64.0, 0.0, "byte 0");
    CHECK_NEAR((double)first[1], (0xe8 - 128) / 64.0, 0.0, "byte 1");
    CHECK_NEAR((double)first[2], (0x27 - 128) / 64.0, 0.0, "byte 2");
    CHECK_NEAR((double)first[3], (0x66 - 128) / 64.0, 0.0, "byte 3");
}

static void fills_every_dtype_exactly(void **state)
{
    (void)state;
    for (int t = 0; t < RP_DTYPE_COUNT; ++t) {
        struct rp_point p = small;
        p.dtype = (enum rp_dtype)t;
        const char *name = rp_dtype_info(p.dtype)->name;
        size_t n = (size_t)rp_inputs_count(&p, RP_TENSOR_V);
        size_t bytes = n * (size_t)rp_dtype_info(p.dtype)->storage_bytes;
        void *stored = malloc(bytes); /* exact: a sanitizer sees one byte too many */
        void *again = malloc(bytes);
        float *decoded = malloc(n * sizeof *decoded);
        float *expected = malloc(n * sizeof *expected);
        rp_inputs_values(SEED, RP_TENSOR_V, 0, (int64_t)n, expected);
        for (int threads = 1; threads <= 3; ++threads) {
            omp_set_num_threads(threads);
            rp_inputs_fill(&p, SEED, RP_TENSOR_V, threads == 1 ? stored : again);
            CHECK_TRUE(threads == 1 || memcmp(stored, again, bytes) == 0, name);
        }
        rp_dtype_decode_array(p.dtype, stored, decoded, n);
        CHECK_TRUE(memcmp(decoded, expected, n * sizeof *decoded) == 0, name);
        free(expected);
        free(decoded);
        free(again);
        free(stored);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_elements),        cmocka_unit_test(values_are_symmetric_and_spread),
        cmocka_unit_test(parts_equal_the_whole),  cmocka_unit_test(seeds_and_tensors_differ),
        cmocka_unit_test(first_values_are_known), cmocka_unit_test(fills_every_dtype_exactly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
