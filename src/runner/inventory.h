/*
 * inventory.h - which planned rows a study already holds: (device type, point, implementation).
 */
#ifndef RP_RUNNER_INVENTORY_H
#define RP_RUNNER_INVENTORY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "plan/job.h"
#include "store/study.h"

struct rp_inventory;

/* Of the rows a study holds now; later rows are not seen. */
enum rp_status rp_inventory_create(const struct rp_study *study,
                                   struct rp_inventory **inventory) RP_MUST_CHECK;
void rp_inventory_destroy(struct rp_inventory *inventory);

/* The row of this identity, or null. Owned by the study. */
const struct rp_result *rp_inventory_find(const struct rp_inventory *inventory,
                                          const char *gpu_type, const char *point,
                                          const char *impl);

/* RP_ERR_ENVIRONMENT with the difference when the study was made by another job. */
enum rp_status rp_inventory_check_job(const struct rp_study *study, const char *path,
                                      const struct rp_job *job) RP_MUST_CHECK;

#endif
