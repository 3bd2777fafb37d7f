/* test_oracle.c - the oracle on inputs whose attention is known without computing it. */
#include "check.h"

#include <omp.h>
#include <stdlib.h>

#include "measure/inputs.h"
#include "measure/oracle.h"

/* A point with its host tensors in its dtype. */
struct tensors {
    struct rp_point p;
    float *values[RP_TENSOR_COUNT]; /* as floats, to be changed by a test before pack() */
    void *stored[RP_TENSOR_COUNT];
};

static void begin(struct tensors *t, const struct rp_point *p)
{
    t->p = *p;
    for (int i = 0; i < RP_TENSOR_COUNT; ++i) {
        size_t n = (size_t)rp_inputs_count(p, (enum rp_tensor)i);
        t->values[i] = malloc(n * sizeof(float));
        t->stored[i] = malloc(n * (size_t)rp_dtype_info(p->dtype)->storage_bytes);
        rp_inputs_values(3, (enum rp_tensor)i, 0, (int64_t)n, t->values[i]);
    }
}

static void pack(struct tensors *t)
{
    for (int i = 0; i < RP_TENSOR_COUNT; ++i)
        rp_dtype_encode_array(t->p.dtype, t->values[i], t->stored[i],
                              (size_t)rp_inputs_count(&t->p, (enum rp_tensor)i));
}

static void end(struct tensors *t)
{
    for (int i = 0; i < RP_TENSOR_COUNT; ++i) {
        free(t->values[i]);
        free(t->stored[i]);
    }
}

static void create(struct tensors *t, int64_t rows, int64_t seed, struct rp_oracle *oracle)
{
    pack(t);
    CHECK_OK(rp_oracle_create(&t->p, t->stored[RP_TENSOR_Q], t->stored[RP_TENSOR_K],
                              t->stored[RP_TENSOR_V], rows, seed, oracle),
             "oracle");
}

/* Q of zeros: every visible key weighs the same, so a row is the mean of the visible values. */
static void equal_scores_give_the_mean(void **state)
{
    (void)state;
    struct rp_point p = {.batch = 2,
                         .heads = 4,
                         .kv_heads = 2,
                         .seq_q = 3,
                         .seq_k = 7,
                         .head_dim = 5,
                         .dtype = RP_DTYPE_fp32,
                         .causal = true};
    struct tensors t;
    struct rp_oracle oracle;
    begin(&t, &p);
    memset(t.values[RP_TENSOR_Q], 0, sizeof(float) * (size_t)rp_inputs_count(&p, RP_TENSOR_Q));
    create(&t, 1000, 1, &oracle);
    CHECK_EQ_I64((int64_t)oracle.n_rows, 2 * 4 * 3, "all rows when more are asked for");
    for (size_t i = 0; i < oracle.n_rows; ++i) {
        const struct rp_oracle_row *row = &oracle.rows[i];
        int64_t visible = 7 - 3 + row->query + 1; /* bottom-right: 5, 6, 7 */
        int64_t kv_head = row->batch * 2 + row->head / 2;
        for (int64_t d = 0; d < 5; ++d) {
            double mean = 0.0;
            for (int64_t j = 0; j < visible; ++j)
                mean += (double)t.values[RP_TENSOR_V][(kv_head * 7 + j) * 5 + d];
            CHECK_NEAR(oracle.outputs[i * 5 + (size_t)d], mean / (double)visible, 1e-14, "mean");
        }
        CHECK_NEAR(row->score_magnitude, 0.0, 0.0, "magnitude of no scores");
    }
    rp_oracle_clear(&oracle);
    end(&t);
}

/* D = 4, q = (1, 0, 0, 0), k_0 = (2 ln 3, ...), k_1 = 0: scores ln 3 and 0, so 3/4 and 1/4. */
static void two_keys_by_hand(void **state)
{
    (void)state;
    struct rp_point p = {.batch = 1,
                         .heads = 1,
                         .kv_heads = 1,
                         .seq_q = 1,
                         .seq_k = 2,
                         .head_dim = 4,
                         .dtype = RP_DTYPE_fp32};
    struct tensors t;
    struct rp_oracle oracle;
    begin(&t, &p);
    memcpy(t.values[RP_TENSOR_Q], (float[]){1, 0, 0, 0}, 4 * sizeof(float));
    memcpy(t.values[RP_TENSOR_K], (float[]){2.1972246f, 5, 6, 7, 0, 1, 2, 3}, 8 * sizeof(float));
    memcpy(t.values[RP_TENSOR_V], (float[]){4, 8, 0, -8, 8, 0, 4, 8}, 8 * sizeof(float));
    create(&t, 64, 0, &oracle);
    CHECK_NEAR(oracle.outputs[0], 5.0, 1e-6, "3/4 of 4 and 1/4 of 8");
    CHECK_NEAR(oracle.outputs[1], 6.0, 1e-6, "3/4 of 8");
    CHECK_NEAR(oracle.outputs[2], 1.0, 1e-6, "1/4 of 4");
    CHECK_NEAR(oracle.outputs[3], -4.0, 1e-6, "-6 + 2");
    CHECK_NEAR(oracle.rows[0].score_magnitude, 2.1972246 / 2.0, 1e-7, "largest score magnitude");
    CHECK_NEAR(oracle.rows[0].value_magnitude, 8.0, 0.0, "largest value");
    rp_oracle_clear(&oracle);
    end(&t);
}

