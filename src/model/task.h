/* task.h - what a rank is asked to measure: one point with some of its implementations, or what its
 * device can do at most. */
#ifndef RP_MODEL_TASK_H
#define RP_MODEL_TASK_H

#include <stdint.h>

#include "model/impl.h"
#include "model/point.h"

enum rp_task_kind {
    RP_TASK_POINT,
    RP_TASK_CEILINGS, /* of the device, and its first anchor: before its first point */
    RP_TASK_ANCHOR    /* the anchor point again */
};

struct rp_task {
    int64_t number; /* unique within a run */
    enum rp_task_kind kind;
    char moment[8]; /* RP_TASK_ANCHOR: middle or end */
    /* The rest is of RP_TASK_POINT. */
    struct rp_point point;
    rp_impl_set impls;   /* to be measured */
    rp_impl_set planned; /* of the job for this point: impls, and those that have their rows */
    double predicted_s;  /* wall time of measuring them all */
    double launch_s[RP_IMPL_COUNT]; /* predicted time of one launch; 0: there is no such method */
};

#endif
