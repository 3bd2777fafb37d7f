/* A worker is this program again: it gets signals before it does anything. */
#include "check.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runner/worker.h"
#include "runner/worker_main.h"

static void test_signals_before_it_ignores_them(void **state)
{
    (void)state;
    struct rp_worker worker;
    int wait_status = -1;
    CHECK_OK(rp_worker_init(&worker), "init");
    CHECK_OK(rp_worker_start(&worker), "start");
    rp_wire_close(&worker.wire); /* its rank has nothing to do for it */
    CHECK_EQ_I64(waitpid(worker.pid, &wait_status, 0), worker.pid, "it ends");
    worker.pid = 0;
    CHECK_TRUE(WIFEXITED(wait_status), "it is not killed by the signals");
    CHECK_EQ_I64(WEXITSTATUS(wait_status), 0, "exit code");
    rp_worker_clear(&worker);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], RP_WORKER_SUBCOMMAND) == 0) {
        raise(SIGINT);
        raise(SIGTERM);
        raise(SIGUSR1);
        return rp_worker_main();
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_signals_before_it_ignores_them)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
