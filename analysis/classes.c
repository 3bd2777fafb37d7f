/*
 * classes.c - the command: rows counted by class, in one pass that holds a block of them at a time,
 * so that memory does not grow with the rows.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/classify.h"
#include "analysis/device_kind.h"
#include "analysis/load.h"
#include "analysis/subcommands.h"
#include "analysis/summary.h"
#include "base/option.h"
#include "base/table.h"
#include "model/result.h"
#include "store/results_scan.h"

struct values {
    const char *format;
    const char *data;
    bool simulated;
};

static const struct rp_option options[] = {
    {"format", 0, RP_OPTION_CHOICE, offsetof(struct values, format), "table", 0, 0,
     RP_TABLE_FORMATS, NULL, NULL, "how to write the counts"},
    {"data", 0, RP_OPTION_WORD, offsetof(struct values, data), NULL, 0, 0, NULL, "DIR", NULL,
     "folder searched for gpus.tsv before the installed data"},
    {"simulated", 0, RP_OPTION_FLAG, offsetof(struct values, simulated), NULL, 0, 0, NULL, NULL,
     NULL, "take rows of simulated devices in"},
};

static const struct rp_command command = {
    .program = "ridgepoint-analyze",
    .name = "classes",
    .operands = "FILE...",
    .min_operands = 1,
    .max_operands = 100000,
    .summary = "Counts rows by class (ideal, predicted, measured) per device, stage, "
               "implementation and dtype, reading each file block by block: for files of any "
               "size.",
    .example = "ridgepoint-analyze classes results/notebook.h5",
    .options = options,
    .n_options = RP_COUNT(options),
};

/* What the verdicts on a row are made of. */
static const char *const wanted[] = {
    "run",      "device",        "stage",          "impl",       "dtype",     "batch",
    "heads",    "kv_heads",      "seq_q",          "seq_k",      "head_dim",  "causal",
    "launches", "path",          "threads",        "flops_impl", "bytes_min", "bytes_impl",
    "cache",    "time_median_s", "time_ci_high_s",
};

struct tally {
    struct rp_device_row device; /* a copy of the first of its kind */
    int64_t threads;
    enum rp_stage stage;
    enum rp_impl impl;
    enum rp_dtype dtype;
    size_t rows, timed;
    size_t ideal[RP_CLASS_COUNT], predicted[RP_CLASS_COUNT];
    size_t measured[RP_CLASS_COUNT]; /* of the timed ones */
    struct rp_result under;          /* the row that `roof` is of; run -2: of none */
    struct rp_roof roof;
};

struct tallies {
    const struct rp_gpu_list *gpus;
    bool simulated;      /* they count */
    struct tally *items; /* heap */
    size_t count;
    size_t last;     /* rows come in runs of one kind */
    size_t left_out; /* of simulated devices */
    size_t no_point; /* rows whose axes make none, or that point at no device */
};

/* What a row is counted under. */
struct key {
    const struct rp_device_row *device;
    int64_t threads;
    struct rp_point point;
    enum rp_impl impl;
};

static bool is_of(const struct tally *t, const struct key *key)
{
    return t->stage == key->point.stage && t->impl == key->impl && t->dtype == key->point.dtype &&
           t->threads == key->threads && rp_device_kind_compare(&t->device, key->device) == 0;
}

/* Null when host memory is out. */
static struct tally *find_or_add(struct tallies *list, const struct key *key)
{
    for (size_t i = 0; i < list->count; ++i) {
        size_t at = (list->last + i) % list->count;
        if (is_of(&list->items[at], key)) {
            list->last = at;
            return &list->items[at];
        }
    }
    struct tally *items = realloc(list->items, (list->count + 1) * sizeof *items);
    if (!items)
        return NULL;
    list->items = items;
    list->last = list->count++;
    items[list->last] = (struct tally){.device = *key->device,
                                       .threads = key->threads,
                                       .stage = key->point.stage,
                                       .impl = key->impl,
                                       .dtype = key->point.dtype,
                                       .under = {.run = -2}};
    return &items[list->last];
}

/* The roof of the last row serves the next of the same run, device and path. */
static enum rp_class measured_class(struct tally *t, const struct rp_study *study,
                                    const struct rp_result *row)
{
    if (t->under.run != row->run || t->under.device != row->device ||
        strcmp(t->under.path, row->path) != 0) {
        t->under = *row;
        t->roof = rp_roof_of(study, row);
    }
    return rp_verdict_under_roof(study, row, &t->roof).class_name;
}

static enum rp_status add_row(struct tallies *list, const struct rp_study *study,
                              const struct rp_result *row)
{
    struct key key = {.device = rp_study_device_of(study, row), .threads = row->threads};
    if (key.device && rp_device_is_simulated(key.device) && !list->simulated) {
        ++list->left_out;
        return RP_OK;
    }
    if (!key.device || !rp_impl_find(row->impl, &key.impl) ||
        rp_result_point(row, &key.point) != RP_OK) {
        ++list->no_point;
        return RP_OK;
    }
    struct tally *t = find_or_add(list, &key);
    if (!t)
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory for %zu counts", list->count);
    const char *gpu_type = key.device->gpu_type;
    const struct rp_gpu_spec *gpu = rp_gpu_of_device(list->gpus, key.device);
    ++t->rows;
    ++t->ideal[rp_verdict_ideal(gpu, gpu_type, &key.point, false).class_name];
    ++t->predicted[rp_verdict_predicted(gpu, gpu_type, &key.point, key.impl).class_name];
    if (row->time_median_s > 0) {
        ++t->timed;
        ++t->measured[measured_class(t, study, row)];
    }
    return RP_OK;
}

