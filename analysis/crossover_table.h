/*
 * crossover_table.h - where implementations turn from memory to compute, along every axis the files
 * sweep: the smallest T of prefill; of decode the smallest T, batch, query heads per kv head, or
 * query length.
 *
 * Measured: t_compute and t_memory at the ceilings of the row's own device. Predicted: at the
 * datasheet of a GPU type. Latency is left out. The turn is where t_compute / t_memory passes 1 for
 * good, interpolated on log axes between the shapes of a series (all other axes equal); its
 * interval is where the ends of that ratio's interval, from the ceilings' intervals, pass 1.
 * Devices that are alike (device_kind.h) share their series; unlike ones never do.
 */
#ifndef RP_ANALYSIS_CROSSOVER_TABLE_H
#define RP_ANALYSIS_CROSSOVER_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/groups.h"
#include "analysis/load.h"
#include "base/status.h"
#include "model/gpu_spec.h"
#include "model/impl.h"
#include "model/point.h"

enum rp_turn_axis {
    RP_TURN_SEQ,   /* T = seq_q = seq_k, prefill of whole sequences */
    RP_TURN_SEQ_K, /* T = seq_k with seq_q as it is: decode */
    RP_TURN_BATCH, /* of decode, and so the two below */
    RP_TURN_GROUP, /* query heads per kv head, H/G */
    RP_TURN_SEQ_Q, /* query length, speculative decoding */
    RP_TURN_AXIS_COUNT
};

const char *rp_turn_axis_name(enum rp_turn_axis axis); /* "T", "T", "batch", "H/G", "Tq" */

enum rp_turn_kind {
    RP_TURN_BELOW, /* compute-bound at every value of the sweep */
    RP_TURN_AT,    /* between two values */
    RP_TURN_ABOVE, /* memory-bound at the largest value, and compute-bound further
                      on */
    RP_TURN_NEVER  /* its intensity stays below the ridge however far the axis goes
                    */
};

const char *rp_turn_kind_name(enum rp_turn_kind kind); /* "below the sweep", "at", ... */

struct rp_turn {
    enum rp_turn_kind kind;
    double value;     /* AT; NaN otherwise */
    double low, high; /* AT, measured: 0 below the sweep, infinite above; NaN: no interval */
    double limit_flop_per_byte; /* intensity at the far end of the axis; NaN: not known */
    double ridge_flop_per_byte; /* of path and DRAM; NaN: not known */
};

/* One implementation on one kind of device (or GPU type), one dtype, stage and mask. */
struct rp_turn_row {
    const struct rp_device_row *device; /* measured; owned by a study. Null: predicted */
    const struct rp_gpu_spec *gpu;      /* predicted; null: measured */
    int64_t threads;
    enum rp_impl impl;
    bool causal; /* also of a series over Tq that begins with one query, stored without a mask */
    enum rp_turn_axis axis;
    struct rp_point first;        /* of the series that turns first: its smallest shape */
    int64_t value_min, value_max; /* the axis in that series */
    struct rp_turn turn;          /* of that series */
    size_t series, turning;       /* all of them, and those that turn within the sweep */
};

struct rp_turn_table {
    struct rp_turn_row *items; /* heap; by axis, device, implementation, shape */
    size_t count, room;
};

/* Measured rows of `list` (of simulated devices only when asked), and predictions for `n_gpus` GPU
 * types of the same shapes and implementations. RP_ERR_INTERNAL when host memory is out. */
struct rp_turn_request {
    const struct rp_study_list *list;
    bool simulated;
    const struct rp_groups *groups; /* of the list */
    const struct rp_gpu_spec *const *gpus;
    size_t n_gpus;
};
enum rp_status rp_turn_table_create(const struct rp_turn_request *request,
                                    struct rp_turn_table *table) RP_MUST_CHECK;
void rp_turn_table_clear(struct rp_turn_table *table);

/* "406 (380..430)", "above the sweep (beyond 8192)", "never (limit 4, ridge 203 FLOP/B)". */
#define RP_TURN_TEXT_SIZE 120
void rp_turn_text(const struct rp_turn_row *row, char text[RP_TURN_TEXT_SIZE]);

#endif
