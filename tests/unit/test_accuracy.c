/*
 * test_accuracy.c - what is right passes, what is wrong fails, in every dtype.
 *
 * Outputs are made here in double precision from the definition, with one deliberate mistake each,
 * and then rounded to the dtype: what a kernel with that bug would give at its very best.
 */
#include "check.h"

#include <stdlib.h>

#include "measure/accuracy.h"
#include "measure/inputs.h"

enum mistake {
    NOTHING,
    MASK_SHIFTED,    /* every query sees one key more (or one less where there is no more) */
    MASK_SHORT,      /* every query but the first sees one key less */
    SCALE_MISSING,   /* scores not divided by sqrt(head_dim) */
    SCALE_OF_PADDED, /* head_dim rounded up to 16 in the scale */
    WRONG_KV_HEAD,   /* h mod G in place of h / (H / G) */
    KEY_DROPPED,     /* key 1 of every row that has it */
    MASK_MISSING,
    MASK_TOP_LEFT
};

struct fixture {
    struct rp_point p;
    float *values[RP_TENSOR_COUNT];
    void *stored[RP_TENSOR_COUNT];
    struct rp_oracle oracle;
    float *output; /* as floats */
    void *o;       /* in the dtype */
    size_t n_output;
};

static void fixture_begin(struct fixture *f, const struct rp_point *p, float q_scale, int64_t rows)
{
    *f = (struct fixture){.p = *p, .n_output = (size_t)rp_inputs_count(p, RP_TENSOR_Q)};
    size_t element = (size_t)rp_dtype_info(p->dtype)->storage_bytes;
    for (int i = 0; i < RP_TENSOR_COUNT; ++i) {
        size_t n = (size_t)rp_inputs_count(p, (enum rp_tensor)i);
        f->values[i] = malloc(n * sizeof(float));
        f->stored[i] = malloc(n * element);
        rp_inputs_values(11, (enum rp_tensor)i, 0, (int64_t)n, f->values[i]);
        for (size_t j = 0; i == RP_TENSOR_Q && j < n; ++j)
            f->values[i][j] *= q_scale;
        rp_dtype_encode_array(p->dtype, f->values[i], f->stored[i], n);
        rp_dtype_decode_array(p->dtype, f->stored[i], f->values[i], n);
    }
    f->output = malloc(f->n_output * sizeof(float));
    f->o = malloc(f->n_output * element);
    CHECK_OK(rp_oracle_create(p, f->stored[0], f->stored[1], f->stored[2], rows, 1, &f->oracle),
             "oracle");
}

static void fixture_end(struct fixture *f)
{
    for (int i = 0; i < RP_TENSOR_COUNT; ++i) {
        free(f->values[i]);
        free(f->stored[i]);
    }
    free(f->output);
    free(f->o);
    rp_oracle_clear(&f->oracle);
}

static int64_t visible_keys(const struct rp_point *p, int64_t query, enum mistake mistake)
{
    int64_t visible = p->causal ? p->seq_k - p->seq_q + query + 1 : p->seq_k;
    if (mistake == MASK_SHIFTED)
        ++visible;
    if (mistake == MASK_SHORT && visible > 1)
        --visible;
    if (mistake == MASK_MISSING)
        visible = p->seq_k;
    if (mistake == MASK_TOP_LEFT)
        visible = query + 1;
    return visible < p->seq_k ? visible : p->seq_k;
}

static double score(const struct fixture *f, const float *q, int64_t key_row, enum mistake mistake)
{
    double width = (double)f->p.head_dim;
    double sum = 0.0;
    for (int64_t d = 0; d < f->p.head_dim; ++d)
        sum += (double)q[d] * (double)f->values[RP_TENSOR_K][key_row * f->p.head_dim + d];
    if (mistake == SCALE_MISSING)
        return sum;
    return sum / sqrt(mistake == SCALE_OF_PADDED ? ceil(width / 16.0) * 16.0 : width);
}

