/* test_sweep.c - blocks to points: products, ranges, exclusions, merging, labels. */
#include "check.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "plan/job.h"
#include "plan/model_spec.h"

#define ALL   ((rp_impl_set)RP_IMPL_DEFAULT)
#define NAIVE (1U << RP_IMPL_naive)
#define FUSED (1U << RP_IMPL_fused)

static void parse_blocks(const char *blocks, struct rp_job *job)
{
    struct rp_text text;
    rp_text_init(&text);
    rp_text_printf(&text, "name: a\nsweep: [%s]\n", blocks);
    CHECK_OK(rp_job_parse("j.yaml", text.data, text.length, NULL, 0, "data", job), blocks);
    rp_text_clear(&text);
}

/* Points by one axis, with their implementations: "64/7 128/7". */
static void check_points(const char *blocks, int64_t (*axis)(const struct rp_point *),
                         const char *expected)
{
    struct rp_job job;
    struct rp_text got;
    rp_text_init(&got);
    parse_blocks(blocks, &job);
    for (size_t i = 0; i < job.n_points; ++i)
        rp_text_printf(&got, "%s%" PRId64 "/%u", i ? " " : "", axis(&job.points[i].point),
                       job.points[i].impls);
    CHECK_EQ_TEXT(rp_text_string(&got), expected, blocks);
    rp_text_clear(&got);
    rp_job_clear(&job);
}

static int64_t seq_k(const struct rp_point *p)
{
    return p->seq_k;
}

/* seq_q and seq_k in one number. */
static int64_t both_lengths(const struct rp_point *p)
{
    return p->seq_q * 1000 + p->seq_k;
}

static int64_t kv_heads(const struct rp_point *p)
{
    return p->kv_heads;
}

static int64_t causal(const struct rp_point *p)
{
    return p->causal;
}

#define SHAPE "heads: 4, head_dim: 8"

static void test_ranges(void **state)
{
    (void)state;
    static const struct {
        const char *seq;
        const char *points;
    } cases[] = {
        {"{from: 64, to: 512, times: 2}", "64/7 128/7 256/7 512/7"},
        {"{from: 64, to: 511, times: 2}", "64/7 128/7 256/7"}, /* ends below `to` */
        {"{from: 1k, to: 64k, times: 4}", "1024/7 4096/7 16384/7 65536/7"},
        {"{from: 1, to: 10, plus: 4}", "1/7 5/7 9/7"},
        {"{from: 5, to: 5, times: 3}", "5/7"},
        {"[8, 2, 8, {from: 1, to: 4, times: 2}]", "1/7 2/7 4/7 8/7"}, /* sorted, once each */
        {"1M", "1048576/7"},
        {"{from: 16M, to: 16M, times: 16M}", "16777216/7"},
    };
    for (size_t i = 0; i < RP_COUNT(cases); ++i) {
        struct rp_text block;
        rp_text_init(&block);
        rp_text_printf(&block, "{stage: prefill, " SHAPE ", seq: %s}", cases[i].seq);
        check_points(block.data, seq_k, cases[i].points);
        rp_text_clear(&block);
    }
}

static void test_lengths(void **state)
{
    (void)state;
    check_points("{stage: prefill, " SHAPE ", seq: 64}", both_lengths, "64064/7");
    check_points("{stage: prefill, " SHAPE ", seq_q: [2, 3], seq_k: [5, 7]}", both_lengths,
                 "2005/7 2007/7 3005/7 3007/7");
    check_points("{stage: decode, " SHAPE ", seq_k: 64}", both_lengths, "1064/7");
    check_points("{stage: decode, " SHAPE ", seq: 64}", both_lengths, "1064/7");
    check_points("{stage: decode, " SHAPE ", seq_q: 4, seq_k: 64}", both_lengths, "4064/7");
    check_points("{stage: decode, " SHAPE ", seq_q: 4, seq: 64}", both_lengths, "4064/7");
    check_points("{stage: [prefill, decode], " SHAPE ", seq: 64}", both_lengths, "64064/7 1064/7");
    check_points("{stage: prefill, " SHAPE ", seq_q: 64, seq_k: 50, causal: false}", both_lengths,
                 "64050/7");
}

