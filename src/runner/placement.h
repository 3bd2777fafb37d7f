/*
 * placement.h - what the launcher says about this process. Node lists and CUDA_VISIBLE_DEVICES are
 * never parsed: names come from MPI, devices from the runtime.
 */
#ifndef RP_RUNNER_PLACEMENT_H
#define RP_RUNNER_PLACEMENT_H

#include <stdbool.h>

#include "base/status.h"

/* True when a launcher (mpirun, srun) started this process as one rank of a job. */
bool rp_placement_has_launcher(void);

/* RP_ERR_ENVIRONMENT with the remedy when Slurm started more tasks than the world has ranks: srun
 * and MPI did not meet, and each task would run everything by itself. */
enum rp_status rp_placement_check_world(int world_size) RP_MUST_CHECK;

/* Equal for processes that were given the same set of cores. */
unsigned long rp_placement_share_key(void);

#endif
