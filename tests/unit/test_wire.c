/* test_wire.c - messages between a rank and its worker: whole, in order, however they arrive. */
#include "check.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "runner/report.h"
#include "runner/wire.h"

static void open_pair(struct rp_wire *a, struct rp_wire *b)
{
    int ends[2];
    CHECK_EQ_I64(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0, "socket pair");
    rp_wire_init(a, ends[0]);
    rp_wire_init(b, ends[1]);
}

static void test_one_read_brings_many(void **state)
{
    (void)state;
    struct rp_wire a, b;
    struct rp_wire_message message;
    open_pair(&a, &b);
    CHECK_EQ_I64(rp_wire_read(&b, false), 0, "nothing there yet");
    for (int64_t i = 0; i < 10; ++i) {
        const struct rp_task tasks[2] = {{.number = 2 * i}, {.number = 2 * i + 1}};
        CHECK_OK(rp_wire_send(&a, RP_WIRE_TASKS, tasks, sizeof tasks), "send");
    }
    CHECK_TRUE(rp_wire_read(&b, false) > 0, "one read");
    for (int64_t i = 0; i < 10; ++i) {
        CHECK_TRUE(rp_wire_take(&b, &message), "it brought all");
        CHECK_EQ_I64(message.kind, RP_WIRE_TASKS, "kind");
        CHECK_EQ_I64((int64_t)message.bytes, 2 * (int64_t)sizeof(struct rp_task), "size");
        CHECK_EQ_I64(((const struct rp_task *)message.body)[1].number, 2 * i + 1, "in order");
    }
    CHECK_TRUE(!rp_wire_take(&b, &message), "no more");
    rp_wire_close(&a);
    CHECK_EQ_I64(rp_wire_read(&b, true), -1, "the other end is gone");
    rp_wire_close(&b);
}

/* A byte at a time: what was sent is caught on its way and passed on in crumbs. */
static void test_torn_arrival(void **state)
{
    (void)state;
    struct rp_wire a, b, c, d;
    struct rp_wire_message message;
    char bytes[4096];
    open_pair(&a, &b);
    open_pair(&c, &d);
    const struct rp_wire_failure failure = {.status = RP_ERR_DEVICE, .text = "lost"};
    for (int i = 0; i < 2; ++i)
        CHECK_OK(rp_wire_send(&a, RP_WIRE_FAILED, &failure, sizeof failure), "send");
    ssize_t n = read(b.fd, bytes, sizeof bytes);
    int taken = 0;
    for (ssize_t i = 0; i < n; ++i) {
        CHECK_EQ_I64(write(c.fd, bytes + i, 1), 1, "a byte");
        CHECK_EQ_I64(rp_wire_read(&d, true), 1, "arrives");
        while (rp_wire_take(&d, &message)) {
            ++taken;
            CHECK_EQ_TEXT(((const struct rp_wire_failure *)message.body)->text, "lost", "whole");
            CHECK_EQ_I64((i + 1) % (n / 2), 0, "at its last byte, not before");
        }
    }
    CHECK_EQ_I64(taken, 2, "both");
    rp_wire_close(&a);
    rp_wire_close(&b);
    rp_wire_close(&c);
    rp_wire_close(&d);
}

/* Larger than any socket buffer: the sender waits for the reader. */
static void test_large_report(void **state)
{
    (void)state;
    enum { SAMPLES = 100000 };
    struct rp_wire a, b;
    struct rp_wire_message message;
    struct rp_result row;
    struct rp_text bytes;
    struct rp_sample *samples = calloc(SAMPLES, sizeof *samples);
    open_pair(&a, &b);
    rp_row_init(RP_TABLE_RESULTS, &row);
    rp_text_init(&bytes);
    for (int i = 0; i < SAMPLES; ++i)
        samples[i].round = i;
    row.samples = SAMPLES;
    rp_report_add_row(&bytes, 7, &row, samples);
    row.samples = 0;
    rp_report_add_row(&bytes, 7, &row, NULL);
    const struct rp_ceiling ceiling = {.value = 3};
    rp_report_add_ceiling(&bytes, -2, &ceiling);
    rp_report_add_end(&bytes, 7);
    pid_t child = fork();
    if (child == 0)
        _exit(rp_wire_send(&a, RP_WIRE_REPORT, bytes.data, bytes.length) == RP_OK ? 0 : 1);
    close(a.fd);
    while (!rp_wire_take(&b, &message))
        CHECK_TRUE(rp_wire_read(&b, true) > 0, "more of it");
    struct rp_report report = {message.body, message.bytes};
    struct rp_report_item item;
    void *body;
    CHECK_TRUE(rp_report_next(&report, &item, &body), "first row");
    CHECK_EQ_I64(item.kind, RP_REPORT_ROW, "a row");
    CHECK_EQ_I64(item.task, 7, "of its task");
    CHECK_EQ_I64(((struct rp_result *)body)->samples, SAMPLES, "its samples");
    CHECK_EQ_I64(rp_report_samples(body)[SAMPLES - 1].round, SAMPLES - 1, "the last of them");
    CHECK_TRUE(rp_report_next(&report, &item, &body), "second row");
    CHECK_EQ_I64(((struct rp_result *)body)->samples, 0, "without samples");
    CHECK_TRUE(rp_report_next(&report, &item, &body), "a ceiling");
    CHECK_EQ_I64(item.kind, RP_REPORT_CEILING, "a ceiling");
    CHECK_EQ_I64(item.task, -2, "of its task");
    CHECK_NEAR(((struct rp_ceiling *)body)->value, 3, 0, "its value");
    CHECK_TRUE(rp_report_next(&report, &item, &body), "the end");
    CHECK_EQ_I64(item.kind, RP_REPORT_END, "of the task");
    CHECK_TRUE(!rp_report_next(&report, &item, &body), "nothing behind it");
    int wait_status = -1;
    waitpid(child, &wait_status, 0);
    CHECK_EQ_I64(wait_status, 0, "the sender is content");
    a.fd = -1;
    rp_wire_close(&a);
    rp_wire_close(&b);
    rp_text_clear(&bytes);
    free(samples);
}

static void test_step(void **state)
{
    (void)state;
    struct rp_worker_step step = {.task = 3};
    double before_s = rp_clock_now_s();
    rp_worker_step_begin(&step, RP_IMPL_fused, "warm-up", 60);
    CHECK_TRUE(step.deadline_s >= before_s + 60 && step.deadline_s <= rp_clock_now_s() + 60,
               "its limit from now");
    CHECK_EQ_TEXT(step.name, "warm-up", "its name");
    CHECK_EQ_I64(step.impl, RP_IMPL_fused, "its implementation");
    CHECK_EQ_I64(step.task, 3, "the task stays");
    rp_worker_step_begin(&step, -1, "prepare", 0);
    CHECK_TRUE(step.deadline_s <= 0, "without a limit: no deadline");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_read_brings_many),
        cmocka_unit_test(test_torn_arrival),
        cmocka_unit_test(test_large_report),
        cmocka_unit_test(test_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
