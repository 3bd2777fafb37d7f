/* ceiling_rows.h - keeps what rp_measure_ceilings reports. Include after check.h. */
#ifndef RP_TESTS_CEILING_ROWS_H
#define RP_TESTS_CEILING_ROWS_H

#include "device/device.h"
#include "measure/ceilings.h"

enum { CEILING_ROWS_MAX = 32 };

struct ceiling_rows {
    struct rp_ceiling rows[CEILING_ROWS_MAX];
    int n;
    int n_begun; /* steps told beforehand */
};

static inline void keep_ceiling(void *context, const struct rp_ceiling *row)
{
    struct ceiling_rows *kept = context;
    CHECK_TRUE(kept->n < CEILING_ROWS_MAX, "few rows");
    kept->rows[kept->n++] = *row;
}

static inline void keep_begin(void *context, const char *step, double limit_s)
{
    CHECK_TRUE(limit_s == 0 || (limit_s > 1 && limit_s < 3600), step);
    ++((struct ceiling_rows *)context)->n_begun;
}

static inline struct rp_ceilings_listener ceiling_listener(struct ceiling_rows *kept)
{
    *kept = (struct ceiling_rows){.n = 0};
    return (struct rp_ceilings_listener){
        .context = kept, .begin = keep_begin, .ceiling = keep_ceiling};
}

/* The only row of this kind and path. */
static inline const struct rp_ceiling *ceiling_of(const struct ceiling_rows *kept, const char *kind,
                                                  const char *path)
{
    const struct rp_ceiling *found = NULL;
    for (int i = 0; i < kept->n; ++i) {
        if (strcmp(kept->rows[i].kind, kind) != 0 || strcmp(kept->rows[i].path, path) != 0)
            continue;
        CHECK_TRUE(!found, kind);
        found = &kept->rows[i];
    }
    if (!found)
        fail_msg("no ceiling of kind %s, path '%s'", kind, path);
    return found;
}

static inline void check_row(const struct rp_ceiling *row, const char *units)
{
    CHECK_EQ_TEXT(row->units, units, row->kind);
    CHECK_TRUE(row->value > 0 && isfinite(row->value), row->kind);
    CHECK_TRUE(row->ci_low <= row->value && row->value <= row->ci_high, row->kind);
    CHECK_TRUE(row->ci_low > 0 && isfinite(row->ci_high), row->kind);
    CHECK_TRUE(row->method[0] != '\0', row->kind);
}

#endif
