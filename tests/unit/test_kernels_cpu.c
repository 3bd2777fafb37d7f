/*
 * test_kernels_cpu.c - every implementation, on every instruction set that runs here, in every
 * dtype, against the double-precision oracle on all rows; no byte beyond a buffer; the same bits
 * from any number of threads.
 */
#include "check.h"

#include "attention_call.h"

static const enum rp_dtype dtypes[] = {RP_DTYPE_fp32, RP_DTYPE_fp16, RP_DTYPE_bf16};

struct shape {
    int64_t batch, heads, kv_heads, seq_q, seq_k, head_dim;
    bool causal;
    float q_scale; /* 0: 1 */
};

static const struct shape shapes[] = {
    /* lengths around every block size, with and without a mask */
    {1, 2, 2, 1, 1, 16, true, 0},
    {1, 2, 2, 15, 15, 16, true, 0},
    {1, 2, 2, 16, 16, 16, true, 0},
    {2, 2, 1, 17, 17, 32, true, 0},
    {1, 1, 1, 127, 127, 64, true, 0},
    {1, 1, 1, 128, 128, 64, false, 0},
    {1, 1, 1, 129, 129, 64, true, 0},
    {1, 2, 1, 192, 192, 32, true, 0},
    {1, 1, 1, 300, 600, 32, true, 0},
    {2, 2, 2, 63, 64, 24, false, 0},
    {2, 2, 2, 63, 64, 24, true, 0},
    {1, 2, 2, 64, 50, 24, false, 0},
    {1, 3, 3, 77, 100, 20, true, 0},
    {1, 1, 1, 96, 257, 16, true, 0},
    {1, 1, 1, 48, 300, 16, true, 0},
    {1, 1, 1, 49, 300, 16, true, 0},
    /* widths */
    {1, 2, 2, 33, 33, 1, true, 0},
    {1, 2, 1, 33, 33, 7, true, 0},
    {1, 2, 2, 33, 33, 40, true, 0},
    {1, 1, 1, 33, 33, 80, false, 0},
    {1, 1, 1, 33, 33, 96, true, 0},
    {1, 1, 1, 33, 33, 224, true, 0},
    {1, 1, 1, 33, 33, 257, false, 0},
    {1, 1, 1, 50, 50, 512, true, 0},
    /* groups */
    {2, 4, 2, 20, 20, 16, true, 0},
    {1, 12, 12, 9, 9, 16, true, 0},
    {1, 32, 8, 10, 13, 16, true, 0},
    {1, 28, 4, 7, 7, 16, false, 0},
    {1, 8, 1, 21, 33, 16, true, 0},
    {1, 4, 2, 100, 100, 16, true, 0},
    /* decode: one row and several, one part of the keys and several, parts that a row cannot see */
    {3, 4, 4, 1, 33, 64, false, 0},
    {1, 8, 1, 1, 2048, 40, false, 0},
    {1, 4, 2, 1, 2049, 128, true, 0},
    {2, 2, 1, 4, 2050, 7, true, 0},
    {1, 2, 1, 3, 4100, 16, true, 0},
    {1, 1, 1, 1, 16384, 64, false, 0},
    {1, 71, 1, 1, 100, 64, false, 0},
    {1, 9, 1, 1, 300, 1, false, 0},
    /* decode, 5 to 8 rows: blocks of keys, some not whole, of each kind of width; 3 rows; 1 row */
    {1, 8, 1, 1, 2051, 64, false, 0},
    {2, 10, 2, 1, 70, 128, false, 0},
    {1, 7, 1, 1, 9, 72, false, 0},
    {1, 6, 1, 1, 35, 36, false, 0},
    {1, 8, 1, 1, 3, 512, false, 0},
    {1, 3, 1, 1, 50, 64, false, 0},
    {1, 8, 1, 1, 600, 8, false, 0},
    {1, 3, 1, 1, 600, 8, false, 0},
    {1, 3, 1, 1, 100, 128, false, 0},
    {1, 3, 1, 1, 200, 40, false, 0},
    {1, 2, 2, 1, 39, 144, false, 0},
    {1, 2, 2, 1, 39, 257, false, 0},
    {1, 2, 1, 1, 39, 20, false, 0},
    {1, 1, 1, 1, 39, 20, false, 0},
    /* long sums, large scores: 151, 1e4 and beyond, of both signs */
    {1, 1, 1, 9, 16384, 16, true, 0},
    {1, 2, 2, 60, 60, 64, true, 32.0f},
    {1, 2, 2, 60, 60, 64, true, 2048.0f},
    {1, 2, 1, 1, 3000, 64, false, 2048.0f},
};

