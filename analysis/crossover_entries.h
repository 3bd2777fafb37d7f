/* crossover_entries.h - what crossover_table.c walks: t_compute over t_memory of every shape. */
#ifndef RP_ANALYSIS_CROSSOVER_ENTRIES_H
#define RP_ANALYSIS_CROSSOVER_ENTRIES_H

#include "analysis/crossover_table.h"
#include "analysis/sweep_shape.h"

/* One shape by one implementation on one kind of device or GPU type. */
struct rp_turn_entry {
    struct rp_sweep_shape shape;
    double ratio, ratio_low, ratio_high; /* t_compute over t_memory; of repeats the geometric mean,
                                            and an interval around all of theirs */
    double ridge_flop_per_byte;
    size_t repeats;
};

struct rp_turn_entries {
    struct rp_turn_entry *items; /* heap */
    size_t count, capacity;
};

/* Those of the files' rows. `list` begins empty; to be cleared also on failure. */
enum rp_status rp_turn_entries_measured(const struct rp_turn_request *request,
                                        struct rp_turn_entries *list) RP_MUST_CHECK;

/* In place of what is in the list: predictions for one GPU type. */
enum rp_status rp_turn_entries_predicted(const struct rp_gpu_spec *gpu,
                                         const struct rp_groups *groups,
                                         struct rp_turn_entries *list) RP_MUST_CHECK;
void rp_turn_entries_clear(struct rp_turn_entries *list);

#endif
