/* test_publish.c - an output is the old file or the new one, never something between. */
#include "check.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <signal.h>

#include "model/column.h"
#include "store/folder.h"
#include "store/publish.h"
#include "store/results_hdf5.h"

static char folder[] = "/tmp/ridgepoint-publish.XXXXXX";
static char path[96];
static char temporary[112];

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/f.h5", folder);
    snprintf(temporary, sizeof temporary, "%s.tmp", path);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

/* Files in the folder; their names, each followed by a space, in `names` in any order. */
static int list(char *names, size_t size)
{
    int count = 0;
    names[0] = '\0';
    DIR *d = opendir(folder);
    for (struct dirent *e = readdir(d); e; e = readdir(d)) {
        if (e->d_name[0] == '.')
            continue;
        ++count;
        if (strlen(names) + strlen(e->d_name) + 2 > size)
            fail_msg("more files than the test expects");
        memcpy(names + strlen(names), e->d_name, strlen(e->d_name) + 1);
        memcpy(names + strlen(names), " ", 2);
    }
    closedir(d);
    return count;
}

static int empty_folder(void **state)
{
    (void)state;
    char name[512];
    DIR *d = opendir(folder);
    for (struct dirent *e = readdir(d); e; e = readdir(d)) {
        snprintf(name, sizeof name, "%s/%s", folder, e->d_name);
        if (e->d_name[0] != '.' && unlink(name) != 0)
            rmdir(name);
    }
    closedir(d);
    return 0;
}

static void put_text(const char *name, const char *text)
{
    FILE *f = fopen(name, "w");
    fputs(text, f);
    fclose(f);
}

static void check_text(const char *name, const char *expected)
{
    char text[64] = "";
    FILE *f = fopen(name, "r");
    CHECK_TRUE(f != NULL, name);
    CHECK_TRUE(fgets(text, sizeof text, f) != NULL, name);
    fclose(f);
    CHECK_EQ_TEXT(text, expected, name);
}

static void make_study(struct rp_study *study, size_t samples)
{
    const struct rp_sample sample = {.time_s = 0.5, .launches = 1, .round = 0, .used = 1};
    rp_study_init(study);
    study->rows_planned = (int64_t)samples;
    for (size_t i = 0; i < samples; ++i)
        CHECK_OK(rp_study_append(study, RP_TABLE_SAMPLES, &sample), "append");
}

static void test_creates_and_replaces(void **state)
{
    (void)state;
    char names[256];
    for (size_t samples = 0; samples < 4; ++samples) {
        struct rp_study study;
        struct rp_study back;
        make_study(&study, samples);
        put_text(temporary, "what a killed run left");
        CHECK_OK(rp_publish(path, &study), "publish");
        CHECK_OK(rp_results_read(path, &back), "read");
        CHECK_EQ_I64(back.rows_planned, (int64_t)samples, "the new file");
        CHECK_EQ_I64(list(names, sizeof names), 1, names);
        rp_study_clear(&study);
        rp_study_clear(&back);
    }
}

static void test_failures_touch_nothing(void **state)
{
    (void)state;
    char name[160];
    struct rp_study study;
    make_study(&study, 2);
    snprintf(name, sizeof name, "%s/none/f.h5", folder);
    CHECK_STATUS(rp_publish(name, &study), RP_ERR_ENVIRONMENT, "no such folder");
    CHECK_CONTAINS(rp_status_message(), "No such file or directory", "no such folder");
    CHECK_CONTAINS(rp_status_message(), name, "no such folder");

    CHECK_EQ_I64(mkdir(path, 0755), 0, "a folder in its place");
    CHECK_STATUS(rp_publish(path, &study), RP_ERR_ENVIRONMENT, "a folder in its place");
    CHECK_CONTAINS(rp_status_message(), "is a folder", "a folder in its place");
    CHECK_TRUE(access(temporary, F_OK) != 0, "no temporary file is left");
    rmdir(path);

    put_text(path, "old");
    CHECK_EQ_I64(mkdir(temporary, 0755), 0, "a folder as temporary file");
    CHECK_STATUS(rp_publish(path, &study), RP_ERR_ENVIRONMENT, "a folder as temporary file");
    CHECK_CONTAINS(rp_status_message(), temporary, "a folder as temporary file");
    check_text(path, "old");
    rmdir(temporary);
    rp_study_clear(&study);
}

/* A file that may not grow beyond 4 KiB stands for a full disk. */
static void test_full_disk(void **state)
{
    (void)state;
    put_text(path, "old");
    pid_t child = fork();
    if (child == 0) {
        struct rp_study study;
        struct rlimit limit = {4096, 4096};
        make_study(&study, 2);
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &limit);
        bool good = rp_publish(path, &study) == RP_ERR_ENVIRONMENT &&
                    strstr(rp_status_message(), "File too large") &&
                    strstr(rp_status_message(), temporary);
        rp_study_clear(&study);
        _exit(good ? 0 : 1);
    }
    int status = 0;
    char names[256];
    waitpid(child, &status, 0);
    CHECK_EQ_I64(status, 0, "says why, and where");
    check_text(path, "old");
    CHECK_EQ_I64(list(names, sizeof names), 1, names);
}

