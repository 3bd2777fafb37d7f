/*
 * publish.h - readers only ever see whole files: built under F.tmp in the same folder, closed,
 * synced, verified by reading it back, renamed into place, and the folder synced.
 */
#ifndef RP_STORE_PUBLISH_H
#define RP_STORE_PUBLISH_H

#include "base/status.h"
#include "store/study.h"

/* Replaces `path` or creates it; on failure what was there stays. RP_ERR_ENVIRONMENT. */
enum rp_status rp_publish(const char *path, const struct rp_study *study) RP_MUST_CHECK;

/* Removes what a killed run left of a file it had not finished. To be called under the lock. */
enum rp_status rp_publish_sweep(const char *path) RP_MUST_CHECK;

/* Moves an existing `path` to F.<UTC time>.h5 beside it; RP_OK when there is none. */
enum rp_status rp_publish_move_aside(const char *path) RP_MUST_CHECK;

/* Whether a file could be published at `path`: creates missing parent folders, then tries. */
enum rp_status rp_publish_probe(const char *path) RP_MUST_CHECK;

#endif
