/* test_cupti.c - what is made of CUPTI's answers, on a stand-in for libcupti.so.13. */
#include "check.h"

#include <stdlib.h>

#include "device/cupti.h"

static enum rp_status count(int64_t *read_bytes, int64_t *write_bytes)
{
    struct rp_cupti *cupti = NULL;
    RP_TRY(rp_cupti_begin(0, &cupti));
    return rp_cupti_end(cupti, read_bytes, write_bytes);
}

static void test_counts_each_launch(void **state)
{
    (void)state;
    int64_t read_bytes = -1;
    int64_t write_bytes = -1;
    for (int64_t i = 1; i <= 2; ++i) {
        CHECK_OK(count(&read_bytes, &write_bytes), "count");
        CHECK_EQ_I64(read_bytes, 1000 * i, "read");
        CHECK_EQ_I64(write_bytes, 10 * i, "written");
    }
}

/* Whatever call fails is told, and all is put back: the next count works. */
static void test_failures_are_told(void **state)
{
    (void)state;
    static const struct {
        const char *fail, *words;
    } cases[] = {
        {"cuptiProfilerInitialize:7", "start: as the test asked (7)"},
        {"cuptiProfilerHostInitialize:7", "GH100: as the test asked"},
        {"cuptiProfilerHostConfigAddMetrics:7", "dram__bytes_read.sum: as the test asked"},
        {"cuptiRangeProfilerEnable:35", "NVreg_RestrictProfilingToAdminUsers=0"},
        {"cuptiRangeProfilerStart:40", "CAP_SYS_ADMIN"},
        {"cuptiRangeProfilerPopRange:7", "the end of the launch: as the test asked"},
        {"cuptiProfilerHostEvaluateToGpuValues:7", "the counters: as the test asked"},
    };
    int64_t bytes = -1;
    for (size_t i = 0; i < RP_COUNT(cases); ++i) {
        setenv("FAKE_CUPTI_FAIL", cases[i].fail, 1);
        CHECK_STATUS(count(&bytes, &bytes), RP_ERR_UNSUPPORTED, cases[i].fail);
        CHECK_CONTAINS(rp_status_message(), cases[i].words, cases[i].fail);
        CHECK_EQ_I64(bytes, -1, "nothing is made up");
        unsetenv("FAKE_CUPTI_FAIL");
        CHECK_OK(count(&bytes, &bytes), cases[i].fail);
        bytes = -1;
    }
    setenv("FAKE_CUPTI_MIG", "1", 1);
    CHECK_STATUS(count(&bytes, &bytes), RP_ERR_UNSUPPORTED, "MIG");
    CHECK_CONTAINS(rp_status_message(), "cannot profile this GPU as it is", "MIG");
    unsetenv("FAKE_CUPTI_MIG");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts_each_launch),
        cmocka_unit_test(test_failures_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
