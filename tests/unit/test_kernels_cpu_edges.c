/*
 * test_kernels_cpu_edges.c - what people ran into: masks that leak, groups read the wrong way
 * round, alignment of the causal mask, conversions; and what the kernels refuse.
 */
#include "check.h"

#include "attention_call.h"

static const enum rp_dtype dtypes[] = {RP_DTYPE_fp32, RP_DTYPE_fp16, RP_DTYPE_bf16};

/* Keys from `first` on become NaN and their values huge. Rows that do not see them stay the same,
 * bit for bit; the others do not. */
static void check_hidden(const struct rp_point *p, int64_t first)
{
    for (int impl = 0; impl < RP_IMPL_DEFAULT_COUNT; ++impl) {
        struct call c;
        call_begin(&c, p);
        call_launch(&c, (enum rp_impl)impl, 2);
        unsigned char *clean = malloc(c.o.bytes);
        memcpy(clean, c.o.data, c.o.bytes);
        for (int64_t i = 0; i < rp_inputs_count(p, RP_TENSOR_K); ++i) {
            if (i / p->head_dim % p->seq_k < first)
                continue;
            c.values[RP_TENSOR_K][i] = NAN;
            c.values[RP_TENSOR_V][i] = p->dtype == RP_DTYPE_fp16 ? 65504.0f : 1e30f;
        }
        call_pack(&c);
        call_launch(&c, (enum rp_impl)impl, 2);
        size_t row_bytes = (size_t)p->head_dim * (size_t)rp_dtype_info(p->dtype)->storage_bytes;
        for (int64_t row = 0; row < p->batch * p->heads * p->seq_q; ++row) {
            bool sees = p->seq_k - p->seq_q + row % p->seq_q >= first;
            bool same = memcmp(clean + (size_t)row * row_bytes, c.o.data + (size_t)row * row_bytes,
                               row_bytes) == 0;
            if (same == sees)
                fail_msg("%s: query %d, keys from %d spoiled", call_name(&c, (enum rp_impl)impl),
                         (int)(row % p->seq_q), (int)first);
        }
        free(clean);
        call_end(&c);
    }
}

static void check_hidden_all(void)
{
    for (size_t t = 0; t < RP_COUNT(dtypes); ++t) {
        struct rp_point p = {.batch = 2,
                             .heads = 4,
                             .kv_heads = 2,
                             .seq_q = 70,
                             .seq_k = 90,
                             .head_dim = 40,
                             .dtype = dtypes[t],
                             .causal = true};
        for (int64_t first = 21; first < 90; first += 17)
            check_hidden(&p, first);
        p.seq_q = p.seq_k = 300; /* whole blocks of keys are hidden */
        p.batch = 1;
        check_hidden(&p, 100);
        p.seq_q = 4; /* decode in parts, and rows that do not see the last part */
        p.seq_k = 2050;
        check_hidden(&p, 2048);
        check_hidden(&p, 2049);
        p.seq_q = 20; /* stacked heads */
        p.seq_k = 40;
        check_hidden(&p, 30);
    }
}

static void hidden_keys_do_not_leak(void **state)
{
    (void)state;
    for_each_isa(check_hidden_all);
}

/* With one query a bottom-right mask hides nothing. */
static void check_one_query(void)
{
    struct rp_point p = {.batch = 1,
                         .heads = 2,
                         .kv_heads = 2,
                         .seq_q = 1,
                         .seq_k = 2048,
                         .head_dim = 64,
                         .dtype = RP_DTYPE_fp16};
    for (int impl = 0; impl < RP_IMPL_DEFAULT_COUNT; ++impl) {
        struct call c;
        call_begin(&c, &p);
        call_launch(&c, (enum rp_impl)impl, 1);
        unsigned char *plain = malloc(c.o.bytes);
        memcpy(plain, c.o.data, c.o.bytes);
        c.p.causal = true;
        call_launch(&c, (enum rp_impl)impl, 1);
        CHECK_TRUE(memcmp(plain, c.o.data, c.o.bytes) == 0, call_name(&c, (enum rp_impl)impl));
        free(plain);
        call_end(&c);
    }
}

static void one_query_sees_everything(void **state)
{
    (void)state;
    for_each_isa(check_one_query);
}

/* V is constant on each kv head, so the output says which one a query head read. */
static void check_groups(void)
{
    static const int64_t heads[][2] = {{4, 2}, {12, 12}, {32, 8}, {28, 4}, {8, 1}, {71, 1}};
    static const int64_t lengths[] = {1, 10, 60};
    for (size_t i = 0; i < RP_COUNT(heads) * RP_COUNT(lengths); ++i) {
        struct rp_point p = {.batch = 2,
                             .heads = heads[i % RP_COUNT(heads)][0],
                             .kv_heads = heads[i % RP_COUNT(heads)][1],
                             .seq_q = lengths[i / RP_COUNT(heads)],
                             .seq_k = 64,
                             .head_dim = 8,
                             .dtype = dtypes[i % RP_COUNT(dtypes)],
                             .causal = true};
        for (int impl = 0; impl < RP_IMPL_DEFAULT_COUNT; ++impl) {
            struct call c;
            call_begin(&c, &p);
            for (int64_t e = 0; e < rp_inputs_count(&p, RP_TENSOR_V); ++e)
                c.values[RP_TENSOR_V][e] = (float)(e / (p.seq_k * p.head_dim));
            call_pack(&c);
            call_launch(&c, (enum rp_impl)impl, 2);
            size_t n = (size_t)rp_inputs_count(&p, RP_TENSOR_Q);
            float *o = malloc(n * sizeof *o);
            rp_dtype_decode_array(p.dtype, c.o.data, o, n);
            for (size_t e = 0; e < n; ++e) {
                int64_t head = (int64_t)e / (p.seq_q * p.head_dim); /* over batch and heads */
                double expected = (double)(head / (p.heads / p.kv_heads));
                CHECK_NEAR((double)o[e], expected, 1e-5 * expected,
                           call_name(&c, (enum rp_impl)impl));
            }
            free(o);
            call_end(&c);
        }
    }
}

