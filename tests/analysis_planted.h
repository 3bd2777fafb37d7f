/*
 * analysis_planted.h - a study with one thing wrong in it, and what verify has to say of it.
 */
#ifndef RP_TESTS_ANALYSIS_PLANTED_H
#define RP_TESTS_ANALYSIS_PLANTED_H

#include "analysis_study.h"

/* Prefill at three lengths by two implementations, and a decode. */
static inline void build(struct synthetic *s)
{
    struct rp_point p = shape_of(RP_STAGE_PREFILL, 4, 2, 64, 32);
    struct rp_point decode = shape_of(RP_STAGE_DECODE, 4, 2, 512, 32);
    synthetic_begin(s);
    for (int64_t seq = 64; seq <= 256; seq *= 2) { /* rows 0..5 */
        p.seq_q = p.seq_k = seq;
        synthetic_add(s, &p, RP_IMPL_naive, 2e-6 * (double)seq);
        synthetic_add(s, &p, RP_IMPL_fused, 1e-6 * (double)seq);
    }
    synthetic_add(s, &decode, RP_IMPL_fused, 1e-5); /* row 6 */
}

static inline struct rp_sample *sample_at(struct synthetic *s, size_t index)
{
    return rp_study_row(&s->study, RP_TABLE_SAMPLES, index);
}

/* Every time of a row, `factor` times as long. */
static inline void rescale(struct synthetic *s, size_t index, double factor)
{
    struct rp_result *row = row_at(s, index);
    row->time_median_s *= factor;
    row->time_min_s *= factor;
    row->time_ci_low_s *= factor;
    row->time_ci_high_s *= factor;
    for (int64_t i = 0; i < row->samples; ++i)
        sample_at(s, (size_t)(row->sample_offset + i))->time_s *= factor;
}

struct planted {
    const char *name;
    void (*plant)(struct synthetic *s);
    int exit_code;
    const char *says;
};

static inline void check_planted(const struct planted *cases, size_t n)
{
    for (size_t i = 0; i < n; ++i) {
        struct synthetic s;
        int exit_code = -1;
        build(&s);
        cases[i].plant(&s);
        synthetic_write(&s);
        char *output = run_command(rp_verify_run, NULL, s.path, RP_OK, &exit_code);
        CHECK_CONTAINS(output, cases[i].says, cases[i].name);
        CHECK_CONTAINS(output, s.path, cases[i].name);
        if (exit_code != cases[i].exit_code)
            fail_msg("%s: exit code %d, not %d: %s", cases[i].name, exit_code, cases[i].exit_code,
                     output);
        free(output);
        synthetic_end(&s);
    }
}

#endif