static enum rp_status add_file(struct tallies *list, const char *path)
{
    struct rp_results_scan *scan = NULL;
    size_t n = 0;
    for (size_t i = 0; i < list->count; ++i)
        list->items[i].under.run = -2; /* roofs are owned by the study of the file before */
    enum rp_status status = rp_study_scan(path, wanted, RP_COUNT(wanted), &scan);
    while (status == RP_OK) {
        status = rp_results_scan_next(scan, &n);
        if (status != RP_OK || n == 0)
            break;
        const struct rp_study *study = rp_results_scan_study(scan);
        for (size_t i = 0; i < n && status == RP_OK; ++i)
            status = add_row(list, study, &rp_study_results(study)[i]);
    }
    rp_study_scan_close(scan);
    return status;
}

static int compare(const void *a, const void *b)
{
    const struct tally *x = a;
    const struct tally *y = b;
    int order = rp_device_kind_compare(&x->device, &y->device);
    order = order ? order : (x->threads > y->threads) - (x->threads < y->threads);
    order = order ? order : (int)x->stage - (int)y->stage;
    order = order ? order : (int)x->dtype - (int)y->dtype;
    return order ? order : (int)x->impl - (int)y->impl;
}

static const struct rp_table_column columns[] = {
    {"device", NULL, NULL},
    {"stage", NULL, NULL},
    {"impl", NULL, NULL},
    {"dtype", NULL, NULL},
    {"rows", NULL, NULL},
    {"ideal_compute", NULL, NULL},
    {"ideal_memory", NULL, NULL},
    {"predicted_compute", NULL, NULL},
    {"predicted_memory", NULL, NULL},
    {"rows_timed", "timed", NULL},
    {"measured_compute", NULL, NULL},
    {"measured_memory", NULL, NULL},
    {"latency", NULL, NULL},
    {"balanced", NULL, NULL},
    {"undecided", NULL, NULL},
    {"unexplained", NULL, NULL},
    {"measured_missing", NULL, NULL},
};

static void put_tally(struct rp_table_writer *w, const struct tally *t)
{
    char device[RP_SUMMARY_DEVICE_SIZE];
    const size_t counts[] = {t->rows,
                             t->ideal[RP_CLASS_COMPUTE],
                             t->ideal[RP_CLASS_MEMORY],
                             t->predicted[RP_CLASS_COMPUTE],
                             t->predicted[RP_CLASS_MEMORY],
                             t->timed};
    rp_summary_device_text(&t->device, NULL, t->threads, device);
    rp_table_word(w, device);
    rp_table_word(w, rp_stage_name(t->stage));
    rp_table_word(w, rp_impl_name(t->impl));
    rp_table_word(w, rp_dtype_info(t->dtype)->name);
    for (size_t i = 0; i < RP_COUNT(counts); ++i)
        rp_table_i64(w, (int64_t)counts[i]);
    for (int c = 0; c < RP_CLASS_COUNT; ++c)
        rp_table_i64(w, (int64_t)t->measured[c]);
}

static enum rp_status print(struct tallies *list, enum rp_table_format format, FILE *out)
{
    struct rp_table_writer *w = NULL;
    if (list->count)
        qsort(list->items, list->count, sizeof *list->items, compare);
    RP_TRY(rp_table_begin(out, format, "ridgepoint-classes", columns, RP_COUNT(columns), &w));
    for (size_t i = 0; i < list->count; ++i)
        put_tally(w, &list->items[i]);
    RP_TRY(rp_table_end(w));
    if (format != RP_TABLE_EYES)
        return RP_OK;
    if (list->no_point)
        fprintf(out, "%zu rows have axes that make no point; `verify` says which.\n",
                list->no_point);
    if (list->left_out)
        fprintf(out, "%zu rows of simulated devices are left out; --simulated takes them in.\n",
                list->left_out);
    return RP_OK;
}

static enum rp_status count_files(const struct rp_operands *files, const struct values *values,
                                  FILE *out)
{
    struct rp_gpu_list gpus = {0};
    struct tallies list = {.gpus = &gpus, .simulated = values->simulated};
    enum rp_status status = rp_gpu_list_load(values->data, &gpus);
    for (size_t i = 0; i < files->count && status == RP_OK; ++i)
        status = add_file(&list, files->items[i]);
    if (status == RP_OK)
        status = print(&list, rp_table_format_of(values->format), out);
    free(list.items);
    rp_gpu_list_clear(&gpus);
    return status;
}

enum rp_status rp_classes_run(int argc, char *const *argv, FILE *out, int *exit_code)
{
    struct values values = {0};
    struct rp_operands operands = {0};
    *exit_code = 0;
    enum rp_status status = rp_option_parse(&command, argc, argv, &values, &operands);
    if (status == RP_OK && operands.help_asked)
        rp_option_print_help(&command, out);
    else if (status == RP_OK)
        status = count_files(&operands, &values, out);
    rp_operands_clear(&operands);
    return status;
}