static void test_normalised(void **state)
{
    (void)state;
    check_points("{stage: decode, " SHAPE ", seq_k: 8, causal: [true, false]}", causal, "0/7");
    check_points("{stage: decode, " SHAPE ", seq_q: 2, seq_k: 8, causal: [true, false]}", causal,
                 "0/7 1/7");
    check_points("{stage: prefill, " SHAPE ", seq: 1}", causal, "0/7");
}

static void test_heads(void **state)
{
    (void)state;
    check_points("{stage: decode, heads: [4, 8], head_dim: 8, seq_k: 1}", kv_heads, "4/7 8/7");
    check_points("{stage: decode, heads: 12, kv_heads: [12, 6, 4, 1], head_dim: 8, seq_k: 1}",
                 kv_heads, "1/7 4/7 6/7 12/7");
}

static void test_exclusions(void **state)
{
    (void)state;
    static const struct {
        const char *block;
        const char *points;
    } cases[] = {
        {"{stage: prefill, " SHAPE ", seq: [1k, 8k], exclude: [{seq: 8k}]}", "1024/7"},
        {"{stage: decode, " SHAPE ", seq_k: [1k, 8k], exclude: [{seq: 8k}]}", "1024/7"},
        {"{stage: prefill, " SHAPE ", seq_q: [1k, 8k], seq_k: 8k, exclude: [{seq: 8k}]}",
         "8192/7"}, /* (1k, 8k) is left */
        {"{stage: prefill, " SHAPE ", seq: [1, 2], dtype: [fp16, fp32],"
         " exclude: [{dtype: fp32, seq: 2}]}",
         "1/7 1/7 2/7"},
        {"{stage: prefill, " SHAPE ", seq: [1, 2, 4], exclude: [{seq: [1, 4]}]}", "2/7"},
        {"{stage: prefill, " SHAPE ", seq: [1, 2, 4], exclude: [{seq: {from: 2, to: 9, plus: 1}}]}",
         "1/7"},
        {"{stage: prefill, " SHAPE ", seq: [1, 2], exclude: [{seq: 2, impl: naive}]}", "1/7 2/6"},
        {"{stage: prefill, " SHAPE ", seq: [1, 2], impl: [naive, fused],"
         " exclude: [{seq: 2, impl: naive}, {seq: 2, impl: [fused]}]}",
         "1/5"}, /* nothing is left of 2 */
        {"{stage: prefill, " SHAPE ", seq_q: [4, 9], seq_k: 8, exclude: [{seq_q: 9}]}",
         "8/7"}, /* what cannot exist may be excluded */
    };
    for (size_t i = 0; i < RP_COUNT(cases); ++i)
        check_points(cases[i].block, seq_k, cases[i].points);
}

static void test_merging(void **state)
{
    (void)state;
    struct rp_job job;
    parse_blocks("{stage: prefill, " SHAPE ", seq: [64, 128], impl: naive},"
                 "{stage: prefill, " SHAPE ", seq: [128, 64, 256], kv_heads: 4, impl: [fused]},"
                 "{stage: prefill, " SHAPE ", seq: 128, impl: [fused, naive]}",
                 &job);
    CHECK_EQ_I64((int64_t)job.n_points, 3, "each once");
    CHECK_EQ_I64(job.points[0].impls, NAIVE | FUSED, "64: the union");
    CHECK_EQ_I64(job.points[1].impls, NAIVE | FUSED, "128: the union");
    CHECK_EQ_I64(job.points[2].impls, FUSED, "256: one block only");
    CHECK_EQ_I64(rp_job_rows(&job), 5, "rows");
    CHECK_EQ_I64((int64_t)job.n_labels, 0, "no model asked");
    for (size_t i = 1; i < job.n_points; ++i)
        CHECK_TRUE(rp_point_compare(&job.points[i - 1].point, &job.points[i].point) < 0, "sorted");
    rp_job_clear(&job);
}