/* Row `row` of (batch * heads * seq_q). */
static void attend(struct fixture *f, int64_t row, enum mistake mistake, double *weights)
{
    const struct rp_point *p = &f->p;
    int64_t head = row / p->seq_q % p->heads;
    int64_t kv_head = mistake == WRONG_KV_HEAD ? head % p->kv_heads : head * p->kv_heads / p->heads;
    int64_t first = (row / p->seq_q / p->heads * p->kv_heads + kv_head) * p->seq_k;
    int64_t visible = visible_keys(p, row % p->seq_q, mistake);
    double largest = -INFINITY;
    double sum = 0.0;
    for (int64_t j = 0; j < visible; ++j) {
        weights[j] = score(f, f->values[RP_TENSOR_Q] + row * p->head_dim, first + j, mistake);
        largest = weights[j] > largest ? weights[j] : largest;
    }
    for (int64_t j = 0; j < visible; ++j) {
        weights[j] = mistake == KEY_DROPPED && j == 1 ? 0.0 : exp(weights[j] - largest);
        sum += weights[j];
    }
    for (int64_t d = 0; d < p->head_dim; ++d) {
        double o = 0.0;
        for (int64_t j = 0; j < visible; ++j)
            o += weights[j] / sum * (double)f->values[RP_TENSOR_V][(first + j) * p->head_dim + d];
        f->output[row * p->head_dim + d] = (float)o;
    }
}

/* The rows the oracle knows; the others are finite and are compared with nothing. */
static void attend_rows(struct fixture *f, enum mistake mistake)
{
    double *weights = malloc((size_t)f->p.seq_k * sizeof *weights);
    memset(f->output, 0, f->n_output * sizeof *f->output);
    for (size_t i = 0; i < f->oracle.n_rows; ++i) {
        const struct rp_oracle_row *row = &f->oracle.rows[i];
        attend(f, (row->batch * f->p.heads + row->head) * f->p.seq_q + row->query, mistake,
               weights);
    }
    free(weights);
}

static struct rp_accuracy check(struct fixture *f)
{
    struct rp_accuracy accuracy;
    rp_dtype_encode_array(f->p.dtype, f->output, f->o, f->n_output);
    rp_accuracy_check(&f->p, &f->oracle, f->o, 0x1p-24, &accuracy);
    return accuracy;
}

static const struct rp_point grouped = {.batch = 2,
                                        .heads = 8,
                                        .kv_heads = 4,
                                        .seq_q = 40,
                                        .seq_k = 40,
                                        .head_dim = 40,
                                        .causal = true};

static void expect(const struct rp_point *shape, enum mistake mistake, bool passes,
                   const char *name)
{
    static const enum rp_dtype dtypes[] = {RP_DTYPE_fp32, RP_DTYPE_fp16, RP_DTYPE_bf16};
    for (size_t i = 0; i < RP_COUNT(dtypes); ++i) {
        struct fixture f;
        struct rp_point p = *shape;
        p.dtype = dtypes[i];
        fixture_begin(&f, &p, 1.0f, 64);
        attend_rows(&f, mistake);
        struct rp_accuracy accuracy = check(&f);
        if (accuracy.passed != passes)
            fail_msg("%s, %s: passed=%d, error %.3g (%s)", name, rp_dtype_info(p.dtype)->name,
                     accuracy.passed, accuracy.error_max_abs, accuracy.reason);
        CHECK_TRUE(accuracy.tolerance > 0.0, name);
        CHECK_TRUE(accuracy.passed == (accuracy.reason[0] == '\0'), name);
        fixture_end(&f);
    }
}

static void right_outputs_pass(void **state)
{
    (void)state;
    expect(&grouped, NOTHING, true, "causal, grouped");
    struct rp_point p = grouped;
    p.causal = false;
    expect(&p, NOTHING, true, "no mask");
    p.seq_q = 1;
    p.seq_k = 3000;
    expect(&p, NOTHING, true, "decode");
}

