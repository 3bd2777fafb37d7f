/* calibration.c - three tasks, in order. */
#include "runner/calibration.h"

#include "model/column.h"

enum { CEILINGS, MIDDLE, END, ALL = RP_CALIBRATIONS };

static const struct {
    enum rp_task_kind kind;
    const char *moment;
} steps[ALL] = {
    [CEILINGS] = {RP_TASK_CEILINGS, "start"},
    [MIDDLE] = {RP_TASK_ANCHOR, "middle"},
    [END] = {RP_TASK_ANCHOR, "end"},
};

bool rp_calibration_take(struct rp_calibration *c, double waiting_s, bool is_idle,
                         struct rp_task *task)
{
    if (rp_calibration_is_busy(c)) /* one at a time: a rank has room for one */
        return false;
    if (c->given == CEILINGS && is_idle) /* nothing to measure, nothing to hold it against */
        return false;
    if (c->given == CEILINGS)
        c->first_s = waiting_s;
    bool is_due = c->given == CEILINGS || (c->given == MIDDLE && waiting_s <= c->first_s / 2) ||
                  (c->given == END && is_idle);
    if (!is_due)
        return false;
    *task = (struct rp_task){.number = -2 - c->given, .kind = steps[c->given].kind};
    RP_WORD_SET(task->moment, steps[c->given].moment);
    ++c->given;
    return true;
}

bool rp_calibration_is_task(int64_t number)
{
    return number <= -2;
}

void rp_calibration_finish(struct rp_calibration *c)
{
    ++c->finished;
}

void rp_calibration_retire(struct rp_calibration *c)
{
    c->given = c->finished = ALL;
}

bool rp_calibration_is_busy(const struct rp_calibration *c)
{
    return c->finished < c->given;
}
