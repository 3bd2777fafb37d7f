/* summary.c - the command: reads the files, chooses the GPU types, collects, prints. */
#include "analysis/summary.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/classify.h"
#include "analysis/sources.h"
#include "analysis/subcommands.h"
#include "base/option.h"

struct values {
    struct rp_source_values source;
    const char *gpu;
};

static const struct rp_option options[] = {
    {"gpu", 0, RP_OPTION_WORD, offsetof(struct values, gpu), RP_SUMMARY_GPUS, 0, 0, NULL, "LIST",
     NULL,
     "GPU types of data/gpus.tsv to give verdicts for, comma-separated, beside those the files "
     "were measured on"},
    {"format", 0, RP_OPTION_CHOICE, offsetof(struct values, source.format), "table", 0, 0,
     RP_TABLE_FORMATS, NULL, NULL, "how to write the summary"},
    {"data", 0, RP_OPTION_WORD, offsetof(struct values, source.data), NULL, 0, 0, NULL, "DIR", NULL,
     "folder searched for gpus.tsv before the installed data"},
    {"simulated", 0, RP_OPTION_FLAG, offsetof(struct values, source.simulated), NULL, 0, 0, NULL,
     NULL, NULL, "take rows of simulated devices in"},
};

static const struct rp_command command = {
    .program = "ridgepoint-analyze",
    .name = "summary",
    .operands = "FILE...",
    .min_operands = 1,
    .max_operands = 100000,
    .summary = "Says what was measured, and per GPU type, stage, implementation and dtype whether "
               "compute or memory bounds it and at which length that turns.",
    .example = "ridgepoint-analyze summary --gpu t4,h200 results/notebook.h5",
    .options = options,
    .n_options = RP_COUNT(options),
};

static enum rp_status add_gpu(struct rp_summary *s, const struct rp_gpu_spec *gpu)
{
    for (size_t i = 0; i < s->n_gpus; ++i) {
        if (s->gpus[i] == gpu)
            return RP_OK;
    }
    if (s->n_gpus == RP_SUMMARY_GPUS_MAX)
        return RP_FAIL(RP_ERR_USAGE, "--gpu: more than %d GPU types", RP_SUMMARY_GPUS_MAX);
    s->gpus[s->n_gpus++] = gpu;
    return RP_OK;
}

const struct rp_gpu_spec *rp_summary_gpu(const struct rp_summary *summary, const char *gpu_type)
{
    for (size_t i = 0; i < summary->n_gpus; ++i) {
        if (strcmp(summary->gpus[i]->gpu_type, gpu_type) == 0)
            return summary->gpus[i];
    }
    return NULL;
}

/* The types asked for, in that order, then those of the files' devices. */
static enum rp_status choose_gpus(struct rp_summary *s, const struct rp_gpu_list *gpus,
                                  const char *asked)
{
    for (const char *p = asked; *p;) {
        char key[64];
        const struct rp_gpu_spec *gpu = NULL;
        size_t n = strcspn(p, ",");
        if (n >= sizeof key)
            return RP_FAIL(RP_ERR_USAGE, "--gpu: '%s' is no list of GPU types", asked);
        memcpy(key, p, n);
        key[n] = '\0';
        RP_TRY(rp_gpu_list_find(gpus, key, &gpu));
        RP_TRY(add_gpu(s, gpu));
        p += n + (p[n] == ',');
    }
    for (size_t f = 0; f < s->list->count; ++f) {
        const struct rp_study *study = &s->list->files[f].study;
        for (size_t i = 0; i < rp_study_count(study, RP_TABLE_DEVICES); ++i) {
            const struct rp_gpu_spec *gpu = rp_gpu_of_device(gpus, &rp_study_devices(study)[i]);
            if (gpu)
                RP_TRY(add_gpu(s, gpu));
        }
    }
    return RP_OK;
}

/* What is collected stays in *s, to be cleared, whatever fails. */
static enum rp_status collect(struct rp_summary *s, const char *asked)
{
    RP_TRY(choose_gpus(s, s->all_gpus, asked));
    RP_TRY(rp_groups_create(s->list, s->simulated, &s->groups));
    RP_TRY(rp_naive_cost_create(s->list, s->simulated, &s->naive_costs));
    RP_TRY(rp_measured_create(s->list, s->simulated, &s->groups, &s->naive_costs, &s->measured));
    const struct rp_turn_request request = {s->list, s->simulated, &s->groups, s->gpus, s->n_gpus};
    RP_TRY(rp_turn_table_create(&request, &s->turns));
    RP_TRY(rp_memory_table_create(&request, &s->memory));
    return rp_dependence_create(&s->groups, s->gpus, s->n_gpus, s->all_gpus, &s->dependences);
}

enum rp_status rp_summary_create(const struct rp_sources *sources, const char *asked,
                                 bool simulated, struct rp_summary *s)
{
    *s = (struct rp_summary){
        .list = &sources->list, .all_gpus = &sources->gpus, .simulated = simulated};
    return collect(s, asked);
}

void rp_summary_clear(struct rp_summary *s)
{
    rp_dependence_clear(&s->dependences);
    rp_naive_cost_clear(&s->naive_costs);
    rp_memory_table_clear(&s->memory);
    rp_turn_table_clear(&s->turns);
    rp_measured_clear(&s->measured);
    rp_groups_clear(&s->groups);
}

static enum rp_status summarise(const struct rp_sources *sources, const struct values *values,
                                FILE *out)
{
    struct rp_summary s;
    enum rp_status status = rp_summary_create(sources, values->gpu, values->source.simulated, &s);
    if (status == RP_OK) {
        enum rp_table_format format = rp_table_format_of(values->source.format);
        status =
            format == RP_TABLE_EYES ? rp_summary_print(&s, out) : rp_summary_write(&s, format, out);
    }
    rp_summary_clear(&s);
    return status;
}

enum rp_status rp_summary_run(int argc, char *const *argv, FILE *out, int *exit_code)
{
    struct values values = {0};
    struct rp_sources sources;
    *exit_code = 0;
    enum rp_status status = rp_sources_open(&command, argc, argv, &values.source, &sources);
    if (status == RP_OK && sources.operands.help_asked)
        rp_option_print_help(&command, out);
    else if (status == RP_OK)
        status = summarise(&sources, &values, out);
    rp_sources_close(&sources);
    return status;
}
