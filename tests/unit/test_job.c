/* test_job.c - what a good job becomes: fields, defaults, hash, --set, --point. */
#include "check.h"

#include <stdlib.h>

#include "comma_locale.h"
#include "plan/job.h"

static const char *const data = "data";

static const char example[] = "name: prefill-decode\n"
                              "seed: 7\n"
                              "measure:\n"
                              "  cache: warm\n"
                              "  target_ci: 0.02\n"
                              "  min_samples: 8\n"
                              "  max_samples: 100\n"
                              "  max_time_s: 1.5\n"
                              "  timeout_s: 30\n"
                              "verify:\n"
                              "  rows: 16\n"
                              "sweep:\n"
                              "  - stage: prefill\n"
                              "    heads: 32\n"
                              "    kv_heads: [32, 8]\n"
                              "    seq: [64, 1k]\n"
                              "    head_dim: 128\n"
                              "    impl: [naive, fused]\n";

static void parse(const char *text, const char *const *sets, size_t n_sets, struct rp_job *job)
{
    CHECK_OK(rp_job_parse("job.yaml", text, strlen(text), sets, n_sets, data, job), text);
}

static void test_fields(void **state)
{
    (void)state;
    struct rp_job job;
    parse(example, NULL, 0, &job);
    CHECK_EQ_TEXT(job.name, "prefill-decode", "name");
    CHECK_EQ_I64(job.seed, 7, "seed");
    CHECK_TRUE(!job.protocol.cold, "cache");
    CHECK_NEAR(job.protocol.target_ci, 0.02, 0.0, "target_ci");
    CHECK_EQ_I64(job.protocol.min_samples, 8, "min_samples");
    CHECK_EQ_I64(job.protocol.max_samples, 100, "max_samples");
    CHECK_NEAR(job.protocol.max_time_s, 1.5, 0.0, "max_time_s");
    CHECK_NEAR(job.protocol.timeout_s, 30.0, 0.0, "timeout_s");
    CHECK_EQ_I64(job.protocol.verify_rows, 16, "rows");
    CHECK_EQ_I64((int64_t)job.n_points, 4, "points");
    CHECK_EQ_I64(rp_job_rows(&job), 8, "rows: two implementations each");
    CHECK_EQ_TEXT(job.text, example, "the text as it was");
    rp_job_clear(&job);
    CHECK_TRUE(job.points == NULL && job.text == NULL, "cleared");
}

static void test_defaults(void **state)
{
    (void)state;
    struct rp_job job;
    struct rp_protocol defaults;
    char text[RP_POINT_TEXT_SIZE];
    rp_protocol_init(&defaults);
    parse("name: a\nsweep: [{stage: prefill, seq: 64, heads: 4, head_dim: 32}]", NULL, 0, &job);
    CHECK_EQ_I64(job.seed, 0, "seed");
    char got[RP_PROTOCOL_TEXT_SIZE];
    rp_protocol_text(&job.protocol, got);
    CHECK_EQ_TEXT(got,
                  "cache=cold target_ci=0.01 min_samples=10 max_samples=1000 max_time_s=2 "
                  "timeout_s=60 rows=64",
                  "the protocol");
    rp_point_text(&job.points[0].point, text);
    CHECK_EQ_TEXT(text,
                  "stage=prefill batch=1 heads=4 kv_heads=4 seq_q=64 seq_k=64 head_dim=32 "
                  "dtype=fp16 causal=1",
                  "the block");
    CHECK_EQ_I64(job.points[0].impls, RP_IMPL_DEFAULT, "all implementations");
    rp_job_clear(&job);
}

static void hash_of(const char *text, const char *const *sets, size_t n_sets,
                    char hash[RP_DIGEST_HEX_SIZE])
{
    struct rp_job job;
    parse(text, sets, n_sets, &job);
    memcpy(hash, job.hash, RP_DIGEST_HEX_SIZE);
    rp_job_clear(&job);
}

/* The same meaning in another order, with comments, ranges, duplicates and defaults said. */
static const char rewritten[] =
    "# a comment\n"
    "sweep:\n"
    "  - {impl: naive, stage: [prefill], batch: 1, heads: 32, seq: 1k, kv_heads: 8,\n"
    "     head_dim: 128, dtype: fp16, causal: true}\n"
    "  - {impl: fused, stage: prefill, heads: 32, seq: 1024, kv_heads: 8, head_dim: 128}\n"
    "  - {impl: [fused, naive], stage: prefill, heads: 32, seq_q: 64, seq_k: 64,\n"
    "     kv_heads: {from: 8, to: 32, times: 4}, head_dim: 128}\n"
    "  - {impl: [fused, naive], stage: prefill, heads: 32, seq: 1k, head_dim: 128}\n"
    "verify: {rows: 16}\n"
    "measure: {timeout_s: 3e1, max_time_s: 1.50, max_samples: 100, min_samples: 8,\n"
    "          target_ci: 2e-2, cache: 'warm'}\n"
    "seed: 7\n"
    "name: \"prefill-decode\"\n";

