/*
 * test_publish_readers.c - R12: readers during a thousand publications never fail to open the file,
 * never see a part of it, and never see fewer rows than before.
 */
#include "check.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/publish.h"
#include "store/results_hdf5.h"

static char path[96];

static void add_row(struct rp_study *study, int64_t sequence)
{
    struct rp_result row;
    rp_row_init(RP_TABLE_RESULTS, &row);
    row.sequence = sequence;
    RP_WORD_SET(row.status, "error");
    CHECK_OK(rp_study_append(study, RP_TABLE_RESULTS, &row), "append");
}

/* Exit code: 0 when every look was right; the writer ends it by removing the file. */
static int read_until_gone(void)
{
    int64_t most = 0;
    while (access(path, F_OK) == 0) {
        struct rp_study study;
        enum rp_status status = rp_results_read(path, &study);
        if (status != RP_OK)
            return access(path, F_OK) == 0 ? 1 : 0;
        int64_t rows = (int64_t)rp_study_count(&study, RP_TABLE_RESULTS);
        rp_study_clear(&study);
        if (rows < most)
            return 2;
        most = rows;
    }
    return most > 1 ? 0 : 3;
}

static void test_readers(void **state)
{
    (void)state;
    enum { GROW_EVERY = 25 };
    const char *wish = getenv("RP_PUBLICATIONS");
    const int publications = wish ? atoi(wish) : 1000;
    /* In memory where there is such a file system: what is tested is order, not the disk. */
    char folder[64] = "/tmp/ridgepoint-readers.XXXXXX";
    if (access("/dev/shm", W_OK) == 0)
        snprintf(folder, sizeof folder, "/dev/shm/ridgepoint-readers.XXXXXX");
    CHECK_TRUE(mkdtemp(folder) != NULL, "folder");
    snprintf(path, sizeof path, "%s/f.h5", folder);
    struct rp_study study;
    rp_study_init(&study);
    add_row(&study, 0);
    CHECK_OK(rp_publish(path, &study), "the first");
    pid_t reader = fork();
    if (reader == 0)
        _exit(read_until_gone());
    for (int i = 1; i < publications; ++i) {
        if (i % GROW_EVERY == 0)
            add_row(&study, i);
        CHECK_OK(rp_publish(path, &study), "publish");
    }
    unlink(path);
    int status = 0;
    waitpid(reader, &status, 0);
    CHECK_TRUE(WIFEXITED(status), "the reader ended by itself");
    CHECK_EQ_I64(WEXITSTATUS(status), 0, "1: failed open, 2: fewer rows, 3: saw no growth");
    rp_study_clear(&study);
    rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_readers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
