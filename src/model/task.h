/* task.h - what a rank is asked to measure: one point with some of its implementations. */
#ifndef RP_MODEL_TASK_H
#define RP_MODEL_TASK_H

#include <stdint.h>

#include "model/impl.h"
#include "model/point.h"

struct rp_task {
    int64_t number; /* unique within a run */
    struct rp_point point;
    rp_impl_set impls;   /* to be measured */
    rp_impl_set planned; /* of the job for this point: impls, and those that have their rows */
    double predicted_s;  /* wall time of measuring them all */
};

#endif
