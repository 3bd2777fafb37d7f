/* test_stats.c - order statistics: hand-checked intervals, and coverage on known distributions. */
#include "check.h"

#include "base/rng.h"
#include "base/stats.h"

static void test_median(void **state)
{
    (void)state;
    CHECK_NEAR(rp_stats_median((double[]){1, 2, 9}, 3), 2, 0, "odd");
    CHECK_NEAR(rp_stats_median((double[]){1, 2, 4, 9}, 4), 3, 0, "even");
    CHECK_NEAR(rp_stats_median((double[]){5}, 1), 5, 0, "one");
}

static void test_interval_by_hand(void **state)
{
    (void)state;
    double values[100];
    for (int i = 0; i < 100; ++i)
        values[i] = i + 1;
    static const struct {
        const char *name;
        size_t n;
        double low, high, level;
    } cases[] = {
        {"n=1 encloses nothing", 1, 1, 1, 0},
        {"n=5 is the range and too little", 5, 1, 5, 1 - 2.0 / 32},
        {"n=6 is the range and enough", 6, 1, 6, 1 - 2.0 / 64},
        {"n=9 cuts one", 9, 2, 8, 1 - 2.0 * (1 + 9) / 512},
        {"n=10 cuts one", 10, 2, 9, 1 - 2.0 * (1 + 10) / 1024},
        {"n=20 cuts five", 20, 6, 15, 0.9586}, /* tables of the sign test */
        {"n=100 cuts thirty-nine", 100, 40, 61, 0.9648},
    };
    for (size_t i = 0; i < RP_COUNT(cases); ++i) {
        struct rp_stats_interval interval = rp_stats_median_interval(values, cases[i].n, 0.95);
        CHECK_NEAR(interval.low, cases[i].low, 0, cases[i].name);
        CHECK_NEAR(interval.high, cases[i].high, 0, cases[i].name);
        CHECK_NEAR(interval.level, cases[i].level, 1e-4, cases[i].name);
    }
}

/* Of many samples of a known median, how often the interval holds it. */
static void test_coverage(void **state)
{
    (void)state;
    enum { TRIALS = 4000, N = 40 };
    int held = 0;
    for (uint64_t t = 0; t < TRIALS; ++t) {
        double values[N];
        for (uint64_t i = 0; i < N; ++i) {
            double u = (double)rp_rng_below(11, t, i, 1u << 30) / (1u << 30);
            values[i] = -log(1 - u); /* exponential: median log 2, skewed as times are */
        }
        rp_stats_sort(values, N);
        struct rp_stats_interval interval = rp_stats_median_interval(values, N, 0.95);
        held += interval.low <= log(2) && log(2) <= interval.high;
    }
    double coverage = (double)held / TRIALS;
    CHECK_TRUE(coverage > 0.94 && coverage < 0.98, "about the level it states (0.9615 for n=40)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_median),
        cmocka_unit_test(test_interval_by_hand),
        cmocka_unit_test(test_coverage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
