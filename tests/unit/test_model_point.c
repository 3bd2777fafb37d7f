/* test_model_point.c - a point's limits, its canonical text and its id. */
#include "check.h"

#include "base/digest.h"
#include "model/axis.h"
#include "model/point.h"

static const struct rp_point prefill = {.stage = RP_STAGE_PREFILL,
                                        .batch = 1,
                                        .heads = 32,
                                        .kv_heads = 32,
                                        .seq_q = 1024,
                                        .seq_k = 1024,
                                        .head_dim = 128,
                                        .dtype = RP_DTYPE_fp16,
                                        .causal = false};

/* The digests of the empty text and of "abc" from FIPS 180-4. */
static void test_digest(void **state)
{
    (void)state;
    char hex[RP_DIGEST_HEX_SIZE];
    CHECK_OK(rp_digest_of("", 0, hex), "empty");
    CHECK_EQ_TEXT(hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", "empty");
    CHECK_OK(rp_digest_of("abc", 3, hex), "abc");
    CHECK_EQ_TEXT(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", "abc");
    struct rp_digest *digest = rp_digest_create();
    rp_digest_add(digest, "a", 1);
    rp_digest_add(digest, "bc", 2);
    CHECK_OK(rp_digest_end(digest, hex), "in pieces");
    CHECK_EQ_TEXT(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
                  "in pieces");
    rp_digest_destroy(digest);
}

/* Each id: printf %s TEXT | sha256sum | cut -c 1-16. They must never change. */
static void test_identity(void **state)
{
    (void)state;
    struct rp_point decode = prefill;
    decode.stage = RP_STAGE_DECODE;
    decode.kv_heads = 8;
    decode.seq_q = 1;
    decode.seq_k = 2048;
    struct rp_point small = prefill;
    small.heads = small.kv_heads = 4;
    small.seq_q = small.seq_k = 128;
    small.head_dim = 32;
    small.dtype = RP_DTYPE_fp32;
    small.causal = true;
    const struct {
        const struct rp_point *p;
        const char *text;
        const char *id;
    } cases[] = {
        {&prefill,
         "stage=prefill batch=1 heads=32 kv_heads=32 seq_q=1024 seq_k=1024 head_dim=128 dtype=fp16 "
         "causal=0",
         "549251f13437d5c5"},
        {&decode,
         "stage=decode batch=1 heads=32 kv_heads=8 seq_q=1 seq_k=2048 head_dim=128 dtype=fp16 "
         "causal=0",
         "e774169df36ee227"},
        {&small,
         "stage=prefill batch=1 heads=4 kv_heads=4 seq_q=128 seq_k=128 head_dim=32 dtype=fp32 "
         "causal=1",
         "9edb1028f3a753e9"},
    };
    for (size_t i = 0; i < RP_COUNT(cases); ++i) {
        char text[RP_POINT_TEXT_SIZE];
        char id[RP_POINT_ID_SIZE];
        rp_point_text(cases[i].p, text);
        CHECK_EQ_TEXT(text, cases[i].text, "canonical text");
        CHECK_OK(rp_point_id(cases[i].p, id), cases[i].text);
        CHECK_EQ_TEXT(id, cases[i].id, cases[i].text);
    }
}

static void test_validate(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum rp_axis axis;
        int64_t value;
        const char *message; /* null: accepted */
    } cases[] = {
        {"as it is", RP_AXIS_batch, 1, NULL},
        {"no batch", RP_AXIS_batch, 0, "batch=0 must lie in 1..1048576"},
        {"no heads", RP_AXIS_heads, 0, "heads=0 must lie in 1..65536"},
        {"no kv_heads", RP_AXIS_kv_heads, 0, "kv_heads=0 must lie in 1..65536"},
        {"no length", RP_AXIS_seq_q, 0, "seq_q=0 must lie in 1..16777216"},
        {"too long", RP_AXIS_seq_k, 16777217, "seq_k=16777217 must lie in 1..16777216"},
        {"no head_dim", RP_AXIS_head_dim, 0, "head_dim=0 must lie in 1..4096"},
        {"(33, 32)", RP_AXIS_heads, 33, "heads=33 is no multiple of kv_heads=32"},
        {"(2, 32)", RP_AXIS_heads, 2, "heads=2 is no multiple of kv_heads=32"},
        {"(32, 5)", RP_AXIS_kv_heads, 5, "heads=32 is no multiple of kv_heads=5"},
        {"Tq above Tk", RP_AXIS_seq_q, 1025, "seq_q=1025 above seq_k=1024 with causal"},
        {"Tq below Tk", RP_AXIS_seq_q, 1023, NULL},
    };
    for (size_t i = 0; i < RP_COUNT(cases); ++i) {
        struct rp_point p = prefill;
        p.causal = true;
        rp_axis_set(&p, cases[i].axis, cases[i].value);
        CHECK_EQ_I64(rp_axis_get(&p, cases[i].axis), cases[i].value, cases[i].name);
        CHECK_STATUS(rp_point_validate(&p), cases[i].message ? RP_ERR_CONFIG : RP_OK,
                     cases[i].name);
        if (cases[i].message)
            CHECK_CONTAINS(rp_status_message(), cases[i].message, cases[i].name);
    }
    struct rp_point open = prefill;
    open.seq_q = 2048;
    CHECK_OK(rp_point_validate(&open), "Tq above Tk without a mask");
}

static void test_normalise(void **state)
{
    (void)state;
    struct rp_point p = prefill;
    p.causal = true;
    rp_point_normalise(&p);
    CHECK_TRUE(p.causal, "many queries keep their mask");
    p.seq_q = 1;
    rp_point_normalise(&p);
    CHECK_TRUE(!p.causal, "one query hides nothing");
}

static void test_order(void **state)
{
    (void)state;
    struct rp_point later = prefill;
    CHECK_EQ_I64(rp_point_compare(&prefill, &later), 0, "equal");
    later.causal = true;
    CHECK_TRUE(rp_point_compare(&prefill, &later) < 0, "the last axis counts");
    struct rp_point first = later;
    first.heads = 16;
    CHECK_TRUE(rp_point_compare(&first, &prefill) < 0, "an earlier axis counts more");
    CHECK_TRUE(rp_point_compare(&prefill, &first) > 0, "and the other way round");
}

static void test_words(void **state)
{
    (void)state;
    const char *words[RP_AXIS_WORDS_MAX];
    CHECK_EQ_I64((int64_t)rp_axis_words(RP_AXIS_stage, words), 2, "stages");
    CHECK_EQ_TEXT(words[1], "decode", "stages");
    CHECK_EQ_I64((int64_t)rp_axis_words(RP_AXIS_dtype, words), 4, "dtypes");
    CHECK_EQ_TEXT(words[3], "bf16", "dtypes");
    CHECK_EQ_I64((int64_t)rp_axis_words(RP_AXIS_heads, words), 0, "numbers have no words");
    CHECK_EQ_I64(RP_AXIS_COUNT, 9, "nine axes");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_digest),   cmocka_unit_test(test_identity),
        cmocka_unit_test(test_validate), cmocka_unit_test(test_normalise),
        cmocka_unit_test(test_order),    cmocka_unit_test(test_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
