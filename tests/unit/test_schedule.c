/* test_schedule.c - order, queue-ahead, retirement; makespan on unequal points in virtual time. */
#include "check.h"

#include <stdlib.h>

#include "base/rng.h"
#include "runner/schedule.h"

static struct rp_schedule *create(size_t n_groups, size_t n_ranks, const size_t *group_of_rank)
{
    struct rp_schedule *schedule = NULL;
    CHECK_OK(rp_schedule_create(n_groups, n_ranks, group_of_rank, &schedule), "create");
    return schedule;
}

static void add(struct rp_schedule *schedule, size_t group, int64_t number, double predicted_s)
{
    const struct rp_task task = {.number = number, .predicted_s = predicted_s, .impls = 1};
    CHECK_OK(rp_schedule_add(schedule, group, &task), "add");
}

static void test_longest_first(void **state)
{
    (void)state;
    struct rp_schedule *schedule = create(1, 1, (size_t[]){0});
    const double predicted[] = {2, 5, 1, 4, 3};
    const int64_t expected[] = {1, 3, 4, 0, 2};
    for (int i = 0; i < 5; ++i)
        add(schedule, 0, i, predicted[i]);
    for (int i = 0; i < 5; ++i) {
        struct rp_task task;
        CHECK_TRUE(rp_schedule_take(schedule, 0, &task), "there is one");
        CHECK_EQ_I64(task.number, expected[i], "the longest that is left");
        CHECK_TRUE(rp_schedule_finish(schedule, 0, task.number, &task), "it was held");
        CHECK_TRUE(!rp_schedule_finish(schedule, 0, task.number, &task), "only once");
    }
    CHECK_TRUE(rp_schedule_is_done(schedule), "nothing is left");
    rp_schedule_destroy(schedule);
}

static void test_one_ahead_but_not_near_the_end(void **state)
{
    (void)state;
    struct rp_schedule *schedule = create(1, 2, (size_t[]){0, 0});
    struct rp_task task;
    for (int i = 0; i < 5; ++i)
        add(schedule, 0, i, 0.1);
    CHECK_TRUE(rp_schedule_take(schedule, 0, &task), "first");
    CHECK_TRUE(rp_schedule_take(schedule, 0, &task), "one ahead: more tasks than ranks are left");
    CHECK_TRUE(!rp_schedule_take(schedule, 0, &task), "never two ahead");
    CHECK_TRUE(rp_schedule_take(schedule, 1, &task), "the other rank's first");
    CHECK_TRUE(!rp_schedule_take(schedule, 1, &task), "near the end nothing is queued ahead");
    rp_schedule_destroy(schedule);
}

static void test_several_very_short_ones(void **state)
{
    (void)state;
    struct rp_schedule *schedule = create(1, 2, (size_t[]){0, 0});
    struct rp_task task;
    enum { TASKS = 5 * RP_TASKS_PER_RANK };
    for (int i = 0; i < TASKS; ++i)
        add(schedule, 0, i, 1e-4);
    int taken = 0;
    while (rp_schedule_take(schedule, 0, &task))
        ++taken;
    CHECK_EQ_I64(taken, RP_TASKS_PER_RANK, "as many as a rank holds");
    for (int i = 0; i < RP_TASKS_PER_RANK / 2; ++i) {
        CHECK_TRUE(!rp_schedule_is_low(schedule, 0), "more than half is left: no message yet");
        CHECK_TRUE(rp_schedule_finish(schedule, 0, i, &task), "in their order");
    }
    CHECK_TRUE(rp_schedule_is_low(schedule, 0), "half is left");
    for (int i = 0; i < TASKS - RP_TASKS_PER_RANK - 8; ++i) {
        CHECK_TRUE(rp_schedule_take(schedule, 1, &task), "for the other rank");
        CHECK_TRUE(rp_schedule_finish(schedule, 1, task.number, &task), "which is quick");
    }
    taken = 0;
    while (rp_schedule_take(schedule, 1, &task))
        ++taken;
    CHECK_EQ_I64(taken, 3, "of the last 8, while more than 2 times what it holds are left");
    rp_schedule_destroy(schedule);
}

