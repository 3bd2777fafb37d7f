/*
 * plan_rows.h - what a run of a job would meet on one type of device: a row a point and
 * implementation.
 */
#ifndef RP_CLI_PLAN_ROWS_H
#define RP_CLI_PLAN_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "device/device.h"
#include "model/bound.h"
#include "model/gpu_spec.h"
#include "model/result.h"
#include "plan/forecast.h"
#include "plan/job.h"
#include "runner/implied.h"
#include "store/study.h"

struct rp_plan_type {
    const char *backend; /* whose kernels would run */
    struct rp_device_info info;
    int64_t available_bytes;       /* memory a point may take; -1: not known */
    const struct rp_gpu_spec *gpu; /* datasheet; null: there is none */
    struct rp_rates rates;
    const struct rp_implied *implied; /* what is known to run out of memory; may be null */
};

/* The type of an open device. */
void rp_plan_type_init(struct rp_plan_type *type, struct rp_device *device,
                       const struct rp_gpu_spec *gpu);

/* Of a CPU: other threads than it was opened with. */
void rp_plan_type_set_threads(struct rp_plan_type *type, int threads);

/* The ceilings and the rows that ran out of memory which a study has of this type, simulated
 * devices left out; of a CPU those with as many threads. */
void rp_plan_type_learn(struct rp_plan_type *type, const struct rp_study *study,
                        struct rp_implied *implied);

struct rp_plan_row {
    const struct rp_point *point; /* borrowed */
    char id[RP_POINT_ID_SIZE];
    enum rp_impl impl;
    enum rp_outcome outcome; /* ok: will be measured; timeout: its first launch is too long */
    char reason[240];
    struct rp_method_cost cost; /* path "": there is no such method */
    struct rp_forecast forecast;
    double wall_s; /* with its share of what the point's rows have in common */
    enum rp_class class_predicted, class_ideal;
};

/* The rows of one point; returns how many. */
enum rp_status rp_plan_point(const struct rp_plan_type *type, const struct rp_job_point *point,
                             const struct rp_protocol *protocol,
                             struct rp_plan_row rows[RP_IMPL_COUNT], size_t *n) RP_MUST_CHECK;

#endif