static void test_hash_of_meaning(void **state)
{
    (void)state;
    char first[RP_DIGEST_HEX_SIZE];
    char second[RP_DIGEST_HEX_SIZE];
    hash_of(example, NULL, 0, first);
    hash_of(rewritten, NULL, 0, second);
    CHECK_EQ_TEXT(second, first, "another text of the same meaning");
    CHECK_EQ_I64((int64_t)strlen(first), 64, "a whole SHA-256");
    if (comma_locale_begin()) {
        hash_of(example, NULL, 0, second);
        setlocale(LC_ALL, "C");
        CHECK_EQ_TEXT(second, first, "under a decimal comma");
    }
    static const char *const changes[] = {
        "name=other",
        "seed=8",
        "measure.cache=cold",
        "measure.target_ci=0.03",
        "measure.min_samples=9",
        "measure.max_samples=99",
        "measure.max_time_s=1",
        "measure.timeout_s=31",
        "verify.rows=17",
        "sweep.0.batch=2",
        "sweep.0.impl=naive",
        "sweep.0.causal=false",
        "sweep.0.seq=64",
        "sweep.0.dtype=fp32",
    };
    for (size_t i = 0; i < RP_COUNT(changes); ++i) {
        hash_of(example, &changes[i], 1, second);
        CHECK_TRUE(strcmp(first, second) != 0, changes[i]);
    }
}

static void test_sets(void **state)
{
    (void)state;
    static const char *const sets[] = {"measure.max_time_s=1",
                                       "sweep.0.seq={from: 1k, to: 4k, times: 2}",
                                       "sweep.0.impl=[naive]",
                                       "seed=1",
                                       "seed=2",
                                       "verify={rows: 5}",
                                       "sweep.0.batch=2"};
    struct rp_job job;
    parse(example, sets, RP_COUNT(sets), &job);
    CHECK_NEAR(job.protocol.max_time_s, 1.0, 0.0, "replaced");
    CHECK_NEAR(job.protocol.timeout_s, 30.0, 0.0, "its neighbour is not");
    CHECK_EQ_I64(job.seed, 2, "the last one counts");
    CHECK_EQ_I64(job.protocol.verify_rows, 5, "a whole map");
    CHECK_EQ_I64((int64_t)job.n_points, 6, "3 lengths, 2 kv_heads");
    CHECK_EQ_I64(job.points[0].point.batch, 2, "added to the block");
    CHECK_EQ_I64(rp_job_rows(&job), 6, "one implementation");
    CHECK_EQ_TEXT(job.text, example, "the text stays the file's");
    rp_job_clear(&job);
    static const char *const made[] = {"measure.max_samples=50"};
    parse("name: a\nsweep: [{stage: prefill, seq: 64, heads: 4, head_dim: 32}]", made, 1, &job);
    CHECK_EQ_I64(job.protocol.max_samples, 50, "the map on the way is made");
    rp_job_clear(&job);
}

static void test_refused_sets(void **state)
{
    (void)state;
    static const struct {
        const char *set;
        const char *message;
    } cases[] = {
        {"seed", "--set seed: must be KEY=VALUE"},
        {"=1", "--set =1: must be KEY=VALUE"},
        {"a..b=1", "--set a..b=1: its path must be"},
        {"seed=-1", "--set seed=-1: seed: \"-1\" is out of range: allowed 0..9223372036854775807"},
        {"seed=", "--set seed=: there is nothing in it"},
        {"seed=[1", "--set seed=[1: did not find expected"},
        {"measure.max_time=1",
         "--set measure.max_time=1: max_time: unknown key in measure; did you "
         "mean max_time_s?"},
        {"meassure.max_time_s=1",
         "--set meassure.max_time_s=1: meassure: unknown key in a job; did "
         "you mean measure?"},
        {"measure.max_time_s=0", "max_time_s: \"0\" is out of range: allowed 0.001..86400"},
        {"sweep.1.seq=1k", "--set sweep.1.seq=1k: \"1\" is no element of this list: allowed 0"},
        {"sweep.x.seq=1k", "--set sweep.x.seq=1k: \"x\" is no element of this list: allowed 0"},
        {"sweep.0.heads.x=1", "--set sweep.0.heads.x=1: there is nothing below \"heads\""},
        {"sweep.0.dtype=fp61", "--set sweep.0.dtype=fp61: dtype: \"fp61\" is not known: allowed "
                               "fp32, tf32, fp16, bf16; did you mean fp16?"},
        {"sweep=1", "--set sweep=1: sweep: \"1\" must be a list of blocks"},
        {"sweep.0.seq_k=1k", "--set sweep.0.seq_k=1k: seq_k: already given by seq"},
    };
    for (size_t i = 0; i < RP_COUNT(cases); ++i) {
        struct rp_job job;
        CHECK_STATUS(
            rp_job_parse("job.yaml", example, strlen(example), &cases[i].set, 1, data, &job),
            RP_ERR_CONFIG, cases[i].set);
        CHECK_CONTAINS(rp_status_message(), cases[i].message, cases[i].set);
        CHECK_TRUE(job.points == NULL && job.text == NULL, "nothing is owned after a refusal");
    }
}

