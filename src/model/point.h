/*
 * point.h - the shape of one attention call.
 *
 *   Q (batch, heads, seq_q, head_dim)   K, V (batch, kv_heads, seq_k, head_dim)   O like Q
 *   query head h reads kv head h / (heads / kv_heads); query i sees keys 0 .. seq_k - seq_q + i
 *   when causal, all otherwise.
 */
#ifndef RP_MODEL_POINT_H
#define RP_MODEL_POINT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/digest.h"
#include "base/status.h"
#include "model/dtype.h"

enum rp_stage { RP_STAGE_PREFILL, RP_STAGE_DECODE };

struct rp_point {
    enum rp_stage stage;
    int64_t batch;    /* sequences */
    int64_t heads;    /* query heads; a multiple of kv_heads */
    int64_t kv_heads; /* key/value heads */
    int64_t seq_q;    /* query positions; 1 is plain decode */
    int64_t seq_k;    /* key/value positions; at least seq_q when causal */
    int64_t head_dim; /* elements */
    enum rp_dtype dtype;
    bool causal;
};

#define RP_POINT_ID_SIZE   RP_DIGEST_ID_SIZE
#define RP_POINT_TEXT_SIZE 192 /* enough for every canonical text */

const char *rp_stage_name(enum rp_stage stage);
bool rp_stage_find(const char *name, enum rp_stage *stage);

/* RP_ERR_CONFIG with the axis, its value and the allowed range when no such call can exist. */
enum rp_status rp_point_validate(const struct rp_point *p) RP_MUST_CHECK;

/* With one query nothing is hidden: causal becomes false, so that it is one point. */
void rp_point_normalise(struct rp_point *p);

/* "stage=prefill batch=1 heads=32 ... causal=0": the nine axes, single spaces (docs/FILE.md). */
void rp_point_text(const struct rp_point *p, char text[RP_POINT_TEXT_SIZE]);

/* First 16 hex digits of SHA-256 of that text. */
enum rp_status rp_point_id(const struct rp_point *p, char id[RP_POINT_ID_SIZE]) RP_MUST_CHECK;

/* Order of the nine axes; negative, zero, positive. */
int rp_point_compare(const struct rp_point *a, const struct rp_point *b);

#endif
