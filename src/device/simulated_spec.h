/*
 * simulated_spec.h - what follows "simulated:" on the command line.
 *
 *   TYPE[+TYPE...][:KEY=VALUE[,KEY=VALUE...]]
 *
 * TYPE is a GPU type of data/gpus.tsv or a prefix that fits one; with several, rank r of a node
 * takes the r-th of them, round and round. Keys:
 *
 *   scale=X       a launch really takes X times its modelled time (default 0: no time at all)
 *   wrong=X       true times are X times or 1/X of the modelled ones, by point (forecast tests)
 *   memory=BYTES  memory of the device, suffixes k and M allowed (default: the datasheet's)
 *   early=BYTES   allocations beyond this fail although the device announces more
 *   slow=X@R      the device of rank R of a node is X times slower
 *   fail=N hang=N crash=N lost=N    in every worker the N-th launch, from 1, fails with an error,
 *                 never returns, ends the worker with SIGSEGV, fails together with all later ones
 */
#ifndef RP_DEVICE_SIMULATED_SPEC_H
#define RP_DEVICE_SIMULATED_SPEC_H

#include <stdint.h>

#include "base/status.h"

struct rp_simulated_spec {
    char gpu_type[64]; /* as typed, of this rank */
    double scale;
    double wrong_by;                             /* 1: the model is right */
    int64_t memory_bytes;                        /* 0: the datasheet's */
    int64_t early_bytes;                         /* 0: memory_bytes */
    double slow_by;                              /* of this rank; 1: not slow */
    int64_t fail_at, hang_at, crash_at, lost_at; /* 0: never */
};

/* RP_ERR_USAGE naming the key, the value and what is allowed. `index`: rank within the node. */
enum rp_status rp_simulated_spec_parse(const char *text, int index,
                                       struct rp_simulated_spec *spec) RP_MUST_CHECK;

#endif
