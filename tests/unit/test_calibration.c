/* test_calibration.c - ceilings first, the anchor in the middle and at the end, each once. */
#include "check.h"

#include "runner/calibration.h"

static void test_order(void **state)
{
    (void)state;
    struct rp_calibration c = {0};
    struct rp_task task;
    CHECK_TRUE(rp_calibration_take(&c, 100, false, &task), "before the first point");
    CHECK_EQ_I64(task.kind, RP_TASK_CEILINGS, "ceilings");
    CHECK_TRUE(rp_calibration_is_task(task.number), "no point's number");
    CHECK_TRUE(rp_calibration_is_busy(&c), "the ceilings are not there yet");
    CHECK_TRUE(!rp_calibration_take(&c, 50, false, &task), "one at a time");
    rp_calibration_finish(&c);
    CHECK_TRUE(!rp_calibration_take(&c, 90, false, &task), "not yet the middle");
    CHECK_TRUE(!rp_calibration_is_busy(&c), "now they are");
    CHECK_TRUE(rp_calibration_take(&c, 50, false, &task), "half of it is handed out");
    CHECK_EQ_TEXT(task.moment, "middle", "moment");
    rp_calibration_finish(&c);
    CHECK_TRUE(!rp_calibration_take(&c, 0, false, &task), "it still holds a point");
    CHECK_TRUE(rp_calibration_take(&c, 0, true, &task), "nothing is left");
    CHECK_EQ_TEXT(task.moment, "end", "moment");
    CHECK_EQ_I64(task.kind, RP_TASK_ANCHOR, "anchor");
    CHECK_TRUE(rp_calibration_is_busy(&c), "two of three");
    rp_calibration_finish(&c);
    CHECK_TRUE(!rp_calibration_is_busy(&c), "all");
    CHECK_TRUE(!rp_calibration_take(&c, 0, true, &task), "each once");
}

static void test_nothing_to_do(void **state)
{
    (void)state;
    struct rp_calibration c = {0};
    struct rp_task task;
    CHECK_TRUE(!rp_calibration_take(&c, 0, true, &task), "nothing to hold against ceilings");
    CHECK_TRUE(!rp_calibration_is_busy(&c), "nothing is waited for");
    CHECK_TRUE(!rp_calibration_is_task(0) && !rp_calibration_is_task(-1), "points, and none");
}

static void test_retired(void **state)
{
    (void)state;
    struct rp_calibration c = {0};
    struct rp_task task;
    CHECK_TRUE(rp_calibration_take(&c, 100, false, &task), "ceilings");
    rp_calibration_retire(&c);
    CHECK_TRUE(!rp_calibration_is_busy(&c), "nobody waits for a rank that is gone");
    CHECK_TRUE(!rp_calibration_take(&c, 0, true, &task), "nor asks it");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_nothing_to_do),
        cmocka_unit_test(test_retired),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
