/* test_analysis_memory.c - planted exponents come back within their interval; what fits a device.
 */
#include "analysis_study.h"

#include "analysis/fit.h"
#include "analysis/memory_table.h"

/* Uniform in -1 .. 1; any fixed sequence will do. */
static double noise(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) / 4503599627370496.0 - 1;
}

/* Two series with a power, factors of their own and noise: the interval holds the exponent 95 times
 * in a hundred. */
static void test_fit_coverage(void **state)
{
    (void)state;
    const double exponents[] = {1, 1.3, 2};
    enum { TIMES = 400, N = 6 };
    uint64_t seed = 1;
    for (size_t e = 0; e < RP_COUNT(exponents); ++e) {
        int held = 0;
        for (int time = 0; time < TIMES; ++time) {
            struct rp_fit_sums sums = {0};
            for (int series = 0; series < 2; ++series) {
                double x[N];
                double y[N];
                for (int i = 0; i < N; ++i) {
                    x[i] = 64 * pow(2, i);
                    y[i] = (1 + 99 * series) * pow(x[i], exponents[e]) * exp(0.1 * noise(&seed));
                }
                rp_fit_add_series(&sums, x, y, N);
            }
            struct rp_fit fit = rp_fit_of(&sums);
            held += fit.low <= exponents[e] && exponents[e] <= fit.high;
            CHECK_NEAR(fit.slope, exponents[e], 0.1, "slope");
        }
        CHECK_TRUE(held > 0.92 * TIMES && held < 0.98 * TIMES, "95 % of the intervals hold it");
    }
}

static void test_fit_edges(void **state)
{
    (void)state;
    const double x[] = {1, 2, 4};
    const double y[] = {3, 12, 48};
    struct rp_fit_sums sums = {0};
    CHECK_TRUE(isnan(rp_fit_of(&sums).slope), "nothing");
    rp_fit_add_series(&sums, x, y, 1);
    CHECK_TRUE(isnan(rp_fit_of(&sums).slope), "one point has no slope");
    rp_fit_add_series(&sums, x, y, 2);
    CHECK_NEAR(rp_fit_of(&sums).slope, 2, 1e-12, "two points");
    CHECK_TRUE(isnan(rp_fit_of(&sums).low), "have no interval");
    rp_fit_add_series(&sums, x, y, 3);
    CHECK_NEAR(rp_fit_of(&sums).low, 2, 1e-6, "an exact power");
    CHECK_NEAR(rp_fit_of(&sums).high, 2, 1e-6, "an exact power");
}

/* T doubles from 64 to 1024, two numbers of heads. */
static void build_sweep(struct synthetic *s)
{
    synthetic_begin(s);
    for (int64_t heads = 4; heads <= 8; heads += 4) {
        for (int64_t seq = 64; seq <= 1024; seq *= 2) {
            struct rp_point p = shape_of(RP_STAGE_PREFILL, heads, heads, seq, 32);
            for (int impl = 0; impl < RP_IMPL_DEFAULT_COUNT; ++impl)
                synthetic_add(s, &p, (enum rp_impl)impl, 1e-3);
        }
    }
}

static struct rp_memory_row row_of(struct synthetic *s, enum rp_turn_axis axis, enum rp_impl impl)
{
    struct rp_study_file file = {s->path, s->study};
    struct rp_study_list list = {&file, 1};
    const struct rp_turn_request request = {.list = &list};
    struct rp_memory_table table;
    struct rp_memory_row found = {0};
    size_t n = 0;
    CHECK_OK(rp_memory_table_create(&request, &table), "table");
    for (size_t i = 0; i < table.count; ++i) {
        if (table.items[i].axis == axis && table.items[i].impl == impl) {
            found = table.items[i];
            ++n;
        }
    }
    CHECK_EQ_I64((int64_t)n, 1, rp_impl_name(impl));
    rp_memory_table_clear(&table);
    return found;
}

static void test_growth(void **state)
{
    (void)state;
    struct synthetic s;
    build_sweep(&s);
    struct rp_memory_row naive = row_of(&s, RP_TURN_SEQ, RP_IMPL_naive);
    struct rp_memory_row fused = row_of(&s, RP_TURN_SEQ, RP_IMPL_fused);
    CHECK_NEAR(naive.scores.slope, 2, 1e-6, "scores are T squared");
    CHECK_NEAR(naive.scores.high - naive.scores.low, 0, 1e-5, "exactly");
    CHECK_TRUE(naive.peak.slope > 1.5 && naive.peak.high < 2.1, "the whole peak is towards 2");
    CHECK_TRUE(fused.peak.low <= 1.05 && fused.peak.high >= 0.9, "fused: 1");
    CHECK_TRUE(isnan(fused.scores.slope), "fused holds no scores");
    CHECK_EQ_I64((int64_t)naive.peak.series, 2, "series");
    /* A planted exponent, with bytes that are off by up to 5 %. */
    uint64_t seed = 7;
    for (size_t i = 0; i < rp_study_count(&s.study, RP_TABLE_RESULTS); ++i) {
        struct rp_result *row = row_at(&s, i);
        double bytes = 1e4 * (double)row->heads * pow((double)row->seq_k, 1.6);
        row->peak_memory_bytes = (int64_t)(bytes * (1 + 0.05 * noise(&seed)));
    }
    for (int impl = 0; impl < RP_IMPL_DEFAULT_COUNT; ++impl) {
        struct rp_memory_row row = row_of(&s, RP_TURN_SEQ, (enum rp_impl)impl);
        CHECK_TRUE(row.peak.low <= 1.6 && row.peak.high >= 1.6, "the planted exponent is inside");
        CHECK_TRUE(row.peak.high - row.peak.low < 0.2, "and the interval says something");
    }
    synthetic_end(&s);
}

/* A device that holds what naive needs at T = 256 and 8 heads, but not at 257. */
static void test_frontier(void **state)
{
    (void)state;
    struct synthetic s;
    build_sweep(&s);
    for (size_t i = 0; i < rp_study_count(&s.study, RP_TABLE_RESULTS); ++i) {
        struct rp_result *row = row_at(&s, i);
        if (strcmp(row->impl, "naive") != 0)
            continue;
        if (row->heads == 8 && row->seq_k == 256)
            rp_study_devices(&s.study)->memory_bytes = row->predicted_memory_bytes;
        if (row->heads == 8 && row->seq_k > 256)
            unmeasure(row, RP_OUTCOME_OOM, "predicted, not tried");
    }
    struct rp_memory_row naive = row_of(&s, RP_TURN_SEQ, RP_IMPL_naive);
    CHECK_EQ_I64(naive.first.heads, 8, "the series that needs the most");
    CHECK_EQ_I64(naive.fits_max, 256, "ran");
    CHECK_EQ_I64(naive.fails_min, 512, "did not fit");
    CHECK_EQ_I64(naive.predicted_max, 256, "should fit");
    struct rp_memory_row fused = row_of(&s, RP_TURN_SEQ, RP_IMPL_fused);
    CHECK_EQ_I64(fused.fits_max, 1024, "fused ran at all lengths");
    CHECK_EQ_I64(fused.fails_min, -1, "and ran out at none");
    CHECK_TRUE(fused.predicted_max > 256, "and goes further");
    synthetic_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fit_coverage),
        cmocka_unit_test(test_fit_edges),
        cmocka_unit_test(test_growth),
        cmocka_unit_test(test_frontier),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
