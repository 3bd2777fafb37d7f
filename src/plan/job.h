/*
 * job.h - a job file (YAML) as a struct.
 *
 * Anything wrong is refused with FILE:LINE:COLUMN, the key, the value and the allowed range
 * (RP_ERR_CONFIG); no default silently replaces a bad value.
 */
#ifndef RP_PLAN_JOB_H
#define RP_PLAN_JOB_H

#include <stddef.h>
#include <stdint.h>

#include "base/digest.h"
#include "base/status.h"
#include "model/impl.h"
#include "model/point.h"
#include "model/protocol.h"
#include "plan/model_spec.h"

#define RP_JOB_NAME_SIZE 65

struct rp_job_point {
    struct rp_point point;
    rp_impl_set impls; /* not empty */
};

struct rp_job_label { /* a model asked for a point */
    size_t point;     /* index into rp_job.points */
    char model[RP_MODEL_NAME_SIZE];
};

struct rp_job {
    char name[RP_JOB_NAME_SIZE];
    int64_t seed; /* 0 .. 2^63 - 1 */
    struct rp_protocol protocol;
    struct rp_job_point *points; /* heap; sorted by rp_point_compare, no duplicates */
    size_t n_points;
    struct rp_job_label *labels; /* heap; sorted by point, then model */
    size_t n_labels;
    char *text;                    /* heap; the file as it was, null-terminated */
    char hash[RP_DIGEST_HEX_SIZE]; /* over name, seed, measure, verify, points and impls */
};

/* `sets` are --set arguments, key=value each, applied in order. `data_folder` is looked
 * in for models.yaml before the installed data; null: the installed data only.
 * `path` "-" is standard input. On failure the job is as after rp_job_clear. */
enum rp_status rp_job_read(const char *path, const char *const *sets, size_t n_sets,
                           const char *data_folder, struct rp_job *job) RP_MUST_CHECK;

/* The same from memory; `name` stands for the file in messages. */
enum rp_status rp_job_parse(const char *name, const char *text, size_t length,
                            const char *const *sets, size_t n_sets, const char *data_folder,
                            struct rp_job *job) RP_MUST_CHECK;

/* A job of one point, from "prefill heads=32 head_dim=128 seq=1k dtype=fp16" (--point). */
enum rp_status rp_job_from_point(const char *point, const char *const *sets, size_t n_sets,
                                 const char *data_folder, struct rp_job *job) RP_MUST_CHECK;

void rp_job_clear(struct rp_job *job);

/* Rows this job plans on one device type: the implementations of all points. */
int64_t rp_job_rows(const struct rp_job *job);

#endif
