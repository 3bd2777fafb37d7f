/* test_analysis_crossover.c - planted ridges: crossovers come back within their interval. */
#include "analysis_study.h"

#include "analysis/crossover_table.h"

/* Ceilings whose ridge is `ridge` FLOP/B, known to within 2 % and 3 %; a cache that holds
 * nothing. */
static void plant_ridge(struct synthetic *s, double ridge)
{
    synthetic_begin(s);
    rp_study_devices(&s->study)->l2_bytes = 1;
    add_ceiling(&s->study, "compute", ridge * 1e10, 0.02);
    add_ceiling(&s->study, "bandwidth", 1e10, 0.03);
    add_ceiling(&s->study, "read_bandwidth", 1e10, 0.03);
    add_ceiling(&s->study, "cache_bandwidth", 1e11, 0);
    add_ceiling(&s->study, "latency", 1e-9, 0);
}

/* The only row of one axis. */
static struct rp_turn_row turn_of(struct synthetic *s, enum rp_turn_axis axis)
{
    struct rp_study_file file = {s->path, s->study};
    struct rp_study_list list = {&file, 1};
    const struct rp_turn_request request = {.list = &list};
    struct rp_turn_table table;
    struct rp_turn_row found = {0};
    size_t n = 0;
    CHECK_OK(rp_turn_table_create(&request, &table), "table");
    for (size_t i = 0; i < table.count; ++i) {
        if (table.items[i].axis == axis) {
            found = table.items[i];
            ++n;
        }
    }
    CHECK_EQ_I64((int64_t)n, 1, rp_turn_axis_name(axis));
    rp_turn_table_clear(&table);
    return found;
}

static void expect_turn(const struct rp_turn_row *row, double value, double tolerance,
                        const char *name)
{
    const struct rp_turn *t = &row->turn;
    CHECK_EQ_TEXT(rp_turn_kind_name(t->kind), "at", name);
    CHECK_NEAR(t->value, value, tolerance * value, name);
    CHECK_TRUE(t->low < value && value < t->high, name);
}

/* By an implementation that moves each tensor once. */
static void add_heads(struct synthetic *s, int64_t heads, int64_t from, int64_t to)
{
    for (int64_t seq = from; seq <= to; seq *= 2) {
        struct rp_point p = shape_of(RP_STAGE_PREFILL, heads, heads, seq, 64);
        struct rp_result *row = row_at(s, synthetic_add(s, &p, RP_IMPL_fused, 1e-3));
        row->flops_impl = row->flops;
        row->bytes_impl = row->bytes_min;
    }
}

static void add_prefill(struct synthetic *s, int64_t from, int64_t to)
{
    add_heads(s, 8, from, to);
}

/* Unmasked fp16 prefill has T / 2 FLOP/B: ridge 100 is T = 200. Its ends: 98 / 1.03 and
 * 102 / 0.97. */
static void test_prefill(void **state)
{
    (void)state;
    struct synthetic s;
    plant_ridge(&s, 100);
    add_prefill(&s, 64, 1024);
    struct rp_turn_row row = turn_of(&s, RP_TURN_SEQ);
    char text[RP_TURN_TEXT_SIZE];
    expect_turn(&row, 200, 0.01, "T");
    CHECK_NEAR(row.turn.low, 2 * 98 / 1.03, 2, "low end");
    CHECK_NEAR(row.turn.high, 2 * 102 / 0.97, 2, "high end");
    CHECK_EQ_I64((int64_t)row.turning, 1, "series that turn");
    rp_turn_text(&row, text);
    CHECK_EQ_TEXT(text, "200 (190..210)", "as text");
    synthetic_end(&s);
}

static void test_outside_the_sweep(void **state)
{
    (void)state;
    struct synthetic s;
    char text[RP_TURN_TEXT_SIZE];
    plant_ridge(&s, 100);
    add_prefill(&s, 256, 1024);
    struct rp_turn_row row = turn_of(&s, RP_TURN_SEQ);
    rp_turn_text(&row, text);
    CHECK_EQ_TEXT(text, "below the sweep (compute from 256)", "200 is below 256");
    synthetic_end(&s);

    plant_ridge(&s, 40);
    add_prefill(&s, 16, 64);
    row = turn_of(&s, RP_TURN_SEQ);
    rp_turn_text(&row, text);
    CHECK_EQ_TEXT(text, "above the sweep (memory up to 64)", "80 is above 64");
    synthetic_end(&s);
}

