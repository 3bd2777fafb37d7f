/* test_job_refused.c - every refusal of a job file: position, key, value, what is allowed. */
#include "check.h"

#include "base/text.h"
#include "plan/job.h"

static void check_refused(const char *text, const char *message)
{
    struct rp_job job;
    CHECK_STATUS(rp_job_parse("j.yaml", text, strlen(text), NULL, 0, "data", &job), RP_ERR_CONFIG,
                 text);
    CHECK_CONTAINS(rp_status_message(), message, text);
    CHECK_TRUE(job.points == NULL && job.labels == NULL && job.text == NULL,
               "nothing is owned after a refusal");
}

#define SWEEP "sweep: [{stage: prefill, seq: 64, heads: 4, head_dim: 32}]\n"

static void test_top(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *message;
    } cases[] = {
        {"", "j.yaml:1:1: there is nothing in it"},
        {"# nothing\n", "j.yaml:1:1: there is nothing in it"},
        {"---\n", "\"\" must be a map: allowed keys name, seed, measure, verify, sweep"},
        {"[]\n", "j.yaml:1:1: a list must be a map: allowed keys name, seed"},
        {"just text\n", "j.yaml:1:1: \"just text\" must be a map"},
        {SWEEP, "j.yaml:1:1: name: missing"},
        {"name: a\n", "j.yaml:1:1: sweep: missing"},
        {"name:\n" SWEEP, "j.yaml:1:6: name: \"\" is no job name: allowed 1..64 of letters"},
        {"name: .a\n" SWEEP, "j.yaml:1:7: name: \".a\" is no job name"},
        {"name: a/b\n" SWEEP, "j.yaml:1:7: name: \"a/b\" is no job name"},
        {"name: [a]\n" SWEEP, "j.yaml:1:7: name: a list is no job name"},
        {"name: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n" SWEEP,
         "j.yaml:1:7: name: \"aaaaaaaaaa"},
        {"nam: a\n" SWEEP, "j.yaml:1:1: nam: unknown key in a job; did you mean name?"},
        {"name: a\nxyzzy: 1\n" SWEEP,
         "j.yaml:2:1: xyzzy: unknown key in a job: allowed name, seed"},
        {"name: a\nseed: -1\n" SWEEP,
         "j.yaml:2:7: seed: \"-1\" is out of range: allowed 0..9223372036854775807"},
        {"name: a\nseed: 9223372036854775808\n" SWEEP, "j.yaml:2:7: seed: \"9223372036854775808\" "
                                                       "is out of range"},
        {"name: a\nseed: 1.5\n" SWEEP, "j.yaml:2:7: seed: \"1.5\" is no whole number"},
        {"name: a\nname: b\n" SWEEP, "j.yaml:2:1: name: is given twice in the same map"},
    };
    for (size_t i = 0; i < RP_COUNT(cases); ++i)
        check_refused(cases[i].text, cases[i].message);
}

/* `line` becomes line 2. */
static void check_line(const char *line, const char *message)
{
    struct rp_text text;
    rp_text_init(&text);
    rp_text_printf(&text, "name: a\n%s\n" SWEEP, line);
    check_refused(text.data, message);
    rp_text_clear(&text);
}

static void test_measure_and_verify(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        const char *message;
    } cases[] = {
        {"measure: 1", "j.yaml:2:10: measure: \"1\" must be a map: allowed keys cache, target_ci"},
        {"measure: {cach: cold}", "j.yaml:2:11: cach: unknown key in measure; did you mean cache?"},
        {"measure: {cache: cool}",
         "j.yaml:2:18: cache: \"cool\" is not known: allowed cold, warm; did you mean cold?"},
        {"measure: {target_ci: 0}",
         "j.yaml:2:22: target_ci: \"0\" is out of range: allowed 0.0001..1"},
        {"measure: {target_ci: 1.5}", "target_ci: \"1.5\" is out of range"},
        {"measure: {target_ci: 0,01}", "j.yaml:2:24: 01: unknown key in measure"},
        {"measure: {target_ci: .nan}", "target_ci: \".nan\" is no number: allowed 0.0001..1"},
        {"measure: {target_ci: '0.1'}", "target_ci: \"0.1\" is no number (in quotes it is text)"},
        {"measure: {min_samples: 5}",
         "j.yaml:2:24: min_samples: \"5\" is out of range: allowed 6..100000"},
        {"measure: {min_samples: 50, max_samples: 20}",
         "j.yaml:2:24: min_samples: 50 is above max_samples=20: allowed 6..20"},
        {"measure: {max_samples: 8}",
         "j.yaml:2:24: max_samples: 8 is below min_samples=10, its default: allowed 10..100000"},
        {"measure: {max_samples: 100001}", "max_samples: \"100001\" is out of range"},
        {"measure: {max_time_s: 0.0001}",
         "j.yaml:2:23: max_time_s: \"0.0001\" is out of range: allowed 0.001..86400"},
        {"measure: {timeout_s: 1e6}",
         "j.yaml:2:22: timeout_s: \"1e6\" is out of range: allowed 0.01..86400"},
        {"verify: {rows: 0}", "j.yaml:2:16: rows: \"0\" is out of range: allowed 1..65536"},
        {"verify: {row: 1}", "j.yaml:2:10: row: unknown key in verify; did you mean rows?"},
        {"verify: []", "j.yaml:2:9: verify: a list must be a map: allowed keys rows"},
    };
    for (size_t i = 0; i < RP_COUNT(cases); ++i)
        check_line(cases[i].line, cases[i].message);
}

