/*
 * inventory.h - which planned rows a study already holds: (device type or device, point,
 * implementation).
 */
#ifndef RP_RUNNER_INVENTORY_H
#define RP_RUNNER_INVENTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "plan/job.h"
#include "store/study.h"

struct rp_inventory;

/* --cover: the devices of one type share the sweep, or each device runs all of it. */
enum rp_cover { RP_COVER_TYPE, RP_COVER_DEVICE };

/* What rows of a device are found under: its type, or its uuid. Points into the row. */
const char *rp_cover_key(enum rp_cover cover, const struct rp_device_row *device);

struct rp_held_row {
    char key[97];
    char point[17];
    char impl[17];
    char status[13];
    int64_t sequence;
};

/* Copies of the rows a study holds now; later ones are not seen. */
enum rp_status rp_inventory_create(const struct rp_study *study, enum rp_cover cover,
                                   struct rp_inventory **inventory) RP_MUST_CHECK;
void rp_inventory_destroy(struct rp_inventory *inventory);

/* The row of this identity, or null. Owned by the inventory. */
const struct rp_held_row *rp_inventory_find(const struct rp_inventory *inventory, const char *key,
                                            const char *point, const char *impl);

/* RP_ERR_ENVIRONMENT with the difference when the study was made by another job. */
enum rp_status rp_inventory_check_job(const struct rp_study *study, const char *path,
                                      const struct rp_job *job) RP_MUST_CHECK;

#endif
