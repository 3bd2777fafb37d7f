/* sources.c - what all commands that reduce files begin and end with. */
#include "analysis/sources.h"

enum rp_status rp_sources_open(const struct rp_command *command, int argc, char *const *argv,
                               struct rp_source_values *values, struct rp_sources *sources)
{
    *sources = (struct rp_sources){0};
    RP_TRY(rp_option_parse(command, argc, argv, values, &sources->operands));
    if (sources->operands.help_asked)
        return RP_OK;
    RP_TRY(rp_gpu_list_load(values->data, &sources->gpus));
    return rp_study_list_load(sources->operands.items, sources->operands.count, &sources->list);
}

void rp_sources_close(struct rp_sources *sources)
{
    rp_study_list_clear(&sources->list);
    rp_gpu_list_clear(&sources->gpus);
    rp_operands_clear(&sources->operands);
}