static struct rp_point point_of(const struct shape *s, enum rp_dtype dtype)
{
    return (struct rp_point){
        .stage = s->seq_q == 1 ? RP_STAGE_DECODE : RP_STAGE_PREFILL,
        .batch = s->batch,
        .heads = s->heads,
        .kv_heads = s->kv_heads,
        .seq_q = s->seq_q,
        .seq_k = s->seq_k,
        .head_dim = s->head_dim,
        .dtype = dtype,
        .causal = s->causal,
    };
}

static void begin_shape(struct call *c, const struct shape *s, enum rp_dtype dtype)
{
    struct rp_point p = point_of(s, dtype);
    call_begin(c, &p);
    for (int64_t i = 0; s->q_scale != 0.0f && i < rp_inputs_count(&p, RP_TENSOR_Q); ++i)
        c->values[RP_TENSOR_Q][i] *= s->q_scale;
    call_pack(c);
}

static void check_shape(const struct shape *s, enum rp_dtype dtype)
{
    struct call c;
    struct rp_oracle oracle;
    begin_shape(&c, s, dtype);
    call_oracle(&c, INT64_MAX, &oracle);
    for (int isa = 0; isa < RP_CPU_ISA_COUNT; ++isa) {
        if (!rp_cpu_isa_runs((enum rp_cpu_isa)isa))
            continue;
        CHECK_OK(rp_cpu_isa_select((enum rp_cpu_isa)isa), "select");
        for (int impl = 0; impl < RP_IMPL_DEFAULT_COUNT; ++impl) {
            call_launch(&c, (enum rp_impl)impl, 2);
            call_check(&c, (enum rp_impl)impl, &oracle);
        }
    }
    rp_oracle_clear(&oracle);
    call_end(&c);
}

static void equals_the_oracle(void **state)
{
    (void)state;
    for (size_t i = 0; i < RP_COUNT(shapes); ++i) {
        for (size_t t = 0; t < RP_COUNT(dtypes); ++t)
            check_shape(&shapes[i], dtypes[t]);
    }
}

/* The same bits from 1, 2 and 3 threads. */
static void check_threads(void)
{
    for (size_t i = 0; i < RP_COUNT(shapes); ++i) {
        struct call c;
        begin_shape(&c, &shapes[i], dtypes[i % RP_COUNT(dtypes)]);
        unsigned char *one = malloc(c.o.bytes);
        for (int impl = 0; impl < RP_IMPL_DEFAULT_COUNT; ++impl) {
            for (int threads = 1; threads <= 3; ++threads) {
                call_launch(&c, (enum rp_impl)impl, threads);
                if (threads == 1)
                    memcpy(one, c.o.data, c.o.bytes);
                else if (memcmp(one, c.o.data, c.o.bytes) != 0)
                    fail_msg("%s: %d threads differ from one", call_name(&c, (enum rp_impl)impl),
                             threads);
            }
        }
        free(one);
        call_end(&c);
    }
}

static void threads_do_not_change_a_bit(void **state)
{
    (void)state;
    for_each_isa(check_threads);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_the_oracle),
        cmocka_unit_test(threads_do_not_change_a_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
