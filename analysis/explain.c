/* explain.c - the command: finds the rows of a point and has each explained. */
#include "analysis/explain.h"

#include <string.h>

#include "analysis/sources.h"
#include "analysis/subcommands.h"
#include "base/option.h"
#include "base/text.h"
#include "model/result.h"

struct values {
    struct rp_source_values source;
    const char *point;
    const char *impl;
};

static const struct rp_option options[] = {
    {"point", 0, RP_OPTION_WORD, offsetof(struct values, point), NULL, 0, 0, NULL, "ID", NULL,
     "the point: its 16 hex digits, or as many of the first as are enough"},
    {"impl", 0, RP_OPTION_CHOICE, offsetof(struct values, impl), NULL, 0, 0,
     "naive|reference|fused|cudnn", NULL, NULL, "only the row of this implementation"},
    {"format", 0, RP_OPTION_CHOICE, offsetof(struct values, source.format), "table", 0, 0,
     RP_TABLE_FORMATS, NULL, NULL, "how to write it"},
    {"data", 0, RP_OPTION_WORD, offsetof(struct values, source.data), NULL, 0, 0, NULL, "DIR", NULL,
     "folder searched for gpus.tsv before the installed data"},
};

static const struct rp_command command = {
    .program = "ridgepoint-analyze",
    .name = "explain",
    .operands = "FILE...",
    .min_operands = 1,
    .max_operands = 100000,
    .summary = "Says of one point's rows where every number comes from: counts, times, ceilings, "
               "classes, ratios, memory, each with its formula filled in.",
    .example =
        "ridgepoint-analyze explain --point 1648c4a580365bf9 --impl fused results/notebook.h5",
    .options = options,
    .n_options = RP_COUNT(options),
};

enum { POINTS_LISTED = 8 };

static bool begins_with(const char *point, const char *asked)
{
    return strncmp(point, asked, strlen(asked)) == 0;
}

/* A few digits wrong, lost or swapped. */
static bool is_near(const char *point, const char *asked)
{
    const size_t wrong = 4;
    return strlen(asked) >= 2 * wrong && rp_text_distance(point, asked, wrong) <= wrong;
}

/* Adds "\n  0123456789abcdef  stage=prefill ..." for each point that `fits`; returns how many (at
 * least this many when there are more than POINTS_LISTED). The last one goes to `id`. */
static size_t list_points(const struct rp_study_list *list, const char *asked,
                          bool (*fits)(const char *point, const char *asked), struct rp_text *lines,
                          char id[RP_POINT_ID_SIZE])
{
    size_t n = 0;
    for (size_t f = 0; f < list->count; ++f) {
        const struct rp_study *study = &list->files[f].study;
        for (size_t i = 0; i < rp_study_count(study, RP_TABLE_RESULTS) && n <= POINTS_LISTED; ++i) {
            const struct rp_result *row = &rp_study_results(study)[i];
            struct rp_point p;
            char text[RP_POINT_TEXT_SIZE] = "";
            if (!fits(row->point, asked) || strstr(rp_text_string(lines), row->point))
                continue;
            if (rp_result_point(row, &p) == RP_OK)
                rp_point_text(&p, text);
            if (++n <= POINTS_LISTED)
                rp_text_printf(lines, "\n  %s  %s", row->point, text);
            else
                rp_text_printf(lines, "\n  ...");
            snprintf(id, RP_POINT_ID_SIZE, "%s", row->point);
        }
    }
    return n;
}

/* The one point that begins with what was asked for. */
static enum rp_status find_point(const struct rp_study_list *list, const char *asked,
                                 char id[RP_POINT_ID_SIZE])
{
    struct rp_text lines;
    enum rp_status status = RP_OK;
    rp_text_init(&lines);
    size_t n = list_points(list, asked, begins_with, &lines, id);
    if (n > 1)
        status = RP_FAIL(RP_ERR_USAGE, "--point: '%s' fits several points:%s", asked,
                         rp_text_string(&lines));
    else if (n == 0 && list_points(list, asked, is_near, &lines, id) > 0)
        status = RP_FAIL(RP_ERR_USAGE, "--point: no row of these files has '%s'; near it:%s", asked,
                         rp_text_string(&lines));
    else if (n == 0)
        status = RP_FAIL(RP_ERR_USAGE,
                         "--point: no row of these files has '%s'; `ridgepoint-analyze export` "
                         "lists the points",
                         asked);
    rp_text_clear(&lines);
    return status;
}

static bool is_asked(const struct rp_result *row, const char *id, const char *impl)
{
    return strcmp(row->point, id) == 0 && (!impl || strcmp(row->impl, impl) == 0);
}

static enum rp_status explain_file(struct rp_explainer *e, const struct rp_study_file *file,
                                   const struct rp_gpu_list *gpus, const char *id, const char *impl)
{
    const struct rp_study *study = &file->study;
    struct rp_pairs pairs;
    RP_TRY(rp_pairs_index(study, &pairs));
    enum rp_status status = RP_OK;
    for (size_t i = 0; status == RP_OK && i < rp_study_count(study, RP_TABLE_RESULTS); ++i) {
        struct rp_row_view view;
        if (!is_asked(&rp_study_results(study)[i], id, impl))
            continue;
        status = rp_row_view_init(&view, file, i, &pairs, gpus);
        if (status == RP_OK)
            rp_explain_row(e, &view, file, (int64_t)i);
    }
    rp_pairs_clear(&pairs);
    return status;
}

static bool has_row(const struct rp_study_list *list, const char *id, const char *impl)
{
    for (size_t f = 0; f < list->count; ++f) {
        const struct rp_study *study = &list->files[f].study;
        for (size_t i = 0; i < rp_study_count(study, RP_TABLE_RESULTS); ++i) {
            if (is_asked(&rp_study_results(study)[i], id, impl))
                return true;
        }
    }
    return false;
}

static enum rp_status explain(const struct rp_sources *sources, const struct values *values,
                              FILE *out)
{
    struct rp_explainer e;
    char id[RP_POINT_ID_SIZE];
    if (!values->point)
        return RP_FAIL(RP_ERR_USAGE, "--point ID is needed: which point to explain");
    RP_TRY(find_point(&sources->list, values->point, id));
    if (!has_row(&sources->list, id, values->impl))
        return RP_FAIL(RP_ERR_USAGE, "--impl: point %s has no row by %s in these files", id,
                       values->impl);
    rp_explain_begin(&e, out, rp_table_format_of(values->source.format));
    enum rp_status status = e.status;
    for (size_t f = 0; status == RP_OK && f < sources->list.count; ++f)
        status = explain_file(&e, &sources->list.files[f], &sources->gpus, id, values->impl);
    enum rp_status ended = rp_explain_end(&e);
    return status == RP_OK ? ended : status;
}

enum rp_status rp_explain_run(int argc, char *const *argv, FILE *out, int *exit_code)
{
    struct values values = {0};
    struct rp_sources sources;
    *exit_code = 0;
    enum rp_status status = rp_sources_open(&command, argc, argv, &values.source, &sources);
    if (status == RP_OK && sources.operands.help_asked)
        rp_option_print_help(&command, out);
    else if (status == RP_OK)
        status = explain(&sources, &values, out);
    rp_sources_close(&sources);
    return status;
}