/* `block` is line 3 from column 5 on. */
static void check_block(const char *block, const char *message)
{
    struct rp_text text;
    rp_text_init(&text);
    rp_text_printf(&text, "name: a\nsweep:\n  - {%s}\n", block);
    check_refused(text.data, message);
    rp_text_clear(&text);
}

static void test_blocks(void **state)
{
    (void)state;
    static const struct {
        const char *block;
        const char *message;
    } cases[] = {
        {"seq: 1, heads: 1, head_dim: 1", "j.yaml:3:5: stage: missing"},
        {"stage: decode, heads: 1, head_dim: 1", "j.yaml:3:5: seq: missing: a block says its "
                                                 "lengths, seq_k"},
        {"stage: prefill, seq_k: 8, heads: 1, head_dim: 1",
         "j.yaml:3:5: seq_q: missing: prefill says seq, or seq_q and seq_k"},
        {"stage: prefill, seq_q: 8, heads: 1, head_dim: 1", "j.yaml:3:5: seq_k: missing"},
        {"stage: prefill, seq: 1, head_dim: 1", "j.yaml:3:5: heads: missing"},
        {"stage: prefill, seq: 1, heads: 1", "j.yaml:3:5: head_dim: missing"},
        {"stage: prefill, seq: 1, seq_k: 2, heads: 1, head_dim: 1",
         "j.yaml:3:30: seq_k: already given by seq: say one of the two"},
        {"stage: prefill, seq: 1, seq_q: 2, heads: 1, head_dim: 1",
         "j.yaml:3:30: seq_q: already given by seq"},
        {"stage: prefill, seq: 1, model: llama-3-8b, heads: 1",
         "j.yaml:3:49: heads: already given by model"},
        {"stage: prefil, seq: 1, heads: 1, head_dim: 1",
         "j.yaml:3:13: stage: \"prefil\" is not known: allowed prefill, decode; did you mean "
         "prefill?"},
        {"stage: prefill, seq: 1, heads: 1, head_dim: 1, dtype: [fp32, fp61]",
         "j.yaml:3:67: dtype: \"fp61\" is not known: allowed fp32, tf32, fp16, bf16; did you mean "
         "fp16?"},
        {"stage: prefill, seq: 1, heads: 1, head_dim: 1, impl: naiv",
         "j.yaml:3:59: impl: \"naiv\" is not known: allowed naive, reference, fused, cudnn; did "
         "you "
         "mean naive?"},
        {"stage: prefill, seq: 1, model: llama-3-8c", "j.yaml:3:37: model: \"llama-3-8c\" is not "
                                                      "known: allowed "},
        {"stage: prefill, seq: 1, model: llama-3-8c", "did you mean llama-3-8b?"},
        {"stage: prefill, seq: 1, heads: 1, head_dim: 1, causal: yes",
         "j.yaml:3:61: causal: \"yes\" is neither true nor false: allowed true, false"},
        {"stage: prefill, seq: 1, heads: 1, head_dims: 1",
         "j.yaml:3:40: head_dims: unknown key in a sweep block; did you mean head_dim?"},
        {"stage: prefill, seq: 1, heads: 1, head_dim: 1, batch: []",
         "j.yaml:3:60: batch: the list is empty: one value at least"},
        {"stage: prefill, seq: 1, heads: 1, head_dim: 1, batch: \"\"",
         "batch: \"\" is no whole number (in quotes it is text): allowed 1..1048576, suffixes k "
         "and M"},
        {"stage: prefill, seq: 1, heads: 1, head_dim: 1, batch: [[1]]",
         "j.yaml:3:61: batch: a list is no whole number"},
        {"stage: prefill, seq: 1, heads: 1, head_dim: 1, dtype: {from: 1, to: 2, times: 2}",
         "j.yaml:3:60: dtype: a map is not allowed: this axis has no ranges"},
    };
    for (size_t i = 0; i < RP_COUNT(cases); ++i)
        check_block(cases[i].block, cases[i].message);
    check_refused("name: a\nsweep: []\n", "j.yaml:2:8: sweep: the list is empty");
    check_refused("name: a\nsweep: {stage: prefill}\n", "j.yaml:2:8: sweep: a map must be a list");
    check_refused("name: a\nsweep: [prefill]\n", "j.yaml:2:9: sweep: \"prefill\" must be a map");
}

