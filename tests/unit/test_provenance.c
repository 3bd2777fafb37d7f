/* test_provenance.c - a row of /runs says where a run came from. */
#include "check.h"

#include <stdbool.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/provenance.h"

static void begin(int argc, const char *const *argv, struct rp_run *run)
{
    CHECK_OK(rp_provenance_begin(argc, (char *const *)(uintptr_t)argv, run), "begin");
}

static void test_fields(void **state)
{
    (void)state;
    const char *const argv[] = {"ridgepoint", "run", "a.yaml"};
    struct rp_run run;
    setenv("SLURM_JOB_ID", "4711", 1);
    setenv("SLURM_JOB_PARTITION", "gpu\xe9", 1);
    begin(3, argv, &run);
    CHECK_EQ_TEXT(run.argv, "ridgepoint run a.yaml", "argv");
    CHECK_EQ_TEXT(run.slurm_job_id, "4711", "job");
    CHECK_EQ_TEXT(run.slurm_partition, "gpu\\xe9", "partition");
    CHECK_EQ_TEXT(run.version, rp_provenance_version(), "version");
    CHECK_EQ_TEXT(run.git_commit, rp_provenance_git_commit(), "commit");
    CHECK_TRUE(run.version[0] >= '0' && run.version[0] <= '9', run.version);
    CHECK_TRUE(strlen(run.git_commit) > 0, "commit");
    CHECK_TRUE(strncmp(run.compiler, "gcc ", 4) == 0 || strncmp(run.compiler, "clang ", 6) == 0,
               run.compiler);
    int dots = 0;
    for (const char *p = run.hdf5; *p; ++p)
        dots += *p == '.';
    CHECK_EQ_I64(dots, 2, run.hdf5);
    CHECK_EQ_I64((int64_t)strlen(run.started_utc), 24, run.started_utc);
    CHECK_EQ_TEXT(run.ended_utc, "", "not yet");
    CHECK_EQ_I64(run.exit, -1, "not yet");
    CHECK_EQ_I64(run.ranks, -1, "the runner's");
    rp_row_clear(RP_TABLE_RUNS, &run);
    unsetenv("SLURM_JOB_ID");
    unsetenv("SLURM_JOB_PARTITION");
    begin(3, argv, &run);
    CHECK_EQ_TEXT(run.slurm_job_id, "", "no job");
    CHECK_EQ_TEXT(rp_provenance_slurm_job_id(), "", "no job");
    rp_row_clear(RP_TABLE_RUNS, &run);
}

static void test_restart_count(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t count;
    } cases[] = {{"0", 0}, {"3", 3}, {"", 0}, {"-1", 0}, {"x", 0}, {" 1", 0}};
    for (size_t i = 0; i < RP_COUNT(cases); ++i) {
        setenv("SLURM_RESTART_COUNT", cases[i].text, 1);
        CHECK_EQ_I64(rp_provenance_slurm_restart_count(), cases[i].count, cases[i].text);
    }
    unsetenv("SLURM_RESTART_COUNT");
    CHECK_EQ_I64(rp_provenance_slurm_restart_count(), 0, "unset");
}

/* Quoted so that a shell reads the same arguments again. */
static void test_quoting(void **state)
{
    (void)state;
    const char *const argv[] = {"a",    "",  "b c", "it's", "$(x)", "\"q\"",  "*",       "--k=v",
                                "a\nb", "~", "\\",  "-",    "#x",   "a;b|c&", "\xc3\xa9"};
    struct rp_run run;
    char script[1024];
    char back[256];
    begin((int)RP_COUNT(argv), argv, &run);
    snprintf(script, sizeof script, "printf '%%s\\001' %s", run.argv);
    FILE *f = popen(script, "r");
    size_t n = fread(back, 1, sizeof back - 1, f);
    back[n] = '\0';
    CHECK_EQ_I64(pclose(f), 0, run.argv);
    const char *at = back;
    for (size_t i = 0; i < RP_COUNT(argv); ++i) {
        size_t length = strlen(argv[i]);
        CHECK_TRUE(strncmp(at, argv[i], length) == 0 && at[length] == 1, argv[i]);
        at += length + 1;
    }
    CHECK_EQ_TEXT(at, "", "nothing else");
    rp_row_clear(RP_TABLE_RUNS, &run);
}

static int compare_ids(const void *a, const void *b)
{
    return strcmp(a, b);
}

static void test_run_id(void **state)
{
    (void)state;
    enum { RUNS = 200, FIRST = 100 };
    static char ids[RUNS][33];
    int channel[2];
    struct rp_run run;
    CHECK_EQ_I64(pipe(channel), 0, "pipe");
    for (int i = 0; i < RUNS; ++i) {
        if (i < FIRST) { /* of one process */
            begin(0, NULL, &run);
            memcpy(ids[i], run.run_id, sizeof ids[i]);
            rp_row_clear(RP_TABLE_RUNS, &run);
            continue;
        }
        if (fork() == 0) { /* of many */
            bool good = rp_provenance_begin(0, NULL, &run) == RP_OK &&
                        write(channel[1], run.run_id, sizeof ids[i]) == sizeof ids[i];
            _exit(good ? 0 : 1);
        }
        wait(NULL);
        CHECK_EQ_I64(read(channel[0], ids[i], sizeof ids[i]), sizeof ids[i], "child");
    }
    for (int i = 0; i < RUNS; ++i) {
        CHECK_EQ_I64((int64_t)strlen(ids[i]), 32, ids[i]);
        CHECK_EQ_I64((int64_t)strspn(ids[i], "0123456789TZ-abcdef"), 32, ids[i]);
    }
    qsort(ids, RUNS, sizeof ids[0], compare_ids);
    for (int i = 1; i < RUNS; ++i)
        CHECK_TRUE(strcmp(ids[i - 1], ids[i]) != 0, ids[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fields),
        cmocka_unit_test(test_restart_count),
        cmocka_unit_test(test_quoting),
        cmocka_unit_test(test_run_id),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