/* Root may write anywhere, so the folder is tried as another user. */
static void test_unwritable_folder(void **state)
{
    (void)state;
    enum { NOBODY = 65534 };
    put_text(path, "old");
    CHECK_EQ_I64(chmod(folder, 0555), 0, "read-only");
    pid_t child = fork();
    if (child == 0) {
        struct rp_study study;
        make_study(&study, 1);
        if (geteuid() == 0 && (setgid(NOBODY) != 0 || setuid(NOBODY) != 0))
            _exit(2);
        bool good = rp_publish(path, &study) == RP_ERR_ENVIRONMENT &&
                    strstr(rp_status_message(), "Permission denied") &&
                    rp_publish_probe(path) == RP_ERR_ENVIRONMENT &&
                    strstr(rp_status_message(), "Permission denied") &&
                    rp_publish_move_aside(path) == RP_ERR_ENVIRONMENT;
        rp_study_clear(&study);
        _exit(good ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    CHECK_EQ_I64(chmod(folder, 0755), 0, "writable again");
    CHECK_EQ_I64(status, 0, "refused, and nothing changed");
    check_text(path, "old");
}

/* Killed at random moments, many times: a reader sees a whole file, the old one or the new one. */
static void test_killed_while_publishing(void **state)
{
    (void)state;
    struct rp_study study;
    make_study(&study, 100);
    CHECK_OK(rp_publish(path, &study), "first");
    for (unsigned i = 0; i < 20; ++i) {
        struct rp_study back;
        pid_t child = fork();
        if (child == 0) {
            for (;;) {
                ++study.rows_planned;
                if (rp_publish(path, &study) != RP_OK)
                    _exit(1);
            }
        }
        usleep(1000 * (5 + 7 * i));
        kill(child, SIGKILL);
        int status = 0;
        waitpid(child, &status, 0);
        CHECK_TRUE(WIFSIGNALED(status), "publishing went on until it was killed");
        CHECK_OK(rp_results_read(path, &back), "whole");
        CHECK_EQ_I64((int64_t)rp_study_count(&back, RP_TABLE_SAMPLES), 100, "whole");
        rp_study_clear(&back);
    }
    rp_study_clear(&study);
}

static void test_move_aside(void **state)
{
    (void)state;
    char names[1024];
    char plain[128];
    CHECK_OK(rp_publish_move_aside(path), "nothing there");
    for (int i = 0; i < 3; ++i) {
        char text[24];
        snprintf(text, sizeof text, "file %d", i);
        put_text(path, text);
        CHECK_OK(rp_publish_move_aside(path), text);
        CHECK_TRUE(access(path, F_OK) != 0, "moved");
    }
    CHECK_EQ_I64(list(names, sizeof names), 3, names);
    int digits = 0;
    CHECK_EQ_I64(sscanf(names, "f.%*8[0-9]T%*6[0-9]Z%n", &digits), 0, names);
    CHECK_EQ_I64(digits, (int)strlen("f.20260131T120000Z"), names);
    empty_folder(NULL);

    snprintf(plain, sizeof plain, "%s/plain", folder);
    put_text(plain, "no suffix");
    CHECK_OK(rp_publish_move_aside(plain), "no suffix");
    CHECK_EQ_I64(list(names, sizeof names), 1, names);
    CHECK_TRUE(strncmp(names, "plain.2", 7) == 0 && strstr(names, "Z.h5 "), names);
}

static void test_probe(void **state)
{
    (void)state;
    char deep[160];
    char names[256];
    put_text(path, "old");
    CHECK_OK(rp_publish_probe(path), "there");
    check_text(path, "old");
    CHECK_EQ_I64(list(names, sizeof names), 1, names);
    snprintf(deep, sizeof deep, "%s/a/b/f.h5", folder);
    CHECK_OK(rp_publish_probe(deep), "folders are made");
    CHECK_OK(rp_publish_probe(deep), "and may be there");
    deep[strlen(deep) - strlen("/f.h5")] = '\0';
    CHECK_EQ_I64(rmdir(deep), 0, "nothing is left in them");
    deep[strlen(deep) - strlen("/b")] = '\0';
    CHECK_EQ_I64(rmdir(deep), 0, "nothing is left in them");

    snprintf(deep, sizeof deep, "%s/g.h5", path);
    CHECK_STATUS(rp_publish_probe(deep), RP_ERR_ENVIRONMENT, "below a file");
    CHECK_CONTAINS(rp_status_message(), "Not a directory", "below a file");
    CHECK_STATUS(rp_publish_probe(folder), RP_ERR_ENVIRONMENT, "a folder");
    CHECK_STATUS(rp_publish_probe(""), RP_ERR_ENVIRONMENT, "no name");
    snprintf(deep, sizeof deep, "%s/x/", folder);
    CHECK_STATUS(rp_publish_probe(deep), RP_ERR_ENVIRONMENT, "ends in a slash");
}

static void test_folder_of(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        const char *folder;
    } cases[] = {{"f.h5", "."}, {"a/f.h5", "a"}, {"/f.h5", "/"}, {"/a/b/f.h5", "/a/b"}};
    for (size_t i = 0; i < RP_COUNT(cases); ++i) {
        char *found = rp_folder_of(cases[i].path);
        CHECK_EQ_TEXT(found, cases[i].folder, cases[i].path);
        free(found);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_creates_and_replaces, empty_folder),
        cmocka_unit_test_teardown(test_failures_touch_nothing, empty_folder),
        cmocka_unit_test_teardown(test_full_disk, empty_folder),
        cmocka_unit_test_teardown(test_unwritable_folder, empty_folder),
        cmocka_unit_test_teardown(test_killed_while_publishing, empty_folder),
        cmocka_unit_test_teardown(test_move_aside, empty_folder),
        cmocka_unit_test_teardown(test_probe, empty_folder),
        cmocka_unit_test(test_folder_of),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
