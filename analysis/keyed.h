/*
 * keyed.h - rows of a file that is too long for memory, beside those they must be compared with.
 *
 * Rows with one key lie together, in the order that was asked for. At most about a million of them
 * are held, 32 bytes each: of a longer file a part of the keys at a time, the file being read once
 * for each part.
 */
#ifndef RP_ANALYSIS_KEYED_H
#define RP_ANALYSIS_KEYED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "store/results_scan.h"

struct rp_keyed_row {
    uint64_t key;        /* equal for rows to be compared (key.h) */
    int64_t order;       /* among them */
    size_t number;       /* row of /results */
    float low_s, high_s; /* interval of the median, rounded */
};

struct rp_keyed_check {
    const char *const *columns; /* what both functions use */
    size_t n_columns;
    /* Sets key and order of a row; false: it is not compared. */
    bool (*key_of)(const struct rp_study *study, const struct rp_result *row,
                   struct rp_keyed_row *keyed);
    /* Looks at rows [begin, end) of one key, in order and by number within it. May read rows of the
     * scan. */
    enum rp_status (*inspect)(void *context, struct rp_results_scan *scan,
                              const struct rp_keyed_row *begin, const struct rp_keyed_row *end);
};

/* Reads the scan anew, with other columns. */
enum rp_status rp_keyed_compare(struct rp_results_scan *scan, const struct rp_keyed_check *check,
                                void *context) RP_MUST_CHECK;

#endif
