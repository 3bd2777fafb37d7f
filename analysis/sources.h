/*
 * sources.h - what a command works on: its options, the result files and the GPU types of data/.
 *
 *   rp_sources_open(...); help: rp_option_print_help, else the work; rp_sources_close(...)
 */
#ifndef RP_ANALYSIS_SOURCES_H
#define RP_ANALYSIS_SOURCES_H

#include "analysis/load.h"
#include "base/option.h"
#include "base/status.h"
#include "model/gpu_spec.h"

/* First member of a command's own struct of option values. */
struct rp_source_values {
    const char *format;
    const char *data; /* null: the installed data only */
    bool simulated;   /* rows of simulated devices count */
};

struct rp_sources {
    struct rp_operands operands;
    struct rp_study_list
        list; /* of the operands; empty when help was asked for, or only looked at */
    struct rp_gpu_list gpus;
};

/* Parses argv into `values` and opens what it names, to be read block by block (rows.h). To be
 * closed also on failure. */
enum rp_status rp_sources_open(const struct rp_command *command, int argc, char *const *argv,
                               struct rp_source_values *values,
                               struct rp_sources *sources) RP_MUST_CHECK;

/* The same, but the files are only looked at: whole and undamaged, so that nothing is said of the
 * first when the last is not. */
enum rp_status rp_sources_look(const struct rp_command *command, int argc, char *const *argv,
                               struct rp_source_values *values,
                               struct rp_sources *sources) RP_MUST_CHECK;

void rp_sources_close(struct rp_sources *sources);

#endif
