/* left_out.h - rows that have no place among the times, counted by device and by what is wrong. */
#ifndef RP_ANALYSIS_LEFT_OUT_H
#define RP_ANALYSIS_LEFT_OUT_H

#include "analysis/figure_rows.h"

struct rp_left_out {
    char label[RP_LABEL_SIZE]; /* of the device */
    int fault;                 /* their order */
    const char *what;          /* a status, "no time" or "implausible" */
    int64_t rows;
    char reason[sizeof((struct rp_result *)0)->reason]; /* of the first */
};

struct rp_left_out_list {
    struct rp_left_out *items; /* heap; by label, then by what is wrong */
    size_t count, room;
};

/* Of all rows; of simulated devices only when asked. `left_out` need not be initialised; on failure
 * it is empty. */
enum rp_status rp_left_out_create(const struct rp_study_list *list, bool simulated,
                                  struct rp_left_out_list *left_out) RP_MUST_CHECK;
void rp_left_out_clear(struct rp_left_out_list *left_out);

#endif
