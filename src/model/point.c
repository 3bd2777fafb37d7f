/* point.c - names, limits and identity of a point; axes.def is the list they all walk. */
#include "model/point.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/digest.h"

static const char *const stage_names[] = {"prefill", "decode"};

const char *rp_stage_name(enum rp_stage stage)
{
    return stage_names[stage];
}

bool rp_stage_find(const char *name, enum rp_stage *stage)
{
    for (size_t i = 0; i < RP_COUNT(stage_names); ++i) {
        if (strcmp(stage_names[i], name) == 0) {
            *stage = (enum rp_stage)i;
            return true;
        }
    }
    return false;
}

static enum rp_status validate_range(const char *axis, int64_t value, int64_t min, int64_t max)
{
    if (value < min || value > max)
        return RP_FAIL(RP_ERR_CONFIG, "%s=%" PRId64 " must lie in %" PRId64 "..%" PRId64, axis,
                       value, min, max);
    return RP_OK;
}

enum rp_status rp_point_validate(const struct rp_point *p)
{
#define RP_AXIS_INT(name, min, max, meaning) RP_TRY(validate_range(#name, p->name, min, max));
#include "registry/axes.def"
    if (p->heads % p->kv_heads != 0)
        return RP_FAIL(RP_ERR_CONFIG, "heads=%" PRId64 " is no multiple of kv_heads=%" PRId64,
                       p->heads, p->kv_heads);
    if (p->causal && p->seq_q > p->seq_k)
        return RP_FAIL(RP_ERR_CONFIG,
                       "seq_q=%" PRId64 " above seq_k=%" PRId64
                       " with causal: the first queries would see no key",
                       p->seq_q, p->seq_k);
    return RP_OK;
}

void rp_point_normalise(struct rp_point *p)
{
    if (p->seq_q == 1)
        p->causal = false;
}

void rp_point_text(const struct rp_point *p, char text[RP_POINT_TEXT_SIZE])
{
    snprintf(text, RP_POINT_TEXT_SIZE,
             "stage=%s batch=%" PRId64 " heads=%" PRId64 " kv_heads=%" PRId64 " seq_q=%" PRId64
             " seq_k=%" PRId64 " head_dim=%" PRId64 " dtype=%s causal=%d",
             rp_stage_name(p->stage), p->batch, p->heads, p->kv_heads, p->seq_q, p->seq_k,
             p->head_dim, rp_dtype_info(p->dtype)->name, p->causal ? 1 : 0);
}

enum rp_status rp_point_id(const struct rp_point *p, char id[RP_POINT_ID_SIZE])
{
    char text[RP_POINT_TEXT_SIZE];
    rp_point_text(p, text);
    return rp_digest_id(text, id);
}

int rp_point_compare(const struct rp_point *a, const struct rp_point *b)
{
#define RP_AXIS_WORD(name, meaning)                                                                \
    if (a->name != b->name)                                                                        \
        return a->name < b->name ? -1 : 1;
#define RP_AXIS_INT(name, min, max, meaning) RP_AXIS_WORD(name, meaning)
#define RP_AXIS_BOOL(name, meaning)          RP_AXIS_WORD(name, meaning)
#include "registry/axes.def"
    return 0;
}
