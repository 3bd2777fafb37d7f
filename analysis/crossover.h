/*
 * crossover.h - the length at which t_compute = t_memory, latency left out (docs/MODEL.md).
 *
 * Ideal: exact, from the counts as functions of a real T. With T = seq_k and, for prefill, seq_q =
 * T the intensity grows with T towards a limit, so there is at most one crossing.
 */
#ifndef RP_ANALYSIS_CROSSOVER_H
#define RP_ANALYSIS_CROSSOVER_H

#include <stdbool.h>

#include "model/gpu_spec.h"
#include "model/point.h"

enum rp_crossover_kind {
    RP_CROSSOVER_AT,     /* memory-bound below `seq`, compute-bound from there on */
    RP_CROSSOVER_NEVER,  /* memory-bound at every length */
    RP_CROSSOVER_ALWAYS, /* compute-bound at every length */
    RP_CROSSOVER_MISSING /* a ceiling is not known */
};

struct rp_crossover {
    enum rp_crossover_kind kind;
    double seq;                 /* AT: a real number; NaN otherwise */
    double limit_flop_per_byte; /* intensity for T to infinity; infinite for prefill */
};

/* "at", "never", "always", "missing". */
const char *rp_crossover_name(enum rp_crossover_kind kind);

/* Whether the queries grow with the keys: prefill of the whole sequence. Then T is both lengths;
 * else seq_q stays as it is and T is seq_k. */
bool rp_crossover_follows(const struct rp_point *p);

/* Intensity in FLOP/B at length `seq`, by `flops` or by `flops_dense`; the other axes as in p. */
double rp_crossover_intensity(const struct rp_point *p, double seq, bool dense);

struct rp_crossover rp_crossover_ideal(const struct rp_gpu_spec *gpu, const struct rp_point *p,
                                       bool dense);

#endif
