/* test_disturbance.c - planted loss of a core, stolen time, throttling and energy. */
#include "check.h"

#include "measure/disturbance.h"
#include "model/result.h"

static struct rp_watch quiet(void)
{
    return (struct rp_watch){
        .stolen_s = 5, .throttled_s = 2, .power_w = NAN, .temperature_c = NAN, .clock_hz = NAN};
}

static void test_sample(void **state)
{
    (void)state;
    static const struct {
        double sample_s, lost_s;
        bool counts;
    } cases[] = {
        {1.0, 0.009, true},                      /* below 1 % */
        {1.0, 0.011, false},                     /* above */
        {1e-4, 1.5e-5, true},                    /* what the readings themselves take */
        {1e-4, 2.5e-5, false}, {1.0, NAN, true}, /* not known */
    };
    struct rp_disturbance d = {0};
    size_t disturbed = 0;
    for (size_t i = 0; i < RP_COUNT(cases); ++i) {
        const struct rp_sample_watch seen = {.lost_s = cases[i].lost_s, .energy_j = NAN};
        CHECK_TRUE(rp_disturbance_add_sample(&d, cases[i].sample_s, 1, &seen) == cases[i].counts,
                   "counts");
        disturbed += !cases[i].counts;
        CHECK_EQ_I64((int64_t)d.n_disturbed, (int64_t)disturbed, "and is counted");
    }
}

static void test_turn(void **state)
{
    (void)state;
    struct rp_disturbance d = {0};
    struct rp_watch before = quiet();
    struct rp_watch after = quiet();
    CHECK_TRUE(rp_disturbance_add_turn(&d, &before, &after, 1, 3), "nothing happened");
    after.stolen_s += 0.005;
    CHECK_TRUE(rp_disturbance_add_turn(&d, &before, &after, 1, 3), "0.5 % was stolen");
    after.stolen_s += 0.015;
    CHECK_TRUE(!rp_disturbance_add_turn(&d, &before, &after, 1, 3), "2 % was stolen");
    CHECK_EQ_I64((int64_t)d.n_disturbed, 3, "all three samples");
    after.throttled_s += 1e-6;
    CHECK_TRUE(!rp_disturbance_add_turn(&d, &before, &after, 1, 2), "held back however briefly");
    CHECK_EQ_I64((int64_t)d.n_throttled, 2, "both samples");
    after = before;
    after.stolen_s = after.throttled_s = NAN;
    CHECK_TRUE(rp_disturbance_add_turn(&d, &before, &after, 1, 2), "not known disturbs nothing");
}

static struct rp_result concluded(const struct rp_disturbance *d, size_t count, size_t used)
{
    struct rp_result row;
    rp_row_init(RP_TABLE_RESULTS, &row);
    rp_disturbance_conclude(d, count, used, &row);
    return row;
}

static void test_row(void **state)
{
    (void)state;
    struct rp_disturbance d = {.n_disturbed = 2};
    CHECK_EQ_TEXT(concluded(&d, 12, 10).flags, "", "enough are left");
    CHECK_EQ_TEXT(concluded(&d, 12, 10).reason, "", "enough are left");
    CHECK_EQ_TEXT(concluded(&d, 5, 3).flags, "noisy", "too few are left");
    CHECK_EQ_TEXT(concluded(&d, 5, 3).reason,
                  "3 of 5 samples count; left out: 2 disturbed and 0 throttled", "and says so");
    CHECK_EQ_TEXT(concluded(&(struct rp_disturbance){0}, 3, 3).reason, "", "few, but undisturbed");
    d.n_throttled = 1;
    d.was_throttled = true;
    CHECK_EQ_TEXT(concluded(&d, 12, 9).flags, "throttled", "any sample throttled");
    CHECK_EQ_TEXT(concluded(&d, 3, 0).flags, "throttled,noisy", "both");
}

static void test_readings(void **state)
{
    (void)state;
    struct rp_disturbance d = {0};
    struct rp_watch before = quiet();
    struct rp_watch after = quiet();
    const struct rp_sample_watch brief = {.lost_s = 0, .energy_j = 0.5};
    const struct rp_sample_watch longer = {.lost_s = 0, .energy_j = 6};
    CHECK_TRUE(isnan(concluded(&d, 1, 1).clock_hz), "never read");
    after.clock_hz = 1e9;
    after.power_w = 100;
    rp_disturbance_add_turn(&d, &before, &after, 1, 1);
    after.clock_hz = 2e9;
    after.temperature_c = 60;
    rp_disturbance_add_turn(&d, &before, &after, 1, 1);
    rp_disturbance_add_sample(&d, 0.001, 1, &brief);
    CHECK_TRUE(isnan(concluded(&d, 1, 1).energy_j), "too short for the counter");
    rp_disturbance_add_sample(&d, 0.1, 3, &longer);
    struct rp_result row = concluded(&d, 2, 2);
    CHECK_NEAR(row.clock_hz, 1.5e9, 0, "mean of the readings");
    CHECK_NEAR(row.power_w, 100, 0, "mean of the readings");
    CHECK_NEAR(row.temperature_c, 60, 0, "only what was known");
    CHECK_NEAR(row.energy_j, 2, 1e-12, "of one launch");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sample),
        cmocka_unit_test(test_turn),
        cmocka_unit_test(test_row),
        cmocka_unit_test(test_readings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
