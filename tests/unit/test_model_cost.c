/* test_model_cost.c - counts on paper; every expected number can be checked by hand. */
#include "check.h"

#include "model/cost.h"

static struct rp_point shape(int64_t heads, int64_t kv_heads, int64_t seq_q, int64_t seq_k,
                             bool causal)
{
    return (struct rp_point){.stage = seq_q == 1 ? RP_STAGE_DECODE : RP_STAGE_PREFILL,
                             .batch = 1,
                             .heads = heads,
                             .kv_heads = kv_heads,
                             .seq_q = seq_q,
                             .seq_k = seq_k,
                             .head_dim = 128,
                             .dtype = RP_DTYPE_fp16,
                             .causal = causal};
}

static struct rp_cost cost_of(const struct rp_point *p, const char *name)
{
    struct rp_cost cost;
    CHECK_OK(rp_cost_of(p, &cost), name);
    return cost;
}

static void test_pairs(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int64_t seq_q, seq_k;
        bool causal;
        int64_t pairs;
    } cases[] = {
        {"chunked prefill", 2, 5, true, 9},        /* 4 + 5 */
        {"prefill is a triangle", 5, 5, true, 15}, /* 1 + 2 + 3 + 4 + 5 */
        {"decode sees the whole cache", 1, 7, true, 7},
        {"no mask is a rectangle", 4, 4, false, 16},
        {"more queries than keys", 64, 50, false, 3200},
        {"the longest", 16777216, 16777216, true, 140737496743936}, /* n (n + 1) / 2, n = 2^24 */
    };
    for (size_t i = 0; i < RP_COUNT(cases); ++i) {
        struct rp_point p = shape(1, 1, cases[i].seq_q, cases[i].seq_k, cases[i].causal);
        CHECK_EQ_I64(cost_of(&p, cases[i].name).pairs, cases[i].pairs, cases[i].name);
    }
}

/* flops_dense / bytes_min and flops / bytes_min, fp16, head_dim 128. */
static void test_intensities(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int64_t heads, kv_heads, seq_q, seq_k;
        bool causal;
        double dense, visible, tolerance;
    } cases[] = {
        {"T=64", 32, 32, 64, 64, false, 32, 32, 0},
        {"T=256", 32, 32, 256, 256, false, 128, 128, 0},
        {"T=1024", 32, 32, 1024, 1024, false, 512, 512, 0},
        {"T=4096", 32, 32, 4096, 4096, false, 2048, 2048, 0},
        {"T=1024 causal", 32, 32, 1024, 1024, true, 512, 256.25, 0},
        {"T=512 causal", 32, 32, 512, 512, true, 256, 128.25, 0},
        {"decode", 8, 8, 1, 2048, false, 0.9995, 0.9995, 5e-5},
        {"decode, grouped", 32, 8, 1, 2048, false, 3.992, 3.992, 5e-4},
    };
    for (size_t i = 0; i < RP_COUNT(cases); ++i) {
        struct rp_point p = shape(cases[i].heads, cases[i].kv_heads, cases[i].seq_q, cases[i].seq_k,
                                  cases[i].causal);
        struct rp_cost cost = cost_of(&p, cases[i].name);
        CHECK_NEAR(rp_cost_intensity(cost.flops_dense, cost.bytes_min), cases[i].dense,
                   cases[i].tolerance, cases[i].name);
        CHECK_NEAR(rp_cost_intensity(cost.flops, cost.bytes_min), cases[i].visible,
                   cases[i].tolerance, cases[i].name);
    }
}

static void test_counts(void **state)
{
    (void)state;
    struct rp_point p = shape(32, 8, 256, 1024, true);
    p.batch = 3;
    struct rp_cost cost = cost_of(&p, "chunked, grouped");
    /* pairs = 256 * 1024 - 256 * 255 / 2; bytes = 2 * 128 * 3 * (2 * 32 * 256 + 2 * 8 * 1024) */
    CHECK_EQ_I64(cost.pairs, 229504, "pairs");
    CHECK_EQ_I64(cost.flops, 4LL * 3 * 32 * 128 * 229504, "flops");
    CHECK_EQ_I64(cost.flops_dense, 12884901888, "flops_dense");
    CHECK_EQ_I64(cost.bytes_min, 25165824, "bytes_min");
    p.dtype = RP_DTYPE_tf32; /* stored in four bytes */
    CHECK_EQ_I64(cost_of(&p, "tf32").bytes_min, 2 * 25165824, "bytes_min of tf32");
}

/* With fp16 scores and probabilities each written and read once: 4 * 2 * B * H * T^2 bytes more. */
static void test_scores_in_memory(void **state)
{
    (void)state;
    struct rp_point p = shape(32, 32, 1024, 1024, false);
    struct rp_cost cost = cost_of(&p, "T=1024");
    int64_t scores = 4 * 2 * p.heads * p.seq_q * p.seq_k;
    CHECK_NEAR(rp_cost_intensity(cost.flops_dense, cost.bytes_min + scores), 56.9, 0.05, "T=1024");
    p = shape(32, 32, 16777216, 16777216, false);
    cost = cost_of(&p, "T=2^24");
    scores = 4 * 2 * p.heads * p.seq_q * p.seq_k;
    CHECK_NEAR(rp_cost_intensity(cost.flops_dense, cost.bytes_min + scores), 64.0, 0.01,
               "the limit is D / 2");
}

/* Grouped queries read a quarter of the keys and values. */
static void test_grouped_decode(void **state)
{
    (void)state;
    struct rp_point grouped = shape(32, 8, 1, 1048576, false);
    struct rp_point full = shape(32, 32, 1, 1048576, false);
    struct rp_cost a = cost_of(&grouped, "H=32 G=8");
    struct rp_cost b = cost_of(&full, "H=G=32");
    CHECK_NEAR(rp_cost_intensity(a.flops, a.bytes_min) / rp_cost_intensity(b.flops, b.bytes_min),
               4.0, 1e-4, "4 times the intensity");
}

static void test_overflow(void **state)
{
    (void)state;
    struct rp_point p = shape(128, 128, 1048576, 1048576, false);
    struct rp_cost cost;
    p.batch = 256; /* 4 * 2^8 * 2^7 * 2^40 * 2^7 = 2^64 */
    CHECK_STATUS(rp_cost_of(&p, &cost), RP_ERR_CONFIG, "2^64 FLOP");
    CHECK_CONTAINS(rp_status_message(), "does not fit 64 bits", "2^64 FLOP");
    p.batch = 64; /* 2^62 */
    CHECK_EQ_I64(cost_of(&p, "2^62 FLOP").flops, (int64_t)1 << 62, "2^62 FLOP");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairs),          cmocka_unit_test(test_intensities),
        cmocka_unit_test(test_counts),         cmocka_unit_test(test_scores_in_memory),
        cmocka_unit_test(test_grouped_decode), cmocka_unit_test(test_overflow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
