/* test_lock.c - one run at a time owns an output, and a dead one owns nothing. */
#include "check.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "store/lock.h"
#include "store/lock_holder.h"

static char folder[] = "/tmp/ridgepoint-lock.XXXXXX";
static char path[80];
static char file[96];

static int make_folder(void **state)
{
    (void)state;
    unsetenv("SLURM_JOB_ID");
    unsetenv("SLURM_RESTART_COUNT");
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/f.h5", folder);
    snprintf(file, sizeof file, "%s.lock", path);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder); /* fails when a test leaves anything behind */
}

static int remove_lock(void **state)
{
    (void)state;
    unsetenv("SLURM_JOB_ID");
    unsetenv("SLURM_RESTART_COUNT");
    unlink(file);
    return 0;
}

static bool present(void)
{
    return access(file, F_OK) == 0;
}

static void put_text(const char *text)
{
    FILE *f = fopen(file, "w");
    fputs(text, f);
    fclose(f);
}

static void put_holder(const struct rp_lock_holder *holder)
{
    char text[RP_LOCK_TEXT_SIZE];
    rp_lock_holder_text(holder, text);
    put_text(text);
}

/* The pid of a process that has ended. */
static pid_t dead_process(void)
{
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    waitpid(child, NULL, 0);
    return child;
}

static void test_held_and_released(void **state)
{
    (void)state;
    struct rp_lock *lock = NULL;
    struct rp_lock *second = NULL;
    char pid[32];
    CHECK_OK(rp_lock_acquire(path, "run-1", &lock), "first");
    CHECK_TRUE(present(), "the lock file is there");
    CHECK_STATUS(rp_lock_acquire(path, "run-2", &second), RP_ERR_ENVIRONMENT, "second");
    CHECK_TRUE(!second, "no lock");
    snprintf(pid, sizeof pid, "process %ld on host ", (long)getpid());
    CHECK_CONTAINS(rp_status_message(), pid, "names the process");
    CHECK_CONTAINS(rp_status_message(), "run-1", "names the run");
    CHECK_CONTAINS(rp_status_message(), file, "names the file");
    rp_lock_release(lock);
    CHECK_TRUE(!present(), "released");
    CHECK_OK(rp_lock_acquire(path, "run-2", &second), "again");
    rp_lock_release(second);
    rp_lock_release(NULL);
}

static void test_who_is_gone(void **state)
{
    (void)state;
    struct rp_lock_holder self;
    rp_lock_holder_self(&self, "me");
    CHECK_TRUE(self.start > 0, "its start is known");
    CHECK_TRUE(!rp_lock_holder_is_gone(&self, &self), "alive");

    struct rp_lock_holder other = self;
    other.start = self.start - 1;
    CHECK_TRUE(rp_lock_holder_is_gone(&other, &self), "the pid is another process's now");
    other.start = -1;
    CHECK_TRUE(!rp_lock_holder_is_gone(&other, &self), "start not known");

    other = self;
    other.pid = dead_process();
    CHECK_TRUE(rp_lock_holder_is_gone(&other, &self), "ended");
    snprintf(other.host, sizeof other.host, "elsewhere");
    CHECK_TRUE(!rp_lock_holder_is_gone(&other, &self), "another host cannot be seen");
    other = self;
    other.pid = dead_process();
    snprintf(other.pid_namespace, sizeof other.pid_namespace, "pid:[1]");
    CHECK_TRUE(!rp_lock_holder_is_gone(&other, &self), "another pid namespace cannot be seen");
}

static void test_zombie_is_gone(void **state)
{
    (void)state;
    struct rp_lock_holder self;
    siginfo_t about;
    rp_lock_holder_self(&self, "me");
    struct rp_lock_holder other = self;
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    CHECK_EQ_I64(waitid(P_PID, (id_t)child, &about, WEXITED | WNOWAIT), 0, "ended, not reaped");
    other.pid = child;
    other.start = -1;
    CHECK_TRUE(rp_lock_holder_is_gone(&other, &self), "zombie");
    waitpid(child, NULL, 0);
}

