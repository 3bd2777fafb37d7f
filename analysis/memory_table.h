/*
 * memory_table.h - how memory grows with T, and what fits a device at most.
 *
 * Growth: peak_memory_bytes and scores_bytes against T on log axes, one exponent for all series of
 * an implementation (fit.h): 2 for scores in memory, 1 for fused; the whole peak of the former
 * tends to 2. Frontier: the largest T, or batch of a decode, that ran, the smallest that did not
 * fit, and the largest whose predicted bytes fit the device's memory; of the series that needs the
 * most.
 */
#ifndef RP_ANALYSIS_MEMORY_TABLE_H
#define RP_ANALYSIS_MEMORY_TABLE_H

#include "analysis/crossover_table.h"
#include "analysis/fit.h"

struct rp_memory_row {
    const struct rp_device_row *device; /* measured; owned by a study. Null: predicted */
    const struct rp_gpu_spec *gpu;      /* predicted; null: measured */
    int64_t threads;
    enum rp_impl impl;
    enum rp_turn_axis axis;     /* RP_TURN_SEQ, RP_TURN_SEQ_K or RP_TURN_BATCH */
    struct rp_fit peak, scores; /* over T; of predictions NaN */
    struct rp_point first;      /* of the series of the frontier: its smallest shape */
    int64_t fits_max;           /* largest value that ran; -1: none, or predicted */
    int64_t fails_min;          /* smallest value that ran out of memory; -1: none */
    int64_t predicted_max;      /* largest value that should fit; 0: not even 1 */
    int64_t memory_bytes;       /* of the device or of the datasheet; -1: not known */
};

/* Beyond this length or batch nothing is predicted: it "fits" there and is not looked at further.
 */
#define RP_MEMORY_VALUE_MAX (INT64_C(1) << 22)

struct rp_memory_table {
    struct rp_memory_row *items; /* heap; by axis, device, stage, implementation, dtype */
    size_t count, room;
};

/* RP_ERR_INTERNAL when host memory is out. */
enum rp_status rp_memory_table_create(const struct rp_turn_request *request,
                                      struct rp_memory_table *table) RP_MUST_CHECK;
void rp_memory_table_clear(struct rp_memory_table *table);

#endif
