/*
 * lock.h - F.h5.lock: one run at a time owns an output.
 *
 * A text of lines `key=value` that names the holder: host, pid, start (of the process, in clock
 * ticks after boot), pid_namespace, slurm_job, slurm_restart, run. No lock of the kernel is needed
 * on it, so it works on any file system; HDF5's own locks do not.
 *
 * It is taken over when its holder can be known to be gone:
 *   - same host, same pid namespace, and no such process, or another one with that pid;
 *   - this Slurm job's own, from before it was requeued;
 *   - it is empty or torn (only a file system without hard links or a power cut leaves that) and
 *     older than RP_LOCK_TORN_S by the file system's own clock.
 */
#ifndef RP_STORE_LOCK_H
#define RP_STORE_LOCK_H

#include "base/status.h"

#define RP_LOCK_TORN_S 60

struct rp_lock;

/* Takes the lock of the result file `path`. RP_ERR_ENVIRONMENT when another run holds it, naming
 * the holder and the file to remove, or when the folder is not writable. */
enum rp_status rp_lock_acquire(const char *path, const char *run_id,
                               struct rp_lock **lock) RP_MUST_CHECK;

/* Removes the lock file when it is still this one's, and frees; takes null. */
void rp_lock_release(struct rp_lock *lock);

#endif