static void test_requeue(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        const char *job;
        int64_t restart;
        bool gone;
    } cases[] = {
        {"before the requeue", "77", 0, true},
        {"one requeue earlier", "77", 1, true},
        {"this very incarnation", "77", 2, false},
        {"another job", "78", 0, false},
        {"no job", "", 0, false},
    };
    struct rp_lock_holder self;
    setenv("SLURM_JOB_ID", "77", 1);
    setenv("SLURM_RESTART_COUNT", "2", 1);
    rp_lock_holder_self(&self, "me");
    CHECK_EQ_TEXT(self.slurm_job, "77", "from the environment");
    CHECK_EQ_I64(self.slurm_restart, 2, "from the environment");
    for (size_t i = 0; i < RP_COUNT(cases); ++i) {
        struct rp_lock_holder other = self;
        snprintf(other.host, sizeof other.host, "elsewhere");
        snprintf(other.slurm_job, sizeof other.slurm_job, "%s", cases[i].job);
        other.slurm_restart = cases[i].restart;
        CHECK_EQ_I64(rp_lock_holder_is_gone(&other, &self), cases[i].gone, cases[i].name);
    }
    struct rp_lock_holder none = {.pid = 1};
    snprintf(none.host, sizeof none.host, "elsewhere");
    struct rp_lock_holder outside = {.pid = 1, .slurm_restart = 5};
    CHECK_TRUE(!rp_lock_holder_is_gone(&none, &outside), "no job is not one job");
}

static void test_takeover(void **state)
{
    (void)state;
    struct rp_lock *lock = NULL;
    struct rp_lock_holder holder;
    struct stat about;
    rp_lock_holder_self(&holder, "dead-run");
    holder.pid = dead_process();
    put_holder(&holder);
    CHECK_OK(rp_lock_acquire(path, "new-run", &lock), "the holder is gone");
    CHECK_EQ_I64(stat(file, &about), 0, "there");
    CHECK_EQ_I64((int64_t)about.st_nlink, 1, "nothing left beside it");
    rp_lock_release(lock);
    CHECK_TRUE(!present(), "released");

    snprintf(holder.host, sizeof holder.host, "node-7");
    snprintf(holder.slurm_job, sizeof holder.slurm_job, "4711");
    put_holder(&holder);
    CHECK_STATUS(rp_lock_acquire(path, "new-run", &lock), RP_ERR_ENVIRONMENT, "another host");
    CHECK_CONTAINS(rp_status_message(), "on host node-7, Slurm job 4711 (run dead-run)", "holder");
    CHECK_TRUE(present(), "its lock stays");
    setenv("SLURM_JOB_ID", "4711", 1);
    setenv("SLURM_RESTART_COUNT", "1", 1);
    CHECK_OK(rp_lock_acquire(path, "new-run", &lock), "requeued on another host");
    rp_lock_release(lock);
}

static void test_torn(void **state)
{
    (void)state;
    static const char *const texts[] = {"",        "host=a\npid=1\n",
                                        "host=a",  "\n\n\n",
                                        "rubbish", "host=\npid=x\nstart=1\nslurm_job=\nend=\n"};
    struct rp_lock *lock = NULL;
    for (size_t i = 0; i < RP_COUNT(texts); ++i) {
        const struct timespec now[2] = {{time(NULL), 0}, {time(NULL), 0}};
        const struct timespec old[2] = {{time(NULL) - RP_LOCK_TORN_S - 5, 0},
                                        {time(NULL) - RP_LOCK_TORN_S - 5, 0}};
        put_text(texts[i]);
        CHECK_EQ_I64(utimensat(AT_FDCWD, file, now, 0), 0, "young");
        CHECK_STATUS(rp_lock_acquire(path, "r", &lock), RP_ERR_ENVIRONMENT, texts[i]);
        CHECK_CONTAINS(rp_status_message(), "incomplete", texts[i]);
        CHECK_EQ_I64(utimensat(AT_FDCWD, file, old, 0), 0, "old");
        CHECK_OK(rp_lock_acquire(path, "r", &lock), texts[i]);
        rp_lock_release(lock);
        CHECK_TRUE(!present(), texts[i]);
    }
}