/* A series that begins beyond its turn hides no other one that turns before. */
static void test_soonest(void **state)
{
    (void)state;
    struct synthetic s;
    char text[RP_TURN_TEXT_SIZE];
    plant_ridge(&s, 100);
    add_prefill(&s, 64, 1024);
    add_heads(&s, 1, 2048, 4096);
    struct rp_turn_row row = turn_of(&s, RP_TURN_SEQ);
    expect_turn(&row, 200, 0.01, "200 before 2048");
    CHECK_EQ_I64((int64_t)row.series, 2, "series");
    synthetic_end(&s);

    plant_ridge(&s, 40); /* T = 80 */
    add_prefill(&s, 2048, 4096);
    add_heads(&s, 1, 256, 1024);
    row = turn_of(&s, RP_TURN_SEQ);
    rp_turn_text(&row, text);
    CHECK_EQ_TEXT(text, "below the sweep (compute from 256)", "256 before 2048");
    synthetic_end(&s);
}

/* The interval may reach beyond the sweep though the crossing is inside. */
static void test_open_interval(void **state)
{
    (void)state;
    struct synthetic s;
    char text[RP_TURN_TEXT_SIZE];
    plant_ridge(&s, 127); /* T = 254 */
    add_prefill(&s, 64, 256);
    struct rp_turn_row row = turn_of(&s, RP_TURN_SEQ);
    CHECK_TRUE(isinf(row.turn.high), "the high end is above the sweep");
    rp_turn_text(&row, text);
    CHECK_CONTAINS(text, "..above)", "and says so");
    synthetic_end(&s);
}

/* Decode has H/G FLOP/B at most, whatever T and batch; more query heads per kv head and more
 * queries turn it. */
static void test_decode(void **state)
{
    (void)state;
    struct synthetic s;
    char text[RP_TURN_TEXT_SIZE];
    plant_ridge(&s, 3);
    for (int64_t batch = 1; batch <= 4; batch *= 2) {
        struct rp_point p = shape_of(RP_STAGE_DECODE, 16, 16, 4096, 64);
        p.batch = batch;
        synthetic_add(&s, &p, RP_IMPL_fused, 1e-3);
    }
    struct rp_turn_row row = turn_of(&s, RP_TURN_BATCH);
    CHECK_EQ_TEXT(rp_turn_kind_name(row.turn.kind), "never", "batch");
    CHECK_NEAR(row.turn.limit_flop_per_byte, 1, 0.05, "limit over batch");
    rp_turn_text(&row, text);
    CHECK_CONTAINS(text, "ridge 3 FLOP/B)", "the limit stands beside the ridge");
    row = turn_of(&s, RP_TURN_SEQ_K);
    CHECK_EQ_TEXT(rp_turn_kind_name(row.turn.kind), "never", "T");
    synthetic_end(&s);

    plant_ridge(&s, 3);
    for (int64_t kv_heads = 16; kv_heads >= 1; kv_heads /= 2) {
        struct rp_point p = shape_of(RP_STAGE_DECODE, 16, kv_heads, 4096, 64);
        synthetic_add(&s, &p, RP_IMPL_fused, 1e-3);
    }
    row = turn_of(&s, RP_TURN_GROUP);
    expect_turn(&row, 3, 0.03, "H/G");
    synthetic_end(&s);

    plant_ridge(&s, 3);
    for (int64_t queries = 1; queries <= 16; queries *= 2) {
        struct rp_point p = shape_of(RP_STAGE_DECODE, 16, 16, 4096, 64);
        p.seq_q = queries;
        p.causal = queries > 1; /* one query is stored without a mask */
        synthetic_add(&s, &p, RP_IMPL_fused, 1e-3);
    }
    row = turn_of(&s, RP_TURN_SEQ_Q);
    expect_turn(&row, 3, 0.03, "query length");
    CHECK_TRUE(row.causal, "masked");
    CHECK_EQ_I64(row.value_min, 1, "one query begins the series of masked ones");
    synthetic_end(&s);
}