static void query_heads_read_their_own_kv_head(void **state)
{
    (void)state;
    for_each_isa(check_groups);
}

/* All 65,536 patterns one way; the other way every value a rounding could go wrong at. */
static void check_conversions(void)
{
    enum { N = 65536 };
    static const enum rp_dtype halves[] = {RP_DTYPE_fp16, RP_DTYPE_bf16};
    uint16_t *bits = malloc(N * sizeof *bits);
    uint16_t *stored = malloc(N * sizeof *stored);
    float *values = malloc(N * sizeof *values);
    for (size_t t = 0; t < RP_COUNT(halves); ++t) {
        const struct rp_cpu_copy *copy = rp_cpu_isa_copy();
        const char *name = rp_dtype_info(halves[t])->name;
        for (uint32_t i = 0; i < N; ++i)
            bits[i] = (uint16_t)i;
        copy->row_load(halves[t], bits, values, N);
        for (uint32_t i = 0; i < N; ++i) {
            float expected = rp_dtype_decode(halves[t], i);
            CHECK_TRUE(isnan(expected) ? isnan(values[i])
                                       : memcmp(&expected, &values[i], sizeof expected) == 0,
                       name);
        }
        for (int nudge = -2; nudge <= 2; ++nudge) { /* midpoints between neighbours, and beside */
            for (uint32_t i = 0; i < N; ++i) {
                float x = rp_dtype_decode(halves[t], i);
                float y = rp_dtype_decode(halves[t], (i & 0x7FFF) < 0x7FFF ? i + 1 : i);
                values[i] = nudge == -2 ? x : x / 2.0f + y / 2.0f;
                if (nudge == -1 || nudge == 1)
                    values[i] = nextafterf(values[i], nudge < 0 ? -INFINITY : INFINITY);
                if (nudge == 2)
                    values[i] *= 1e-3f;
            }
            for (int64_t part = 0; part < N; part += 1031) /* lengths that end within a vector */
                copy->row_store(halves[t], values + part, stored + part,
                                part + 1031 < N ? 1031 : N - part);
            for (uint32_t i = 0; i < N; ++i) {
                uint32_t expected = rp_dtype_encode(halves[t], values[i]);
                CHECK_TRUE(isnan(values[i]) ? isnan(rp_dtype_decode(halves[t], stored[i]))
                                            : stored[i] == expected,
                           name);
            }
        }
    }
    free(values);
    free(stored);
    free(bits);
}

static void conversions_agree_with_the_codec(void **state)
{
    (void)state;
    for_each_isa(check_conversions);
}

static void refusals_are_sentences(void **state)
{
    (void)state;
    struct rp_device_info device = {.threads = 1};
    struct rp_point p = {.batch = 1,
                         .heads = 1,
                         .kv_heads = 1,
                         .seq_q = 4,
                         .seq_k = 4,
                         .head_dim = 513,
                         .dtype = RP_DTYPE_fp32};
    for (int impl = 0; impl < RP_IMPL_DEFAULT_COUNT; ++impl) {
        const struct rp_kernel *kernel = rp_kernel_find("cpu", (enum rp_impl)impl);
        CHECK_TRUE(kernel && kernel->impl == (enum rp_impl)impl, "table");
        p.head_dim = 513;
        p.dtype = RP_DTYPE_fp32;
        CHECK_STATUS(kernel->supports(&p, &device), RP_ERR_UNSUPPORTED, "head_dim");
        CHECK_CONTAINS(rp_status_message(), "head_dim=513", "head_dim");
        p.head_dim = 512;
        CHECK_OK(kernel->supports(&p, &device), "512");
        p.dtype = RP_DTYPE_tf32;
        CHECK_STATUS(kernel->supports(&p, &device), RP_ERR_UNSUPPORTED, "tf32");
        CHECK_CONTAINS(rp_status_message(), "tf32", "tf32");
    }
    CHECK_TRUE(rp_kernel_find("abacus", RP_IMPL_naive) == NULL, "no such backend");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hidden_keys_do_not_leak),
        cmocka_unit_test(one_query_sees_everything),
        cmocka_unit_test(query_heads_read_their_own_kv_head),
        cmocka_unit_test(conversions_agree_with_the_codec),
        cmocka_unit_test(refusals_are_sentences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
