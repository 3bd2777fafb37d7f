/* test_analysis_labels.c - a figure's labels keep unlike devices apart, and say no more. */
#include "analysis_planted.h"

#include "analysis/figure_rows.h"

/* Labels of all rows, in order, "" between those that repeat the one before. */
static void expect_labels(const struct synthetic *s, const char *const *expected, size_t n)
{
    struct rp_study_file file = {s->path, s->study};
    const struct rp_study_list list = {&file, 1};
    struct rp_figure_rows rows;
    size_t found = 0;
    CHECK_OK(rp_figure_rows_create(&list, true, &rows), "rows");
    for (size_t begin = 0; begin < rows.count; ++found) {
        CHECK_TRUE(found < n, rows.items[begin].label);
        CHECK_EQ_TEXT(rows.items[begin].label, expected[found], "label");
        begin = rp_figure_rows_end_of_label(&rows, begin);
    }
    CHECK_EQ_I64((int64_t)found, (int64_t)n, "how many labels");
    rp_figure_rows_clear(&rows);
}

static void test_labels(void **state)
{
    (void)state;
    static const char *const apart[] = {"t4 250 W", "t4 70 W", "t4 MIG 1g.5gb ECC off 70 W"};
    struct synthetic s;
    struct rp_device_row device;
    build(&s);
    RP_WORD_SET(rp_study_devices(&s.study)[0].gpu_type, "t4");
    rp_study_devices(&s.study)[0].power_limit_w = 70;
    expect_labels(&s, (const char *[]){"t4; 2 threads"}, 1);
    for (size_t i = 0; i < 7; ++i)
        row_at(&s, i)->threads = -1;
    expect_labels(&s, (const char *[]){"t4"}, 1);
    device = rp_study_devices(&s.study)[0];
    RP_WORD_SET(device.backend, "simulated");
    CHECK_OK(rp_study_append(&s.study, RP_TABLE_DEVICES, &device), "simulated");
    row_at(&s, 1)->device = 1;
    expect_labels(&s, (const char *[]){"t4", "t4 (simulated)"}, 2);
    row_at(&s, 1)->device = 0;
    RP_WORD_SET(device.backend, "cpu");
    device.power_limit_w = 250;
    CHECK_OK(rp_study_append(&s.study, RP_TABLE_DEVICES, &device), "another limit");
    row_at(&s, 2)->device = 2;
    device.power_limit_w = 70;
    device.ecc = 0;
    RP_WORD_SET(device.mig, "1g.5gb");
    CHECK_OK(rp_study_append(&s.study, RP_TABLE_DEVICES, &device), "a slice");
    row_at(&s, 3)->device = 3;
    expect_labels(&s, apart, RP_COUNT(apart));
    synthetic_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_labels)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