static void test_every_cut_is_torn(void **state)
{
    (void)state;
    struct rp_lock_holder self;
    struct rp_lock_holder back;
    char text[RP_LOCK_TEXT_SIZE];
    rp_lock_holder_self(&self, "a-run");
    rp_lock_holder_text(&self, text);
    CHECK_TRUE(rp_lock_holder_parse(text, &back), "whole");
    CHECK_EQ_I64(back.pid, self.pid, "pid");
    CHECK_EQ_I64(back.start, self.start, "start");
    CHECK_EQ_TEXT(back.host, self.host, "host");
    CHECK_EQ_TEXT(back.run, "a-run", "run");
    for (size_t n = strlen(text); n-- > 0;) {
        text[n] = '\0';
        CHECK_TRUE(!rp_lock_holder_parse(text, &back), text);
    }
}

static void test_no_folder(void **state)
{
    (void)state;
    struct rp_lock *lock = NULL;
    char name[128];
    snprintf(name, sizeof name, "%s/none/f.h5", folder);
    CHECK_STATUS(rp_lock_acquire(name, "r", &lock), RP_ERR_ENVIRONMENT, "no such folder");
    CHECK_CONTAINS(rp_status_message(), "No such file or directory", "why");
}

static void test_lock_of_another_is_not_released(void **state)
{
    (void)state;
    struct rp_lock *lock = NULL;
    CHECK_OK(rp_lock_acquire(path, "run-1", &lock), "ours");
    pid_t child = fork();
    if (child == 0) {
        rp_lock_release(lock); /* an inherited copy */
        _exit(0);
    }
    waitpid(child, NULL, 0);
    CHECK_TRUE(present(), "a child does not release it");
    struct rp_lock_holder other;
    rp_lock_holder_self(&other, "run-2");
    put_holder(&other);
    rp_lock_release(lock);
    CHECK_TRUE(present(), "someone removed ours and another run took it");
}

/* In a child: waits for the start, tries, reports 1 when it got the lock and holds it until told.
 */
static void contend(int start, int report, int done)
{
    struct rp_lock *lock = NULL;
    char byte;
    if (read(start, &byte, 1) != 0)
        _exit(3);
    byte = rp_lock_acquire(path, "contender", &lock) == RP_OK ? 1 : 0;
    if (write(report, &byte, 1) != 1 || read(done, &byte, 1) != 0)
        _exit(3);
    rp_lock_release(lock);
    _exit(0);
}

/* Contenders start together, on no lock or on a stale one; exactly one gets it. */
static void race(int contenders, bool stale, const char *name)
{
    int start[2];
    int report[2];
    int done[2];
    if (stale) {
        struct rp_lock_holder holder;
        rp_lock_holder_self(&holder, "dead-run");
        holder.pid = dead_process();
        put_holder(&holder);
    }
    CHECK_EQ_I64(pipe(start) | pipe(report) | pipe(done), 0, "pipes");
    for (int i = 0; i < contenders; ++i) {
        if (fork() == 0) {
            close(start[1]);
            close(done[1]);
            contend(start[0], report[1], done[0]);
        }
    }
    close(start[1]); /* go */
    int owners = 0;
    for (int i = 0; i < contenders; ++i) {
        char byte = 0;
        CHECK_EQ_I64(read(report[0], &byte, 1), 1, name);
        owners += byte;
    }
    close(done[1]);
    for (int i = 0; i < contenders; ++i) {
        int status = 0;
        wait(&status);
        CHECK_EQ_I64(status, 0, name);
    }
    close(start[0]);
    close(report[0]);
    close(report[1]);
    close(done[0]);
    CHECK_EQ_I64(owners, 1, name);
    CHECK_TRUE(!present(), name);
}

static void test_races(void **state)
{
    (void)state;
    for (int i = 0; i < 20; ++i) {
        race(2, false, "two for no lock");
        race(2, true, "two for a stale lock");
    }
    race(8, false, "eight for no lock");
    race(8, true, "eight for a stale lock");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_held_and_released, remove_lock),
        cmocka_unit_test_teardown(test_who_is_gone, remove_lock),
        cmocka_unit_test_teardown(test_zombie_is_gone, remove_lock),
        cmocka_unit_test_teardown(test_requeue, remove_lock),
        cmocka_unit_test_teardown(test_takeover, remove_lock),
        cmocka_unit_test_teardown(test_torn, remove_lock),
        cmocka_unit_test_teardown(test_every_cut_is_torn, remove_lock),
        cmocka_unit_test_teardown(test_no_folder, remove_lock),
        cmocka_unit_test_teardown(test_lock_of_another_is_not_released, remove_lock),
        cmocka_unit_test_teardown(test_races, remove_lock),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
