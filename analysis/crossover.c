/*
 * crossover.c - solves intensity(T) = ridge.
 *
 *   intensity = 4 H D pairs / (e D (2 H Tq + 2 G Tk))        (the batch cancels)
 *
 *   prefill, Tq = Tk = T   no mask  2 H T / (e (H + G))      so T = ridge * e (H + G) / (2 H)
 *                          causal   the same at (T + 1) / 2  so about twice that T
 *   decode, Tq = 1         2 H T / (e (H + G T))             limit 2 H / (e G): H / G for fp16
 */
#include "analysis/crossover.h"

#include <math.h>

#include "model/bound.h"

static const char *const names[] = {"at", "never", "always", "missing"};

const char *rp_crossover_name(enum rp_crossover_kind kind)
{
    return names[kind];
}

bool rp_crossover_follows(const struct rp_point *p)
{
    return p->stage == RP_STAGE_PREFILL && p->seq_q == p->seq_k;
}

double rp_crossover_intensity(const struct rp_point *p, double seq, bool dense)
{
    double queries = rp_crossover_follows(p) ? seq : (double)p->seq_q;
    double hidden = p->causal && !dense ? queries * (queries - 1) / 2 : 0;
    double heads = (double)p->heads;
    double rows = 2 * heads * queries + 2 * (double)p->kv_heads * seq;
    return 4 * heads * (queries * seq - hidden) / (rp_dtype_info(p->dtype)->storage_bytes * rows);
}

/* T to infinity: quadratic work over linear traffic grows without end; with Tq fixed the queries'
 * share of the traffic vanishes and 2 H Tq / (e G) is left. */
static double limit_of(const struct rp_point *p)
{
    if (rp_crossover_follows(p))
        return INFINITY;
    return 2 * (double)p->heads * (double)p->seq_q /
           (rp_dtype_info(p->dtype)->storage_bytes * (double)p->kv_heads);
}

struct rp_crossover rp_crossover_ideal(const struct rp_gpu_spec *gpu, const struct rp_point *p,
                                       bool dense)
{
    struct rp_crossover x = {RP_CROSSOVER_MISSING, NAN, limit_of(p)};
    double ridge = rp_bound_ideal_ridge(gpu, p->dtype);
    /* Fewer keys than queries would leave a causal row without a key. */
    const double longest = 0x1p40; /* a limit that is only reached beyond is not reached */
    double low = rp_crossover_follows(p) ? 1 : (double)p->seq_q;
    double high = low;
    if (!(ridge > 0))
        return x;
    x.kind = RP_CROSSOVER_ALWAYS;
    if (rp_crossover_intensity(p, low, dense) >= ridge)
        return x;
    x.kind = RP_CROSSOVER_NEVER;
    if (rp_crossover_intensity(p, longest, dense) < ridge)
        return x;
    while (rp_crossover_intensity(p, high, dense) < ridge)
        high *= 2;
    for (int i = 0; i < 100; ++i) {
        double middle = 0.5 * (low + high);
        if (rp_crossover_intensity(p, middle, dense) < ridge)
            low = middle;
        else
            high = middle;
    }
    x.kind = RP_CROSSOVER_AT;
    x.seq = high;
    return x;
}
