/* schedule.c - queues of tasks and who holds what. */
#include "runner/schedule.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"

/* What is queued behind a long task could have been started by another rank, so it is not while
 * little else waits; behind short ones a message's delay would count. Behind one, behind several:
 */
static const double one_ahead_below_s = 0.5;
static const double plenty = 2; /* as much waits as keeps every rank busy for so many such tasks */
static const double more_ahead_below_s = 1;

struct group {
    struct rp_task *tasks; /* heap; waiting ones, sorted by predicted_s, the longest last */
    size_t count, capacity;
    double waiting_s; /* predicted, of those */
    bool sorted;
    size_t ranks; /* that still take from it */
};

struct holder {
    size_t group;
    struct rp_task held[RP_TASKS_PER_RANK];
    size_t n_held;
    bool retired;
};

struct rp_schedule {
    struct group *groups;
    size_t n_groups;
    struct holder *ranks;
    size_t n_ranks;
};

enum rp_status rp_schedule_create(size_t n_groups, size_t n_ranks, const size_t *group_of_rank,
                                  struct rp_schedule **schedule)
{
    struct rp_schedule *made = calloc(1, sizeof *made);
    *schedule = made;
    if (made) {
        made->groups = calloc(n_groups ? n_groups : 1, sizeof *made->groups);
        made->ranks = calloc(n_ranks ? n_ranks : 1, sizeof *made->ranks);
        made->n_groups = n_groups;
        made->n_ranks = n_ranks;
    }
    if (!made || !made->groups || !made->ranks) {
        rp_schedule_destroy(made);
        *schedule = NULL;
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory for the schedule");
    }
    for (size_t r = 0; r < n_ranks; ++r) {
        made->ranks[r].group = group_of_rank[r];
        ++made->groups[group_of_rank[r]].ranks;
    }
    return RP_OK;
}

void rp_schedule_destroy(struct rp_schedule *schedule)
{
    if (!schedule)
        return;
    for (size_t g = 0; schedule->groups && g < schedule->n_groups; ++g)
        free(schedule->groups[g].tasks);
    free(schedule->groups);
    free(schedule->ranks);
    free(schedule);
}

enum rp_status rp_schedule_add(struct rp_schedule *schedule, size_t group,
                               const struct rp_task *task)
{
    struct group *g = &schedule->groups[group];
    struct rp_task *tasks = rp_list_grow(g->tasks, g->count, &g->capacity, sizeof *tasks);
    if (!tasks)
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory for %zu tasks", g->count + 1);
    g->tasks = tasks;
    tasks[g->count++] = *task;
    g->waiting_s += task->predicted_s;
    g->sorted = false;
    return RP_OK;
}

/* The longest last; of equal ones the smaller number last, so that the order is one. */
static int compare(const void *a, const void *b)
{
    const struct rp_task *x = a;
    const struct rp_task *y = b;
    if (x->predicted_s != y->predicted_s)
        return x->predicted_s < y->predicted_s ? -1 : 1;
    return x->number > y->number ? -1 : x->number < y->number;
}

static double predicted_held_s(const struct holder *holder)
{
    double sum_s = 0;
    for (size_t i = 0; i < holder->n_held; ++i)
        sum_s += holder->held[i].predicted_s;
    return sum_s;
}

/* Whether a rank that has something to do gets something to do next. */
static bool may_queue_ahead(const struct holder *holder, const struct group *g)
{
    double held_s = predicted_held_s(holder);
    /* Only while every rank could still be given as many. */
    if (holder->n_held == RP_TASKS_PER_RANK || g->count <= g->ranks * holder->n_held)
        return false;
    if (holder->n_held > 1)
        return held_s < more_ahead_below_s;
    return held_s < one_ahead_below_s || g->waiting_s > plenty * (double)g->ranks * held_s;
}

bool rp_schedule_is_low(const struct rp_schedule *schedule, size_t rank)
{
    const struct holder *holder = &schedule->ranks[rank];
    return holder->n_held <= 1 || (holder->n_held <= RP_TASKS_PER_RANK / 2 &&
                                   predicted_held_s(holder) <= more_ahead_below_s / 2);
}