static void test_nothing_behind_a_long_task(void **state)
{
    (void)state;
    struct rp_schedule *schedule = create(1, 2, (size_t[]){0, 0});
    struct rp_task task;
    for (int i = 0; i < 9; ++i)
        add(schedule, 0, i, 10);
    CHECK_TRUE(rp_schedule_take(schedule, 0, &task), "the longest");
    CHECK_TRUE(rp_schedule_take(schedule, 0, &task), "one ahead while there is plenty for all");
    CHECK_TRUE(!rp_schedule_take(schedule, 0, &task), "never two");
    for (int i = 0; i < 3; ++i) {
        CHECK_TRUE(rp_schedule_take(schedule, 1, &task), "the other rank");
        CHECK_TRUE(rp_schedule_finish(schedule, 1, task.number, &task), "is quicker");
    }
    CHECK_TRUE(rp_schedule_take(schedule, 1, &task), "three are left");
    CHECK_TRUE(!rp_schedule_take(schedule, 1, &task), "the next is for whoever is free first");
    rp_schedule_destroy(schedule);
}

static void test_types_do_not_mix(void **state)
{
    (void)state;
    struct rp_schedule *schedule = create(2, 2, (size_t[]){0, 1});
    struct rp_task task;
    add(schedule, 0, 7, 1);
    CHECK_TRUE(!rp_schedule_take(schedule, 1, &task), "not of its type");
    CHECK_TRUE(rp_schedule_take(schedule, 0, &task), "of its type");
    rp_schedule_destroy(schedule);
}

static void test_retirement(void **state)
{
    (void)state;
    struct rp_schedule *schedule = create(1, 2, (size_t[]){0, 0});
    struct rp_task task;
    add(schedule, 0, 0, 1);
    CHECK_TRUE(rp_schedule_take(schedule, 0, &task), "rank 0 has it");
    rp_schedule_retire(schedule, 0);
    CHECK_TRUE(!rp_schedule_take(schedule, 0, &task), "a retired rank gets nothing");
    CHECK_TRUE(rp_schedule_take(schedule, 1, &task), "the other rank gets it");
    CHECK_EQ_I64(task.number, 0, "the task that was given back");
    rp_schedule_retire(schedule, 1);
    CHECK_TRUE(rp_schedule_is_done(schedule), "no rank is left to wait for");
    CHECK_EQ_I64((int64_t)rp_schedule_stranded(schedule), 1, "its task is stranded");
    rp_schedule_destroy(schedule);
}

/* Virtual time: each rank works through what it holds in order; returns when the last ends. */
static double simulate(struct rp_schedule *schedule, size_t n_ranks, const double *actual_s)
{
    struct {
        struct rp_task held[RP_TASKS_PER_RANK];
        size_t n;
        double free_s;
    } *ranks = calloc(n_ranks, sizeof *ranks);
    double end_s = 0;
    for (;;) {
        size_t next = n_ranks;
        for (size_t r = 0; r < n_ranks; ++r) {
            struct rp_task task;
            while (rp_schedule_take(schedule, r, &task)) {
                if (ranks[r].n == 0)
                    ranks[r].free_s += actual_s[task.number];
                ranks[r].held[ranks[r].n++] = task;
            }
            if (ranks[r].n > 0 && (next == n_ranks || ranks[r].free_s < ranks[next].free_s))
                next = r;
        }
        if (next == n_ranks)
            break;
        end_s = ranks[next].free_s;
        struct rp_task done;
        CHECK_TRUE(rp_schedule_finish(schedule, next, ranks[next].held[0].number, &done), "held");
        --ranks[next].n;
        memmove(&ranks[next].held[0], &ranks[next].held[1],
                ranks[next].n * sizeof ranks[next].held[0]);
        if (ranks[next].n > 0)
            ranks[next].free_s += actual_s[ranks[next].held[0].number];
        /* Ranks that waited start no earlier than now. */
        for (size_t r = 0; r < n_ranks; ++r) {
            if (ranks[r].n == 0 && ranks[r].free_s < end_s)
                ranks[r].free_s = end_s;
        }
    }
    free(ranks);
    return end_s;
}