static void mistakes_fail(void **state)
{
    (void)state;
    expect(&grouped, MASK_SHIFTED, false, "mask shifted by one");
    expect(&grouped, MASK_SHORT, false, "mask one short");
    expect(&grouped, MASK_MISSING, false, "no mask");
    expect(&grouped, SCALE_MISSING, false, "no scale");
    expect(&grouped, SCALE_OF_PADDED, false, "scale of 48 for 40");
    expect(&grouped, WRONG_KV_HEAD, false, "wrong kv head");
    expect(&grouped, KEY_DROPPED, false, "a dropped key");
    struct rp_point p = grouped;
    p.seq_q = 10;
    expect(&p, MASK_TOP_LEFT, false, "top-left mask");
    expect(&p, KEY_DROPPED, false, "a dropped key, chunked");
    p.seq_q = 1;
    p.causal = false;
    p.seq_k = 200;
    expect(&p, SCALE_MISSING, false, "decode without scale");
    expect(&p, WRONG_KV_HEAD, false, "decode on the wrong kv head");
    expect(&p, KEY_DROPPED, false, "decode without a key");
}

/* 1,024 tokens: a shift by one changes most rows by a thousandth; the first row betrays it. */
static void a_shift_shows_in_long_rows_too(void **state)
{
    (void)state;
    struct rp_point p = grouped;
    p.batch = 1;
    p.heads = p.kv_heads = 1;
    p.seq_q = p.seq_k = 1024;
    p.head_dim = 128;
    expect(&p, NOTHING, true, "T=1024");
    expect(&p, MASK_SHIFTED, false, "T=1024, mask shifted");
}

/* Inputs so large that one key takes all, and fp32's errors of a score are large themselves. */
static void large_scores_pass(void **state)
{
    (void)state;
    struct fixture f;
    struct rp_point p = grouped;
    p.dtype = RP_DTYPE_fp32;
    fixture_begin(&f, &p, 4096.0f, 64);
    attend_rows(&f, NOTHING);
    CHECK_TRUE(check(&f).passed, "scores near 1e4");
    attend_rows(&f, WRONG_KV_HEAD);
    CHECK_TRUE(!check(&f).passed, "wrong kv head");
    fixture_end(&f);
}

/* Every place in turn, also in rows the oracle does not know. */
static void anything_not_finite_fails(void **state)
{
    (void)state;
    static const float bad[] = {NAN, -NAN, INFINITY, -INFINITY};
    for (int t = 0; t < RP_DTYPE_COUNT; ++t) {
        struct fixture f;
        struct rp_point p = grouped;
        p.dtype = (enum rp_dtype)t;
        fixture_begin(&f, &p, 1.0f, 4);
        attend_rows(&f, NOTHING);
        CHECK_TRUE(check(&f).passed, "clean");
        for (size_t i = 0; i < f.n_output; i += 997) {
            float kept = f.output[i];
            f.output[i] = bad[i % RP_COUNT(bad)];
            struct rp_accuracy accuracy = check(&f);
            CHECK_TRUE(!accuracy.passed, rp_dtype_info(p.dtype)->name);
            CHECK_TRUE(isinf(accuracy.error_max_abs) && isinf(accuracy.error_rel_l2), "infinity");
            CHECK_CONTAINS(accuracy.reason, "not finite", "reason");
            f.output[i] = kept;
        }
        memset(f.o, 0xFF, f.n_output * (size_t)rp_dtype_info(p.dtype)->storage_bytes);
        struct rp_accuracy accuracy;
        rp_accuracy_check(&p, &f.oracle, f.o, 0x1p-24, &accuracy);
        CHECK_TRUE(!accuracy.passed, "poisoned and never written");
        fixture_end(&f);
    }
}

