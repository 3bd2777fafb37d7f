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

/* What is asked of all rows before any is explained. */
struct search {
    const char *asked, *impl; /* impl null: any */
    bool (*fits)(const char *point, const char *asked);
    struct rp_text lines; /* "\n  0123456789abcdef  stage=prefill ..." of each point that fits */
    bool has_impl;        /* a row that fits is by `impl` */
    size_t count;         /* of points; at least this many when there are more than POINTS_LISTED */
    char id[RP_POINT_ID_SIZE]; /* the last of them */
};

static void look_at(struct search *search, const struct rp_result *row)
{
    struct rp_point p;
    char text[RP_POINT_TEXT_SIZE] = "";
    if (!search->fits(row->point, search->asked))
        return;
    search->has_impl |= !search->impl || strcmp(row->impl, search->impl) == 0;
    if (search->count > POINTS_LISTED || strstr(rp_text_string(&search->lines), row->point))
        return;
    if (rp_result_point(row, &p) == RP_OK)
        rp_point_text(&p, text);
    if (++search->count <= POINTS_LISTED)
        rp_text_printf(&search->lines, "\n  %s  %s", row->point, text);
    else
        rp_text_printf(&search->lines, "\n  ...");
    snprintf(search->id, sizeof search->id, "%s", row->point);
}

static enum rp_status search_file(const char *path, struct search *search)
{
    static const char *const columns[] = {"point",    "impl",     "stage", "batch",
                                          "heads",    "kv_heads", "seq_q", "seq_k",
                                          "head_dim", "dtype",    "causal"};
    struct rp_results_scan *scan = NULL;
    size_t n = 0;
    enum rp_status status = rp_study_scan(path, columns, RP_COUNT(columns), &scan);
    while (status == RP_OK) {
        status = rp_results_scan_next(scan, &n);
        if (status != RP_OK || n == 0)
            break;
        for (size_t i = 0; i < n; ++i)
            look_at(search, &rp_study_results(rp_results_scan_study(scan))[i]);
    }
    rp_study_scan_close(scan);
    return status;
}

/* In all files. */
static enum rp_status list_points(const struct rp_operands *files, struct search *search,
                                  bool (*fits)(const char *point, const char *asked))
{
    enum rp_status status = RP_OK;
    search->fits = fits;
    for (size_t f = 0; f < files->count && status == RP_OK; ++f)
        status = search_file(files->items[f], search);
    return status;
}

/* The one point that begins with what was asked for and, if asked for, has a row by `impl`. */
static enum rp_status find_point(const struct rp_operands *files, const struct values *values,
                                 char id[RP_POINT_ID_SIZE])
{
    const char *asked = values->point;
    struct search search = {.asked = asked, .impl = values->impl};
    rp_text_init(&search.lines);
    enum rp_status status = list_points(files, &search, begins_with);
    if (status == RP_OK && search.count > 1)
        status = RP_FAIL(RP_ERR_USAGE, "--point: '%s' fits several points:%s", asked,
                         rp_text_string(&search.lines));
    else if (status == RP_OK && search.count == 1 && !search.has_impl)
        status = RP_FAIL(RP_ERR_USAGE, "--impl: point %s has no row by %s in these files",
                         search.id, values->impl);
    if (status != RP_OK || search.count == 1)
        goto cleanup;
    status = list_points(files, &search, is_near);
    if (status == RP_OK && search.count > 0)
        status = RP_FAIL(RP_ERR_USAGE, "--point: no row of these files has '%s'; near it:%s", asked,
                         rp_text_string(&search.lines));
    else if (status == RP_OK)
        status = RP_FAIL(RP_ERR_USAGE,
                         "--point: no row of these files has '%s'; `ridgepoint-analyze export` "
                         "lists the points",
                         asked);

cleanup:
    memcpy(id, search.id, sizeof search.id);
    rp_text_clear(&search.lines);
    return status;
}

/* The rows to explain, by whom. */
struct request {
    char id[RP_POINT_ID_SIZE];
    const char *impl; /* null: all */
    struct rp_explainer *explainer;
};

static bool is_asked(const void *context, const struct rp_result *row)
{
    const struct request *r = context;
    return strcmp(row->point, r->id) == 0 && (!r->impl || strcmp(row->impl, r->impl) == 0);
}

static enum rp_status explain_row(void *context, const struct rp_row_view *view,
                                  const struct rp_study *study, size_t number)
{
    const struct request *r = context;
    return rp_explain_row(r->explainer, view, study, number);
}

static enum rp_status explain(const struct rp_sources *sources, const struct values *values,
                              FILE *out)
{
    struct rp_explainer e;
    struct request request = {.impl = values->impl, .explainer = &e};
    const struct rp_row_visitor visitor = {&request, is_asked, explain_row};
    const struct rp_operands *files = &sources->operands;
    if (!values->point)
        return RP_FAIL(RP_ERR_USAGE, "--point ID is needed: which point to explain");
    RP_TRY(find_point(files, values, request.id));
    rp_explain_begin(&e, out, rp_table_format_of(values->source.format));
    enum rp_status status = e.status;
    for (size_t f = 0; status == RP_OK && f < files->count; ++f)
        status = rp_row_views_visit(files->items[f], &sources->gpus, &visitor);
    enum rp_status ended = rp_explain_end(&e);
    return status == RP_OK ? ended : status;
}

enum rp_status rp_explain_run(int argc, char *const *argv, FILE *out, int *exit_code)
{
    struct values values = {0};
    struct rp_sources sources;
    *exit_code = 0;
    enum rp_status status = rp_sources_look(&command, argc, argv, &values.source, &sources);
    if (status == RP_OK && sources.operands.help_asked)
        rp_option_print_help(&command, out);
    else if (status == RP_OK)
        status = explain(&sources, &values, out);
    rp_sources_close(&sources);
    return status;
}