/* A second device, set up as asked, takes every other length. */
static void share_sweep(struct synthetic *s, double power_limit_w)
{
    struct rp_device_row second = *rp_study_devices(&s->study);
    RP_WORD_SET(second.uuid, "uuid-2");
    second.power_limit_w = power_limit_w;
    CHECK_OK(rp_study_append(&s->study, RP_TABLE_DEVICES, &second), "device");
    for (size_t i = rp_study_count(&s->study, RP_TABLE_CEILINGS); i-- > 0;) {
        struct rp_ceiling c = rp_study_ceilings(&s->study)[i];
        c.device = 1;
        CHECK_OK(rp_study_append(&s->study, RP_TABLE_CEILINGS, &c), "ceiling");
    }
    for (size_t i = 1; i < rp_study_count(&s->study, RP_TABLE_RESULTS); i += 2)
        row_at(s, i)->device = 1;
}

static void test_devices(void **state)
{
    (void)state;
    struct synthetic s;
    plant_ridge(&s, 100);
    add_prefill(&s, 64, 1024);
    share_sweep(&s, NAN);
    struct rp_turn_row row = turn_of(&s, RP_TURN_SEQ);
    expect_turn(&row, 200, 0.01, "alike devices share a series");
    synthetic_end(&s);

    plant_ridge(&s, 100);
    add_prefill(&s, 64, 1024);
    share_sweep(&s, 60);
    struct rp_study_file file = {s.path, s.study};
    struct rp_study_list list = {&file, 1};
    const struct rp_turn_request request = {.list = &list};
    struct rp_turn_table table;
    CHECK_OK(rp_turn_table_create(&request, &table), "table");
    CHECK_EQ_I64((int64_t)table.count, 2, "another power limit is another series");
    rp_turn_table_clear(&table);
    synthetic_end(&s);
}

/* The datasheets: fused prefill without a mask turns at twice the ridge (docs/MODEL.md). */
static void test_predicted(void **state)
{
    (void)state;
    static const struct {
        const char *gpu_type;
        double seq;
    } cases[] = {{"t4", 406}, {"a100-sxm-80gb", 306}, {"h100-sxm-80gb", 590}};
    struct synthetic s;
    struct rp_gpu_list gpus;
    plant_ridge(&s, 100);
    add_prefill(&s, 64, 8192);
    CHECK_OK(rp_gpu_list_load(NULL, &gpus), "gpus.tsv");
    struct rp_study_file file = {s.path, s.study};
    struct rp_study_list list = {&file, 1};
    struct rp_groups groups;
    CHECK_OK(rp_groups_create(&list, false, &groups), "groups");
    for (size_t i = 0; i < RP_COUNT(cases); ++i) {
        const struct rp_gpu_spec *gpu = rp_gpu_list_find_exact(&gpus, cases[i].gpu_type);
        const struct rp_turn_request request = {
            .list = &list, .groups = &groups, .gpus = &gpu, .n_gpus = 1};
        struct rp_turn_table table;
        CHECK_OK(rp_turn_table_create(&request, &table), cases[i].gpu_type);
        CHECK_EQ_I64((int64_t)table.count, 2, "measured, then predicted");
        CHECK_NEAR(table.items[1].turn.value, cases[i].seq, 0.02 * cases[i].seq, cases[i].gpu_type);
        CHECK_TRUE(isnan(table.items[1].turn.low), "a datasheet has no interval");
        rp_turn_table_clear(&table);
    }
    rp_groups_clear(&groups);
    rp_gpu_list_clear(&gpus);
    synthetic_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_prefill),       cmocka_unit_test(test_outside_the_sweep),
        cmocka_unit_test(test_open_interval), cmocka_unit_test(test_decode),
        cmocka_unit_test(test_devices),       cmocka_unit_test(test_predicted),
        cmocka_unit_test(test_soonest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
