/*
 * worklist.h - what a run has to do: (device type, point, implementation) of the job on the device
 * types present, less what the file holds.
 */
#ifndef RP_RUNNER_WORKLIST_H
#define RP_RUNNER_WORKLIST_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "device/backend.h"
#include "model/gpu_spec.h"
#include "plan/job.h"
#include "runner/inventory.h"
#include "runner/schedule.h"
#include "store/study.h"

struct rp_selection { /* what of the job, beyond what the file lacks */
    enum rp_cover cover;
    uint32_t retry;   /* bit i: rows of enum rp_outcome i are measured again */
    const char *only; /* this point, and again, whatever the file holds; null: all */
};

struct rp_worklist {
    struct rp_schedule *schedule; /* one queue a device type (or device); null before create */
    int64_t rows_planned;         /* of the types (or devices) present */
    int64_t rows_done;            /* of those, already in the file and not measured again */
};

struct rp_worklist_request {
    const struct rp_job *job;
    const struct rp_selection *selection;
    const struct rp_study *study;                /* what the file holds */
    const struct rp_device_info *const *devices; /* one a rank */
    size_t n_ranks;
    const struct rp_gpu_list *gpus; /* datasheets, for the forecasts */
};

/* RP_ERR_USAGE when the job has no point `only`. On failure the list is as after clear. */
enum rp_status rp_worklist_create(const struct rp_worklist_request *request,
                                  struct rp_worklist *work) RP_MUST_CHECK;
void rp_worklist_clear(struct rp_worklist *work);

#endif
