/* compare.c - the command: two files, a verdict for every point and implementation they share. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "analysis/compare_rows.h"
#include "analysis/load.h"
#include "analysis/subcommands.h"
#include "base/decimal.h"
#include "base/option.h"
#include "base/table.h"

struct values {
    const char *format;
    bool unlike, simulated;
};

static const struct rp_option options[] = {
    {.name = "unlike",
     .kind = RP_OPTION_FLAG,
     .offset = offsetof(struct values, unlike),
     .help = "compare the points of both files though device type, MIG, ECC, power limit, threads "
             "or protocol differ"},
    {.name = "simulated",
     .kind = RP_OPTION_FLAG,
     .offset = offsetof(struct values, simulated),
     .help = "take rows of simulated devices in"},
    {.name = "format",
     .kind = RP_OPTION_CHOICE,
     .offset = offsetof(struct values, format),
     .default_text = "table",
     .choices = RP_TABLE_FORMATS,
     .help = "how to write the comparison"},
};

static const struct rp_command command = {
    .program = "ridgepoint-analyze",
    .name = "compare",
    .operands = "OLD.h5 NEW.h5",
    .min_operands = 2,
    .max_operands = 2,
    .summary = "Compares the times of two files point by point: SAME, FASTER, SLOWER or UNDECIDED, "
               "with the ratio NEW over OLD and its interval. A difference counts beyond the "
               "larger of 3 % and the drift of the anchors. Exit 1 when something got slower; "
               "unlike devices are refused.",
    .example = "ridgepoint-analyze compare results/before.h5 results/after.h5",
    .options = options,
    .n_options = RP_COUNT(options),
};

static const struct rp_table_column columns[] = {
    {"point", NULL, NULL},
    {"gpu_type", "old device", NULL},
    {"new_gpu_type", "new device", NULL},
    {"stage", NULL, NULL},
    {"impl", NULL, NULL},
    {"dtype", NULL, NULL},
    {"batch", "B", NULL},
    {"heads", "H", NULL},
    {"kv_heads", "G", NULL},
    {"seq_q", "Tq", NULL},
    {"seq_k", "Tk", NULL},
    {"head_dim", "D", NULL},
    {"causal", NULL, NULL},
    {"change", NULL, NULL},
    {"ratio", NULL, NULL},
    {"ratio_low", "low", NULL},
    {"ratio_high", "high", NULL},
    {"allowance_frac", "allowed", "%"},
    {"old_time_median_s", "old", "ms"},
    {"new_time_median_s", "new", "ms"},
    {"old_repeats", "repeats", NULL},
    {"new_repeats", "repeats", NULL},
    {"reason", NULL, NULL},
};

static void put_scaled(struct rp_table_writer *w, double value, double scale, int digits)
{
    char text[RP_DECIMAL_SIZE] = "";
    if (!isnan(value))
        rp_decimal_rounded(value * scale, digits, text);
    rp_table_f64(w, value, text[0] ? text : NULL);
}

static void put_comparison(struct rp_table_writer *w, const struct rp_comparison *c)
{
    const struct rp_point *p = &c->old_side->point;
    rp_table_word(w, c->old_side->id);
    rp_table_word(w, c->old_side->device->gpu_type);
    rp_table_word(w, c->new_side->device->gpu_type);
    rp_table_word(w, rp_stage_name(p->stage));
    rp_table_word(w, rp_impl_name(c->old_side->impl));
    rp_table_word(w, rp_dtype_info(p->dtype)->name);
    const int64_t axes[] = {p->batch, p->heads,    p->kv_heads, p->seq_q,
                            p->seq_k, p->head_dim, p->causal};
    for (size_t i = 0; i < RP_COUNT(axes); ++i)
        rp_table_i64(w, axes[i]);
    rp_table_word(w, rp_change_name(c->change));
    put_scaled(w, c->ratio, 1, 4);
    put_scaled(w, c->low, 1, 4);
    put_scaled(w, c->high, 1, 4);
    put_scaled(w, c->allowance_frac, 100, 3);
    put_scaled(w, c->old_side->median_s, 1e3, 4);
    put_scaled(w, c->new_side->median_s, 1e3, 4);
    rp_table_i64(w, (int64_t)c->old_side->repeats);
    rp_table_i64(w, (int64_t)c->new_side->repeats);
    rp_table_word_or_missing(w, c->reason);
}

/* "12 SAME, 1 SLOWER; ..." */
static void print_answer(const struct rp_comparisons *list, const size_t *counts, FILE *out)
{
    const char *separator = "\n";
    for (int i = 0; i < RP_CHANGE_COUNT; ++i) {
        if (counts[i])
            fprintf(out, "%s%zu %s", separator, counts[i], rp_change_name((enum rp_change)i));
        separator = counts[i] ? ", " : separator;
    }
    fprintf(out, ". The ratio is NEW over OLD: below 1 is faster.\n");
    if (list->status_changed)
        fprintf(out,
                "%zu undecided because the status changed, which no time can tell; the last column "
                "says how.\n",
                list->status_changed);
    if (list->old_only || list->new_only)
        fprintf(out, "Only in OLD: %zu, only in NEW: %zu (points by implementation).\n",
                list->old_only, list->new_only);
    if (list->simulated)
        fprintf(out, "%zu rows of simulated devices are left out; --simulated takes them in.\n",
                list->simulated);
}

static enum rp_status print(const struct rp_comparisons *list, enum rp_table_format format,
                            FILE *out, int *exit_code)
{
    struct rp_table_writer *writer = NULL;
    size_t counts[RP_CHANGE_COUNT] = {0};
    RP_TRY(rp_table_begin(out, format, "ridgepoint-compare", columns, RP_COUNT(columns), &writer));
    for (size_t i = 0; i < list->count; ++i) {
        struct rp_comparison comparison = rp_comparison_of(list, i);
        put_comparison(writer, &comparison);
        ++counts[comparison.change];
    }
    RP_TRY(rp_table_end(writer));
    *exit_code = counts[RP_CHANGE_SLOWER] ? 1 : 0;
    if (format == RP_TABLE_EYES)
        print_answer(list, counts, out);
    return RP_OK;
}

static enum rp_status compare(const struct rp_operands *files, const struct values *values,
                              FILE *out, int *exit_code)
{
    struct rp_study_list list;
    struct rp_comparisons comparisons;
    const struct rp_compare_choice choice = {values->unlike, values->simulated};
    RP_TRY(rp_study_list_open(files->items, files->count, &list));
    enum rp_status status = rp_compare_files(&list, &choice, &comparisons);
    if (status == RP_OK) {
        status = print(&comparisons, rp_table_format_of(values->format), out, exit_code);
        rp_comparisons_clear(&comparisons);
    }
    rp_study_list_close(&list);
    return status;
}

enum rp_status rp_compare_run(int argc, char *const *argv, FILE *out, int *exit_code)
{
    struct values values = {0};
    struct rp_operands operands = {0};
    *exit_code = 0;
    enum rp_status status = rp_option_parse(&command, argc, argv, &values, &operands);
    if (status == RP_OK && operands.help_asked)
        rp_option_print_help(&command, out);
    else if (status == RP_OK)
        status = compare(&operands, &values, out, exit_code);
    rp_operands_clear(&operands);
    return status;
}