#define SHAPE "stage: prefill, heads: 1, head_dim: 1, seq: "

static void test_ranges(void **state)
{
    (void)state;
    static const struct {
        const char *block;
        const char *message;
    } cases[] = {
        {SHAPE "{from: 8, to: 4, times: 2}", "j.yaml:3:57: from: 8 is above to=4: allowed 1..4"},
        {SHAPE "{from: 4, to: 8, times: 1}",
         "j.yaml:3:74: times: \"1\" is out of range: allowed 2..16777216"},
        {SHAPE "{from: 4, to: 8, times: 0}", "times: \"0\" is out of range"},
        {SHAPE "{from: 4, to: 8, plus: 0}",
         "j.yaml:3:73: plus: \"0\" is out of range: allowed 1..16777216"},
        {SHAPE "{from: 4, to: 8, plus: -1}", "plus: \"-1\" is out of range"},
        {SHAPE "{from: 4, to: 8}", "j.yaml:3:50: seq: a range needs either times or plus"},
        {SHAPE "{from: 4, to: 8, times: 2, plus: 2}", "either times or plus, not both"},
        {SHAPE "{from: 4, times: 2}", "j.yaml:3:50: seq: a range needs to: {from:, to:, times:}"},
        {SHAPE "{to: 4, times: 2}", "j.yaml:3:50: seq: a range needs from"},
        {SHAPE "{from: 0, to: 4, times: 2}",
         "j.yaml:3:57: from: \"0\" is out of range: allowed 1..16777216"},
        {SHAPE "{from: 1, to: 32M, times: 2}", "to: \"32M\" is out of range"},
        {SHAPE "{from: 1, to: 4, time: 2}",
         "j.yaml:3:67: time: unknown key in a range; did you mean times?"},
        {SHAPE "{from: 1, to: 16M, plus: 1}", "this range has 16777216 values: allowed 1..1000000"},
    };
    for (size_t i = 0; i < RP_COUNT(cases); ++i)
        check_block(cases[i].block, cases[i].message);
}

/* Accepted only where it is plainly a whole number in range. */
static void test_whole_numbers(void **state)
{
    (void)state;
    static const char *const refused[] = {
        "-1",
        "\" -1\"",
        "\"+1\"",
        "+1",
        "0x10",
        "1e3",
        "12abc",
        "\"\"",
        "0",
        "4294967424",
        "18446744073709551616",
        "1.0",
        "1_000",
        "010",
        "1K",
        "1G",
        "true",
        "~",
        "\"64\"",
        "64k64",
        "-1k",
        "16777217",
    };
    struct rp_text value;
    for (size_t i = 0; i < RP_COUNT(refused); ++i) {
        rp_text_init(&value);
        rp_text_printf(&value, SHAPE "%s", refused[i]);
        check_block(value.data, "j.yaml:3:50: seq: \"");
        check_block(value.data, ": allowed 1..16777216, suffixes k and M");
        rp_text_clear(&value);
    }
    check_block(SHAPE "4294967424", "seq: \"4294967424\" is out of range");
    check_block(SHAPE "18446744073709551616", "seq: \"18446744073709551616\" is out of range");
    check_block(SHAPE "\"64\"", "seq: \"64\" is no whole number (in quotes it is text)");
}