static void hidden_keys_do_not_matter(void **state)
{
    (void)state;
    struct rp_point p = {.batch = 1,
                         .heads = 2,
                         .kv_heads = 1,
                         .seq_q = 4,
                         .seq_k = 6,
                         .head_dim = 8,
                         .dtype = RP_DTYPE_fp32,
                         .causal = true};
    struct tensors t;
    struct rp_oracle clean;
    struct rp_oracle spoiled;
    begin(&t, &p);
    create(&t, 8, 5, &clean);
    for (int d = 0; d < 8; ++d) { /* key 5 is seen by query 3 only */
        t.values[RP_TENSOR_K][5 * 8 + d] = NAN;
        t.values[RP_TENSOR_V][5 * 8 + d] = 1e30f;
    }
    create(&t, 8, 5, &spoiled);
    for (size_t i = 0; i < clean.n_rows; ++i) {
        bool same = memcmp(clean.outputs + i * 8, spoiled.outputs + i * 8, 8 * sizeof(double)) == 0;
        CHECK_TRUE(same == (clean.rows[i].query < 3), "only the last query sees key 5");
        CHECK_TRUE(clean.rows[i].query == 3 || spoiled.rows[i].value_magnitude < 2.0, "magnitude");
    }
    rp_oracle_clear(&clean);
    rp_oracle_clear(&spoiled);
    end(&t);
}

static int64_t row_index(const struct rp_point *p, const struct rp_oracle_row *row)
{
    return (row->batch * p->heads + row->head) * p->seq_q + row->query;
}

static void check_rows(const struct rp_point *p, int64_t asked, int64_t seed)
{
    struct tensors t;
    struct rp_oracle oracle;
    int64_t all = p->batch * p->heads * p->seq_q;
    bool first = false;
    bool last = false;
    int64_t heads_seen = 0;
    char *seen = calloc((size_t)all, 1);
    char *head_seen = calloc((size_t)(p->batch * p->heads), 1);
    begin(&t, p);
    create(&t, asked, seed, &oracle);
    CHECK_EQ_I64((int64_t)oracle.n_rows, asked < all ? asked : all, "rows");
    for (size_t i = 0; i < oracle.n_rows; ++i) {
        const struct rp_oracle_row *row = &oracle.rows[i];
        int64_t index = row_index(p, row);
        CHECK_TRUE(row->batch >= 0 && row->batch < p->batch && row->head >= 0 &&
                       row->head < p->heads && row->query >= 0 && row->query < p->seq_q,
                   "inside");
        CHECK_TRUE(!seen[index], "no row twice");
        seen[index] = 1;
        heads_seen += !head_seen[row->batch * p->heads + row->head];
        head_seen[row->batch * p->heads + row->head] = 1;
        first = first || row->query == 0;
        last = last || row->query == p->seq_q - 1;
    }
    int64_t pairs = p->batch * p->heads;
    CHECK_TRUE(first && last, "first and last query of a head");
    CHECK_EQ_I64(heads_seen, pairs < asked ? pairs : asked, "spread over heads and batch");
    rp_oracle_clear(&oracle);
    end(&t);
    free(head_seen);
    free(seen);
}

static void rows_are_spread(void **state)
{
    (void)state;
    static const int64_t asked[] = {2, 5, 12, 13, 64, 480, 481};
    struct rp_point p = {.batch = 3,
                         .heads = 4,
                         .kv_heads = 2,
                         .seq_q = 40,
                         .seq_k = 40,
                         .head_dim = 2,
                         .dtype = RP_DTYPE_fp16,
                         .causal = true};
    for (size_t i = 0; i < RP_COUNT(asked); ++i) {
        for (int64_t seed = 0; seed < 4; ++seed)
            check_rows(&p, asked[i], seed);
    }
    p.seq_q = 1;
    check_rows(&p, 12, 0);
    p.batch = p.heads = p.kv_heads = 1;
    check_rows(&p, 64, 0);
}

static void seeds_draw_other_rows_and_threads_do_not(void **state)
{
    (void)state;
    struct rp_point p = {.batch = 1,
                         .heads = 2,
                         .kv_heads = 2,
                         .seq_q = 100,
                         .seq_k = 100,
                         .head_dim = 24,
                         .dtype = RP_DTYPE_bf16,
                         .causal = true};
    struct tensors t;
    struct rp_oracle a;
    struct rp_oracle b;
    begin(&t, &p);
    omp_set_num_threads(1);
    create(&t, 16, 1, &a);
    omp_set_num_threads(3);
    create(&t, 16, 1, &b);
    CHECK_TRUE(memcmp(a.rows, b.rows, 16 * sizeof *a.rows) == 0, "rows, 1 and 3 threads");
    CHECK_TRUE(memcmp(a.outputs, b.outputs, 16 * 24 * sizeof *a.outputs) == 0, "outputs");
    rp_oracle_clear(&b);
    create(&t, 16, 2, &b);
    bool differs = false;
    for (int i = 0; i < 16; ++i)
        differs = differs || row_index(&p, &a.rows[i]) != row_index(&p, &b.rows[i]);
    CHECK_TRUE(differs, "another seed");
    rp_oracle_clear(&a);
    rp_oracle_clear(&b);
    end(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_scores_give_the_mean),
        cmocka_unit_test(two_keys_by_hand),
        cmocka_unit_test(hidden_keys_do_not_matter),
        cmocka_unit_test(rows_are_spread),
        cmocka_unit_test(seeds_draw_other_rows_and_threads_do_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