bool rp_schedule_take(struct rp_schedule *schedule, size_t rank, struct rp_task *task)
{
    struct holder *holder = &schedule->ranks[rank];
    struct group *g = &schedule->groups[holder->group];
    if (holder->retired || g->count == 0 || (holder->n_held > 0 && !may_queue_ahead(holder, g)))
        return false;
    if (!g->sorted) {
        qsort(g->tasks, g->count, sizeof *g->tasks, compare);
        g->sorted = true;
    }
    *task = g->tasks[--g->count];
    g->waiting_s = g->count > 0 ? g->waiting_s - task->predicted_s : 0;
    holder->held[holder->n_held++] = *task;
    return true;
}

bool rp_schedule_finish(struct rp_schedule *schedule, size_t rank, int64_t number,
                        struct rp_task *task)
{
    struct holder *holder = &schedule->ranks[rank];
    for (size_t i = 0; i < holder->n_held; ++i) {
        if (holder->held[i].number != number)
            continue;
        *task = holder->held[i];
        memmove(&holder->held[i], &holder->held[i + 1],
                (holder->n_held - i - 1) * sizeof holder->held[0]);
        --holder->n_held;
        return true;
    }
    return false;
}

void rp_schedule_note_row(struct rp_schedule *schedule, size_t rank, int64_t number,
                          enum rp_impl impl)
{
    struct holder *holder = &schedule->ranks[rank];
    for (size_t i = 0; i < holder->n_held; ++i) {
        if (holder->held[i].number == number)
            holder->held[i].impls &= ~(1u << impl);
    }
}

void rp_schedule_retire(struct rp_schedule *schedule, size_t rank)
{
    struct holder *holder = &schedule->ranks[rank];
    struct group *g = &schedule->groups[holder->group];
    if (holder->retired)
        return;
    holder->retired = true;
    --g->ranks;
    /* They were taken from this array, so there is room for them. */
    while (holder->n_held > 0) {
        const struct rp_task *task = &holder->held[--holder->n_held];
        if (task->impls == 0)
            continue;
        g->tasks[g->count++] = *task;
        g->waiting_s += task->predicted_s;
    }
    g->sorted = false;
}

double rp_schedule_waiting_s(const struct rp_schedule *schedule, size_t rank)
{
    return schedule->groups[schedule->ranks[rank].group].waiting_s;
}

bool rp_schedule_is_idle(const struct rp_schedule *schedule, size_t rank)
{
    const struct holder *holder = &schedule->ranks[rank];
    return holder->n_held == 0 && schedule->groups[holder->group].count == 0;
}

bool rp_schedule_is_done(const struct rp_schedule *schedule)
{
    for (size_t g = 0; g < schedule->n_groups; ++g) {
        if (schedule->groups[g].count > 0 && schedule->groups[g].ranks > 0)
            return false;
    }
    for (size_t r = 0; r < schedule->n_ranks; ++r) {
        if (schedule->ranks[r].n_held > 0)
            return false;
    }
    return true;
}

size_t rp_schedule_stranded(const struct rp_schedule *schedule)
{
    size_t stranded = 0;
    for (size_t g = 0; g < schedule->n_groups; ++g) {
        if (schedule->groups[g].ranks == 0)
            stranded += schedule->groups[g].count;
    }
    return stranded;
}

double rp_schedule_remaining_s(const struct rp_schedule *schedule)
{
    double longest = 0;
    for (size_t g = 0; g < schedule->n_groups; ++g) {
        const struct group *group = &schedule->groups[g];
        double sum = 0;
        for (size_t i = 0; i < group->count; ++i)
            sum += group->tasks[i].predicted_s;
        for (size_t r = 0; r < schedule->n_ranks; ++r) {
            const struct holder *holder = &schedule->ranks[r];
            for (size_t i = 0; holder->group == g && i < holder->n_held; ++i)
                sum += holder->held[i].predicted_s;
        }
        double each = group->ranks > 0 ? sum / (double)group->ranks : 0;
        longest = each > longest ? each : longest;
    }
    return longest;
}
