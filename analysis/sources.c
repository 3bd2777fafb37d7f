/* sources.c - what all commands that reduce files begin and end with. */
#include "analysis/sources.h"

static enum rp_status begin(const struct rp_command *command, int argc, char *const *argv,
                            struct rp_source_values *values, struct rp_sources *sources)
{
    *sources = (struct rp_sources){0};
    RP_TRY(rp_option_parse(command, argc, argv, values, &sources->operands));
    return sources->operands.help_asked ? RP_OK : rp_gpu_list_load(values->data, &sources->gpus);
}

enum rp_status rp_sources_open(const struct rp_command *command, int argc, char *const *argv,
                               struct rp_source_values *values, struct rp_sources *sources)
{
    RP_TRY(begin(command, argc, argv, values, sources));
    if (sources->operands.help_asked)
        return RP_OK;
    return rp_study_list_open(sources->operands.items, sources->operands.count, &sources->list);
}

enum rp_status rp_sources_look(const struct rp_command *command, int argc, char *const *argv,
                               struct rp_source_values *values, struct rp_sources *sources)
{
    RP_TRY(begin(command, argc, argv, values, sources));
    for (size_t i = 0; i < sources->operands.count && !sources->operands.help_asked; ++i) {
        struct rp_results_scan *scan = NULL;
        RP_TRY(rp_study_scan(sources->operands.items[i], NULL, 0, &scan));
        rp_study_scan_close(scan);
    }
    return RP_OK;
}

void rp_sources_close(struct rp_sources *sources)
{
    rp_study_list_close(&sources->list);
    rp_gpu_list_clear(&sources->gpus);
    rp_operands_clear(&sources->operands);
}