static void a_single_wrong_value_fails(void **state)
{
    (void)state;
    struct fixture f;
    struct rp_point p = grouped;
    p.dtype = RP_DTYPE_bf16;
    fixture_begin(&f, &p, 1.0f, 64);
    attend_rows(&f, NOTHING);
    const struct rp_oracle_row *row = &f.oracle.rows[17];
    int64_t i = ((row->batch * p.heads + row->head) * p.seq_q + row->query) * p.head_dim + 39;
    f.output[i] += 0.05f;
    struct rp_accuracy accuracy = check(&f);
    char place[64];
    snprintf(place, sizeof place, "o[%" PRId64 ",%" PRId64 ",%" PRId64 ",39]", row->batch,
             row->head, row->query);
    CHECK_TRUE(!accuracy.passed, "0.05 in one element");
    CHECK_CONTAINS(accuracy.reason, place, "which element");
    CHECK_NEAR(accuracy.error_max_abs, 0.05, 0.01, "how far");
    CHECK_TRUE(accuracy.error_max_abs > accuracy.tolerance, "beyond the tolerance it names");
    fixture_end(&f);
}

/* Probabilities rounded to the dtype cost accuracy, and only then is it granted. */
static void rounded_probabilities_are_granted(void **state)
{
    (void)state;
    struct fixture f;
    struct rp_accuracy accuracy;
    struct rp_point p = grouped;
    p.dtype = RP_DTYPE_fp32;
    fixture_begin(&f, &p, 1.0f, 64);
    attend_rows(&f, NOTHING);
    for (size_t i = 0; i < f.n_output; ++i)
        f.output[i] += 1e-4f;
    rp_dtype_encode_array(p.dtype, f.output, f.o, f.n_output);
    rp_accuracy_check(&p, &f.oracle, f.o, 0x1p-24, &accuracy);
    CHECK_TRUE(!accuracy.passed, "fp32 probabilities");
    rp_accuracy_check(&p, &f.oracle, f.o, 0x1p-11, &accuracy);
    CHECK_TRUE(accuracy.passed, "fp16 probabilities");
    fixture_end(&f);
}

static void differences_see_everything(void **state)
{
    (void)state;
    float a[5] = {1, 2, 3, 4, 5};
    float b[5] = {1, 2, 3.5f, 4, 5};
    uint16_t half_a[5];
    uint16_t half_b[5];
    CHECK_NEAR(rp_accuracy_difference(RP_DTYPE_fp32, a, b, 5), 0.5, 0.0, "fp32");
    CHECK_NEAR(rp_accuracy_difference(RP_DTYPE_fp32, a, b, 2), 0.0, 0.0, "the same");
    rp_dtype_encode_array(RP_DTYPE_fp16, a, half_a, 5);
    rp_dtype_encode_array(RP_DTYPE_fp16, b, half_b, 5);
    CHECK_NEAR(rp_accuracy_difference(RP_DTYPE_fp16, half_a, half_b, 5), 0.5, 0.0, "fp16");
    a[4] = NAN;
    CHECK_TRUE(isinf(rp_accuracy_difference(RP_DTYPE_fp32, a, b, 5)), "NaN left");
    CHECK_TRUE(isinf(rp_accuracy_difference(RP_DTYPE_fp32, b, a, 5)), "NaN right");
    b[4] = NAN;
    CHECK_TRUE(isinf(rp_accuracy_difference(RP_DTYPE_fp32, a, b, 5)), "NaN in both");
    a[4] = b[4] = INFINITY;
    CHECK_TRUE(isinf(rp_accuracy_difference(RP_DTYPE_fp32, a, b, 5)), "infinity in both");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_outputs_pass),
        cmocka_unit_test(mistakes_fail),
        cmocka_unit_test(a_shift_shows_in_long_rows_too),
        cmocka_unit_test(large_scores_pass),
        cmocka_unit_test(anything_not_finite_fails),
        cmocka_unit_test(a_single_wrong_value_fails),
        cmocka_unit_test(rounded_probabilities_are_granted),
        cmocka_unit_test(differences_see_everything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