static int descending(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x < y) - (x > y);
}

/* Each in turn to the rank that is free first, the longest first, with the true times. */
static double offline_longest_first(const double *actual_s, size_t n, size_t n_ranks)
{
    double sorted[192];
    double free_s[64] = {0};
    double end_s = 0;
    memcpy(sorted, actual_s, n * sizeof sorted[0]);
    qsort(sorted, n, sizeof sorted[0], descending);
    for (size_t i = 0; i < n; ++i) {
        size_t first = 0;
        for (size_t r = 1; r < n_ranks; ++r)
            first = free_s[r] < free_s[first] ? r : first;
        free_s[first] += sorted[i];
        end_s = free_s[first] > end_s ? free_s[first] : end_s;
    }
    return end_s;
}

static void test_makespan(void **state)
{
    (void)state;
    enum { TASKS = 192 };
    static const size_t rank_counts[] = {4, 8, 16};
    static const struct {
        const char *name;
        double wrong_by, bar;
    } cases[] = {{"right forecast", 1, 0.97}, {"forecast wrong by 2", 2, 0.90}};
    const size_t group_of_rank[64] = {0};
    for (size_t c = 0; c < RP_COUNT(cases); ++c) {
        for (size_t k = 0; k < RP_COUNT(rank_counts); ++k) {
            double actual_s[TASKS];
            struct rp_schedule *schedule = create(1, rank_counts[k], group_of_rank);
            for (int i = 0; i < TASKS; ++i) {
                /* Four decades of durations, as a sweep over T has. */
                uint64_t bits = rp_rng_below(7, 1, (uint64_t)i, 1000);
                actual_s[i] = 0.02 * pow(10, 3.0 * (double)bits / 1000); /* 20 ms to 20 s */
                double error = pow(cases[c].wrong_by, i % 2 ? 1 : -1);
                add(schedule, 0, i, actual_s[i] * error);
            }
            double made = simulate(schedule, rank_counts[k], actual_s);
            double best = offline_longest_first(actual_s, TASKS, rank_counts[k]);
            if (best / made < cases[c].bar)
                fail_msg("%s, %zu ranks: %.3f of offline longest-first, the bar is %.2f",
                         cases[c].name, rank_counts[k], best / made, cases[c].bar);
            rp_schedule_destroy(schedule);
        }
    }
}

/* A thousand nodes of four GPUs, in virtual time: every task once, and nobody waits long. */
static void test_4096_ranks(void **state)
{
    (void)state;
    enum { RANKS = 4096, TASKS = 12000 };
    double *actual_s = calloc(TASKS, sizeof *actual_s);
    size_t *group_of_rank = calloc(RANKS, sizeof *group_of_rank);
    double sum_s = 0;
    struct rp_schedule *schedule = create(1, RANKS, group_of_rank);
    for (int i = 0; i < TASKS; ++i) {
        actual_s[i] = 0.5 + (double)rp_rng_below(9, 2, (uint64_t)i, 1000) / 1000;
        sum_s += actual_s[i];
        add(schedule, 0, i, actual_s[i]);
    }
    double made_s = simulate(schedule, RANKS, actual_s);
    CHECK_TRUE(rp_schedule_is_done(schedule), "every task was done");
    /* No schedule beats the mean load; the last task adds at most its own length. */
    CHECK_TRUE(made_s >= sum_s / RANKS && made_s <= sum_s / RANKS + 1.5, "close to the mean load");
    rp_schedule_destroy(schedule);
    free(group_of_rank);
    free(actual_s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_longest_first),
        cmocka_unit_test(test_one_ahead_but_not_near_the_end),
        cmocka_unit_test(test_several_very_short_ones),
        cmocka_unit_test(test_nothing_behind_a_long_task),
        cmocka_unit_test(test_types_do_not_mix),
        cmocka_unit_test(test_retirement),
        cmocka_unit_test(test_makespan),
        cmocka_unit_test(test_4096_ranks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