static void test_models(void **state)
{
    (void)state;
    struct rp_job job;
    /* Two models of one shape share their points; heads 32 of head_dim 128 asks for them, too. */
    parse_blocks("{stage: decode, model: [mistral-7b, llama-3-8b], seq_k: [1k, 2k]},"
                 "{stage: decode, heads: 32, kv_heads: 8, head_dim: 128, seq_k: 2k},"
                 "{stage: decode, model: llama-3-70b, seq_k: 1k,"
                 " exclude: [{model: mistral-7b}]},"
                 "{stage: decode, model: llama-3-8b, seq_k: 2k}",
                 &job);
    static const struct {
        size_t point;
        const char *model;
    } expected[] = {{0, "llama-3-8b"},
                    {0, "mistral-7b"},
                    {1, "llama-3-8b"},
                    {1, "mistral-7b"},
                    {2, "llama-3-70b"}};
    CHECK_EQ_I64((int64_t)job.n_points, 3, "points");
    CHECK_EQ_I64((int64_t)job.n_labels, (int64_t)RP_COUNT(expected), "labels");
    for (size_t i = 0; i < RP_COUNT(expected); ++i) {
        CHECK_EQ_I64((int64_t)job.labels[i].point, (int64_t)expected[i].point, expected[i].model);
        CHECK_EQ_TEXT(job.labels[i].model, expected[i].model, "sorted by point, then model");
    }
    CHECK_EQ_I64(job.points[2].point.heads, 64, "llama-3-70b");
    CHECK_EQ_I64(job.points[0].impls, ALL, "implementations");
    rp_job_clear(&job);
}

static void test_model_list(void **state)
{
    (void)state;
    struct rp_model_list list;
    CHECK_OK(rp_model_list_read("data", &list), "the shipped models");
    CHECK_TRUE(list.count >= 7, "several");
    for (size_t i = 1; i < list.count; ++i)
        CHECK_TRUE(strcmp(list.items[i - 1].name, list.items[i].name) < 0, list.items[i].name);
    rp_model_list_clear(&list);
}

static void test_refused_models(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *message;
    } cases[] = {
        {"a: {heads: 4}\n", "models.yaml:1:4: a: head_dim is missing"},
        {"a: {heads: 4, head_dim: 8, kv_heds: 2}\n",
         "models.yaml:1:28: kv_heds: unknown key in a model; did you mean kv_heads?"},
        {"a: {heads: 0, head_dim: 8}\n", "models.yaml:1:12: heads: \"0\" is out of range"},
        {"a: {heads: 4, kv_heads: 3, head_dim: 8}\n", "a: heads=4 is no multiple of kv_heads=3"},
        {"a: 7\n", "models.yaml:1:4: a: \"7\" must be a map"},
        {"[]\n", "models.yaml:1:1: must be a map"},
    };
    char folder[] = "/tmp/ridgepoint-models.XXXXXX";
    char path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/models.yaml", folder);
    for (size_t i = 0; i < RP_COUNT(cases); ++i) {
        struct rp_model_list list;
        FILE *file = fopen(path, "w");
        fputs(cases[i].text, file);
        fclose(file);
        CHECK_STATUS(rp_model_list_read(folder, &list), RP_ERR_CONFIG, cases[i].text);
        CHECK_CONTAINS(rp_status_message(), cases[i].message, cases[i].text);
        CHECK_TRUE(list.items == NULL, "nothing is owned after a refusal");
    }
    unlink(path);
    rmdir(folder);
}

static void test_largest(void **state)
{
    (void)state;
    struct rp_job job;
    double started_s = rp_clock_now_s();
    parse_blocks("{stage: prefill, seq: {from: 1, to: 1000, plus: 1}, heads: 1,"
                 " head_dim: {from: 1, to: 1000, plus: 1}}",
                 &job);
    CHECK_EQ_I64((int64_t)job.n_points, 1000000, "as many as are allowed");
    CHECK_TRUE(rp_clock_now_s() - started_s < 60.0, "and not for long");
    rp_job_clear(&job);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ranges),         cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_normalised),     cmocka_unit_test(test_heads),
        cmocka_unit_test(test_exclusions),     cmocka_unit_test(test_merging),
        cmocka_unit_test(test_models),         cmocka_unit_test(test_model_list),
        cmocka_unit_test(test_refused_models), cmocka_unit_test(test_largest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
