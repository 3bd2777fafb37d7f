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
#include "plan/job.h"
#include "runner/schedule.h"
#include "store/study.h"

struct rp_worklist {
    struct rp_schedule *schedule; /* one queue a device type; null before it was created */
    int64_t rows_planned;         /* of the types present */
    int64_t rows_done;            /* of those, already in the file */
};

/* `devices` has one entry a rank. On failure the list is as after clear. */
enum rp_status rp_worklist_create(const struct rp_job *job, const struct rp_study *study,
                                  const struct rp_device_info *devices, size_t n_ranks,
                                  struct rp_worklist *work) RP_MUST_CHECK;
void rp_worklist_clear(struct rp_worklist *work);

#endif