static void test_point(void **state)
{
    (void)state;
    struct rp_job job;
    struct rp_job again;
    char text[RP_POINT_TEXT_SIZE];
    CHECK_OK(rp_job_from_point("prefill heads=32 head_dim=128 seq=1k dtype=fp32 kv_heads=8 batch=2 "
                               "causal=false impl=naive,fused",
                               NULL, 0, data, &job),
             "everything said");
    rp_point_text(&job.points[0].point, text);
    CHECK_EQ_TEXT(text,
                  "stage=prefill batch=2 heads=32 kv_heads=8 seq_q=1024 seq_k=1024 head_dim=128 "
                  "dtype=fp32 causal=0",
                  "everything said");
    CHECK_EQ_I64(job.points[0].impls, 1U << RP_IMPL_naive | 1U << RP_IMPL_fused, "implementations");
    CHECK_EQ_TEXT(job.name, "point", "its name");
    parse(job.text, NULL, 0, &again);
    CHECK_EQ_TEXT(again.hash, job.hash, "its text is a job file of the same meaning");
    rp_job_clear(&again);
    rp_job_clear(&job);
    static const char *const sets[] = {"measure.max_time_s=1"};
    CHECK_OK(rp_job_from_point("  stage=decode model=llama-3-8b  seq_k=2k ", sets, 1, data, &job),
             "a model");
    CHECK_EQ_I64(job.points[0].point.kv_heads, 8, "a model");
    CHECK_EQ_I64(job.points[0].point.seq_q, 1, "decode");
    CHECK_EQ_TEXT(job.labels[0].model, "llama-3-8b", "its label");
    CHECK_NEAR(job.protocol.max_time_s, 1.0, 0.0, "--set beside --point");
    rp_job_clear(&job);
}

static void test_refused_points(void **state)
{
    (void)state;
    static const struct {
        const char *point;
        const char *message;
    } cases[] = {
        {"", "--point: is empty"},
        {"prefil heads=1 head_dim=8 seq=1", "--point: stage: \"prefil\" is not known: allowed "
                                            "prefill, decode; did you mean prefill?"},
        {"prefill heads=1 head_dim=8 seq=1 naive", "--point: \"naive\" must be key=value"},
        {"prefill heads=1 head_dim=8 seq=1 impl=naiv", "did you mean naive?"},
        {"prefill heads=1 head_dim=8 seq=1,2", "--point: asks for 2 points: allowed 1"},
        {"prefill heads=1 head_dim=8", "--point: seq: missing"},
        {"prefill heads=1 heads=2 head_dim=8 seq=1", "--point: heads: is given twice"},
        {"prefill heads=1 head_dim=8 seq=", "--point: seq: \"\" is no whole number"},
        {"prefill heads=1 headdim=8 seq=1", "headdim: unknown key in a sweep block; did you mean "
                                            "head_dim?"},
    };
    for (size_t i = 0; i < RP_COUNT(cases); ++i) {
        struct rp_job job;
        CHECK_STATUS(rp_job_from_point(cases[i].point, NULL, 0, data, &job), RP_ERR_CONFIG,
                     cases[i].point);
        CHECK_CONTAINS(rp_status_message(), cases[i].message, cases[i].point);
        CHECK_TRUE(job.points == NULL && job.text == NULL, "nothing is owned after a refusal");
    }
}

static void test_shipped_jobs(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        size_t points;
        int64_t rows;
    } cases[] = {
        {"jobs/notebook.yaml", 25, 73},
        {"jobs/smoke.yaml", 13, 39},
        {"jobs/prefill-decode.yaml", 72, 216}, /* 2 * 8 * 2 * 2 - 4 prefill, 3 * 4 decode */
    };
    for (size_t i = 0; i < RP_COUNT(cases); ++i) {
        struct rp_job job;
        CHECK_OK(rp_job_read(cases[i].path, NULL, 0, data, &job), cases[i].path);
        CHECK_EQ_I64((int64_t)job.n_points, (int64_t)cases[i].points, cases[i].path);
        CHECK_EQ_I64(rp_job_rows(&job), cases[i].rows, cases[i].path);
        rp_job_clear(&job);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fields),          cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_hash_of_meaning), cmocka_unit_test(test_sets),
        cmocka_unit_test(test_refused_sets),    cmocka_unit_test(test_point),
        cmocka_unit_test(test_refused_points),  cmocka_unit_test(test_shipped_jobs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