static void test_impossible_points(void **state)
{
    (void)state;
    static const struct {
        const char *block;
        const char *message;
    } cases[] = {
        {"stage: prefill, head_dim: 1, seq: 1, heads: 33, kv_heads: 2",
         "j.yaml:3:64: kv_heads: heads=33 is no multiple of kv_heads=2"},
        {"stage: prefill, head_dim: 1, seq: 1, heads: 3, kv_heads: 2",
         "kv_heads: heads=3 is no multiple of kv_heads=2"},
        {"stage: prefill, head_dim: 1, seq: 1, heads: 2, kv_heads: [1, 4]",
         "kv_heads: heads=2 is no multiple of kv_heads=4"},
        {"stage: prefill, head_dim: 1, seq: 1, heads: 8, kv_heads: 0",
         "kv_heads: \"0\" is out of range: allowed 1..65536"},
        {"stage: prefill, head_dim: 1, heads: 8, seq_q: 9, seq_k: 8",
         "j.yaml:3:52: seq_q: seq_q=9 above seq_k=8 with causal"},
        {"stage: decode, head_dim: 1, heads: 8, seq_q: [1, 9], seq_k: 8",
         "seq_q: seq_q=9 above seq_k=8 with causal"},
        {"stage: prefill, head_dim: 1, seq: 1, heads: 0", "heads: \"0\" is out of range"},
        {"stage: prefill, head_dim: 0, seq: 1, heads: 1", "head_dim: \"0\" is out of range"},
        {"stage: prefill, head_dim: 1, seq: 0, heads: 1", "seq: \"0\" is out of range"},
        {"stage: prefill, head_dim: 1, seq: 1, heads: 1, batch: 0", "batch: \"0\" is out of range"},
    };
    for (size_t i = 0; i < RP_COUNT(cases); ++i)
        check_block(cases[i].block, cases[i].message);
}

static void test_exclusions(void **state)
{
    (void)state;
    static const struct {
        const char *block;
        const char *message;
    } cases[] = {
        {SHAPE "1, exclude: []", "j.yaml:3:62: exclude: the list is empty: one map at least"},
        {SHAPE "1, exclude: {seq: 1}", "j.yaml:3:62: exclude: a map must be a list of maps"},
        {SHAPE "1, exclude: [seq]", "j.yaml:3:63: exclude: \"seq\" must be a map"},
        {SHAPE "1, exclude: [{}]", "j.yaml:3:63: exclude: an empty map would exclude everything"},
        {SHAPE "1, exclude: [{sek: 1}]",
         "j.yaml:3:64: sek: unknown key in an exclusion; did you mean seq?"},
        {SHAPE "1, exclude: [{exclude: 1}]", "exclude: unknown key in an exclusion"},
        {SHAPE "1, exclude: [{dtype: fp61}]", "j.yaml:3:71: dtype: \"fp61\" is not known"},
        {SHAPE "1, exclude: [{seq: -1}]", "seq: \"-1\" is out of range"},
        {SHAPE "1, exclude: [{seq: 1}]", "exclude: takes away every point of its block"},
    };
    for (size_t i = 0; i < RP_COUNT(cases); ++i)
        check_block(cases[i].block, cases[i].message);
}

static void test_absurd_products(void **state)
{
    (void)state;
    check_block("stage: prefill, seq: {from: 1, to: 2000, plus: 1}, heads: 1, "
                "head_dim: {from: 1, to: 600, plus: 1}",
                "j.yaml:3:5: sweep: this block asks for 1200000 points: allowed 1..1000000");
    check_block("stage: prefill, seq: {from: 1, to: 999999, plus: 1}, "
                "heads: {from: 1, to: 65536, plus: 1}, batch: {from: 1, to: 999999, plus: 1}, "
                "head_dim: {from: 1, to: 4096, plus: 1}",
                "j.yaml:3:5: sweep: this block asks for more than 2^63 points");
    check_refused(
        "name: a\nsweep:\n"
        "  - {stage: prefill, seq: {from: 1, to: 600000, plus: 1}, heads: 1, head_dim: 1}\n"
        "  - {stage: decode, seq: {from: 1, to: 600000, plus: 1}, heads: 1, head_dim: 1}\n",
        "j.yaml:4:5: sweep: with this block the sweep asks for 1200000 points");
}

static void test_yaml(void **state)
{
    (void)state;
    check_refused("name: &a b\n" SWEEP, "j.yaml:1:7: anchors (&a) and aliases are not allowed");
    check_refused("name: a\n" SWEEP "---\nname: b\n", "j.yaml:3:1: a second document");
    check_refused("name: [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[a", "nesting is deeper than 32");
    check_refused("name: ä\xff\n", "j.yaml:1:8: invalid leading UTF-8 octet");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_top),           cmocka_unit_test(test_measure_and_verify),
        cmocka_unit_test(test_blocks),        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_whole_numbers), cmocka_unit_test(test_impossible_points),
        cmocka_unit_test(test_exclusions),    cmocka_unit_test(test_absurd_products),
        cmocka_unit_test(test_yaml),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
