/*
 * test_golden.c - every implementation, dtype and instruction set against outputs of PyTorch's
 * scaled_dot_product_attention (attention.golden; its format: make_golden.py).
 */
#include "check.h"

#include "attention_call.h"

#define GOLDEN "tests/golden/attention.golden"

static const enum rp_dtype dtypes[] = {RP_DTYPE_fp32, RP_DTYPE_fp16, RP_DTYPE_bf16};

struct golden {
    char name[32];
    struct rp_point p;
    float q_scale;
    int8_t *n[RP_TENSOR_COUNT];
    float *o;
};

enum { CASES_MAX = 32 };
static struct golden cases[CASES_MAX];
static size_t n_cases;

static void read_case_line(const char *line)
{
    struct golden *g = &cases[n_cases];
    int causal = 0;
    CHECK_TRUE(n_cases < CASES_MAX, line);
    int fields = sscanf(
        line, "%31s %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %d %f",
        g->name, &g->p.batch, &g->p.heads, &g->p.kv_heads, &g->p.seq_q, &g->p.seq_k, &g->p.head_dim,
        &causal, &g->q_scale);
    CHECK_EQ_I64(fields, 9, line);
    g->p.causal = causal != 0;
    g->p.stage = g->p.seq_q == 1 ? RP_STAGE_DECODE : RP_STAGE_PREFILL;
    CHECK_OK(rp_point_validate(&g->p), line);
    ++n_cases;
}

static void *read_array(FILE *file, size_t n, size_t element_bytes, const char *name)
{
    void *values = malloc(n * element_bytes);
    CHECK_TRUE(fread(values, element_bytes, n, file) == n, name);
    return values;
}

static int setup(void **state)
{
    (void)state;
    char line[256];
    FILE *file = fopen(GOLDEN, "rb");
    CHECK_TRUE(file != NULL, GOLDEN);
    while (fgets(line, sizeof line, file) && strcmp(line, "end\n") != 0)
        read_case_line(line);
    for (size_t i = 0; i < n_cases; ++i) {
        struct golden *g = &cases[i];
        for (int t = 0; t < RP_TENSOR_COUNT; ++t)
            g->n[t] =
                read_array(file, (size_t)rp_inputs_count(&g->p, (enum rp_tensor)t), 1, g->name);
        g->o = read_array(file, (size_t)rp_inputs_count(&g->p, RP_TENSOR_Q), 4, g->name);
    }
    CHECK_TRUE(fgetc(file) == EOF, "nothing after the last case");
    fclose(file);
    CHECK_TRUE(n_cases >= 10, "cases");
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    for (size_t i = 0; i < n_cases; ++i) {
        for (int t = 0; t < RP_TENSOR_COUNT; ++t)
            free(cases[i].n[t]);
        free(cases[i].o);
    }
    return 0;
}

static void begin_case(struct call *c, const struct golden *g, enum rp_dtype dtype)
{
    struct rp_point p = g->p;
    p.dtype = dtype;
    call_begin(c, &p);
    for (int t = 0; t < RP_TENSOR_COUNT; ++t) {
        float unit = (t == RP_TENSOR_Q ? g->q_scale : 1.0f) / 64.0f;
        for (int64_t i = 0; i < rp_inputs_count(&p, (enum rp_tensor)t); ++i)
            c->values[t][i] = (float)g->n[t][i] * unit;
    }
    call_pack(c);
}

/* The oracle's rows, all of them in order, with PyTorch's outputs in place of its own. Its own
 * must agree first: two authors, one answer. */
static void adopt_outputs(struct rp_oracle *oracle, const struct golden *g)
{
    const struct rp_point *p = &g->p;
    for (size_t i = 0; i < oracle->n_rows; ++i) {
        const struct rp_oracle_row *row = &oracle->rows[i];
        const float *o =
            g->o + ((row->batch * p->heads + row->head) * p->seq_q + row->query) * p->head_dim;
        double *own = oracle->outputs + i * (size_t)p->head_dim;
        for (int64_t d = 0; d < p->head_dim; ++d) {
            CHECK_NEAR(own[d], (double)o[d], 0x1p-23 * fabs((double)o[d]) + 1e-12, g->name);
            own[d] = (double)o[d];
        }
    }
}

static void check_case(const struct golden *g, enum rp_dtype dtype)
{
    struct call c;
    struct rp_oracle oracle;
    begin_case(&c, g, dtype);
    call_oracle(&c, INT64_MAX, &oracle);
    adopt_outputs(&oracle, g);
    for (int impl = 0; impl < RP_IMPL_DEFAULT_COUNT; ++impl) {
        call_launch(&c, (enum rp_impl)impl, 2);
        call_check(&c, (enum rp_impl)impl, &oracle);
    }
    rp_oracle_clear(&oracle);
    call_end(&c);
}

static void check_all(void)
{
    for (size_t i = 0; i < n_cases; ++i) {
        for (size_t t = 0; t < RP_COUNT(dtypes); ++t)
            check_case(&cases[i], dtypes[t]);
    }
}

static void kernels_equal_pytorch(void **state)
{
    (void)state;
    for_each_isa(check_all);
}

/* The notebook's own check: below 1e-3 on its shape, fp32. */
static void notebook_shape_is_close(void **state)
{
    (void)state;
    CHECK_EQ_TEXT(cases[0].name, "notebook", "first case");
    for (int impl = 0; impl < RP_IMPL_DEFAULT_COUNT; ++impl) {
        struct call c;
        begin_case(&c, &cases[0], RP_DTYPE_fp32);
        call_launch(&c, (enum rp_impl)impl, 1);
        double difference = rp_accuracy_difference(RP_DTYPE_fp32, c.o.data, cases[0].o,
                                                   rp_inputs_count(&c.p, RP_TENSOR_Q));
        CHECK_TRUE(difference < 1e-5, call_name(&c, (enum rp_impl)impl));
        call_end(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_equal_pytorch),
        cmocka_unit_test(notebook_shape_is_close),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
