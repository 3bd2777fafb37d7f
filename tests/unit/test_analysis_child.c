/* The working child: its code comes through, and a crash becomes a sentence that names the file. */
#include "check.h"

#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "analysis/child.h"

/* What the child does; it never returns from this test's point of view. */
static void in_child_end(const char *file, int verdict, int number, int code)
{
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    signal(number, SIG_DFL); /* sanitizers and cmocka catch some */
    rp_child_note_file(file);
    rp_child_note_verdict(verdict);
    if (number)
        raise(number);
    _exit(code);
}

static enum rp_status split(const char *file, int verdict, int number, int *code)
{
    bool in_child = false;
    int wanted = *code;
    enum rp_status status = rp_child_split(&in_child, code);
    if (in_child)
        in_child_end(file, verdict, number, wanted);
    return status;
}

static void test_exit_code(void **state)
{
    (void)state;
    for (int wanted = 0; wanted < 4; ++wanted) {
        int code = wanted;
        CHECK_OK(split("some.h5", 9, 0, &code), "exits");
        CHECK_EQ_I64(code, wanted, "exits");
    }
}

static void test_crash_while_reading(void **state)
{
    (void)state;
    int code = 0;
    CHECK_STATUS(split("results/broken.h5", 0, SIGSEGV, &code), RP_ERR_DAMAGED, "crash");
    CHECK_CONTAINS(rp_status_message(), "results/broken.h5: ", "names the file");
    CHECK_CONTAINS(rp_status_message(), "signal 11", "names the signal");
    CHECK_EQ_I64(rp_status_exit_code(RP_ERR_DAMAGED), 3, "code");
}

static void test_crash_elsewhere(void **state)
{
    (void)state;
    int code = 0;
    CHECK_STATUS(split(NULL, 0, SIGKILL, &code), RP_ERR_INTERNAL, "crash");
    CHECK_CONTAINS(rp_status_message(), "signal 9", "names the signal");
}

/* The reader of the output went away: quiet, and the verdict stays. */
static void test_closed_pipe(void **state)
{
    (void)state;
    int code = 0;
    CHECK_OK(split("some.h5", 1, SIGPIPE, &code), "closed pipe");
    CHECK_EQ_I64(code, 1, "closed pipe");
}

static void test_notes_without_child(void **state)
{
    (void)state;
    rp_child_note_file("x");
    rp_child_note_file(NULL);
    rp_child_note_verdict(1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_notes_without_child), cmocka_unit_test(test_exit_code),
        cmocka_unit_test(test_crash_while_reading), cmocka_unit_test(test_crash_elsewhere),
        cmocka_unit_test(test_closed_pipe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
