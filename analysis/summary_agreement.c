/*
 * summary_agreement.c - where the verdicts on rows disagree, and which classes hang on a count or a
 * variant.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/agreement.h"
#include "analysis/device_kind.h"
#include "analysis/rows.h"
#include "analysis/summary.h"

/* The rows of one kind of device. */
struct tally {
    const struct rp_device_row *device;
    size_t rows, agree; /* with two verdicts or more */
    size_t counts[RP_DISAGREE_COUNT];
    char examples[RP_DISAGREE_COUNT][sizeof((struct rp_agreement *)0)->reason];
    char points[RP_DISAGREE_COUNT][RP_POINT_ID_SIZE];
};

struct tallies {
    const struct rp_gpu_list *gpus;
    struct tally *items; /* heap */
    size_t count;
};

/* Null when host memory is out. */
static struct tally *find_or_add(struct tallies *tallies, const struct rp_device_row *device)
{
    for (size_t i = 0; i < tallies->count; ++i) {
        if (rp_device_kind_compare(tallies->items[i].device, device) == 0)
            return &tallies->items[i];
    }
    struct tally *items = realloc(tallies->items, (tallies->count + 1) * sizeof *items);
    if (!items)
        return NULL;
    tallies->items = items;
    items[tallies->count] = (struct tally){.device = device};
    return &items[tallies->count++];
}

static enum rp_status add_row(void *context, const struct rp_seen_row *seen)
{
    struct tallies *tallies = context;
    const struct rp_row_source source = {seen->file->path, seen->study, tallies->gpus};
    struct rp_row_view view = rp_row_view_of(&source, seen->row);
    struct rp_agreement agreement = rp_agreement_of(&view);
    if (agreement.verdicts < 2)
        return RP_OK;
    struct tally *tally = find_or_add(tallies, seen->device);
    if (!tally)
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory for the verdicts on %zu devices",
                       tallies->count + 1);
    ++tally->rows;
    tally->agree += agreement.agree;
    for (int d = 0; d < RP_DISAGREE_COUNT; ++d) {
        if (agreement.found[d] && tally->counts[d]++ == 0) {
            snprintf(tally->examples[d], sizeof tally->examples[d], "%s", agreement.reason);
            snprintf(tally->points[d], sizeof tally->points[d], "%s", seen->row->point);
        }
    }
    return RP_OK;
}

static enum rp_status collect(const struct rp_summary *s, struct tallies *tallies)
{
    static const char *const columns[] = {
        "point",      "launches",     "path",  "flops",  "flops_impl",    "bytes_min",
        "bytes_impl", "scores_bytes", "cache", "reason", "time_median_s", "time_ci_high_s"};
    const struct rp_rows_visitor visitor = {.context = tallies,
                                            .visit = add_row,
                                            .columns = columns,
                                            .n_columns = RP_COUNT(columns),
                                            .simulated = s->simulated};
    tallies->gpus = s->all_gpus;
    return rp_rows_visit(s->list, &visitor);
}

/* Where sentences go: for eyes leads with items indented below them, in html paragraphs and lists.
 */
struct prose {
    enum rp_table_format format;
    FILE *out;
    bool in_list;
};

static void end_list(struct prose *prose)
{
    if (prose->in_list)
        fprintf(prose->out, "</ul>\n");
    prose->in_list = false;
}

static void say_lead(struct prose *prose, const char *text)
{
    end_list(prose);
    if (prose->format != RP_TABLE_HTML) {
        fprintf(prose->out, "\n%s\n", text);
        return;
    }
    fprintf(prose->out, "<p>");
    rp_table_escape_html(text, prose->out);
    fprintf(prose->out, "</p>\n");
}

static void say_item(struct prose *prose, const char *text)
{
    if (prose->format != RP_TABLE_HTML) {
        fprintf(prose->out, "  %s\n", text);
        return;
    }
    fprintf(prose->out, prose->in_list ? "<li>" : "<ul>\n<li>");
    rp_table_escape_html(text, prose->out);
    fprintf(prose->out, "</li>\n");
    prose->in_list = true;
}

static void say_tally(const struct tally *tally, struct prose *prose)
{
    char device[RP_DEVICE_KIND_SIZE];
    char text[sizeof tally->examples[0] + 100];
    rp_device_kind_text(tally->device, device);
    snprintf(text, sizeof text, "On %s, of %zu rows with two verdicts or more, %zu agree.", device,
             tally->rows, tally->agree);
    say_lead(prose, text);
    for (int d = 0; d < RP_DISAGREE_COUNT; ++d) {
        if (!tally->counts[d])
            continue;
        snprintf(text, sizeof text, "%zu by %s, such as %s: %s", tally->counts[d],
                 rp_disagreement_name((enum rp_disagreement)d), tally->points[d],
                 tally->examples[d]);
        say_item(prose, text);
    }
}

static bool is_same_list(const struct rp_dependence *a, const struct rp_dependence *b)
{
    return a->gpu == b->gpu && a->kind == b->kind && a->variant == b->variant &&
           a->ideal == b->ideal;
}

/* "On t4, the ideal class of 4 shapes is memory, and compute by dense (prefill fp16, T 512..1024)"
 */
static void say_dependences(const struct rp_dependence_list *list, struct prose *prose)
{
    if (list->count)
        say_lead(prose,
                 "Ideal classes that depend on what is counted, or on the variant of the GPU:");
    for (size_t first = 0, end = 0; first < list->count; first = end) {
        const struct rp_dependence *d = &list->items[first];
        int64_t low = d->point.seq_k;
        int64_t high = low;
        char text[300];
        for (; end < list->count && is_same_list(d, &list->items[end]); ++end) {
            int64_t seq = list->items[end].point.seq_k;
            low = seq < low ? seq : low;
            high = seq > high ? seq : high;
        }
        snprintf(text, sizeof text,
                 "%s, %zu shape%s (%s, T %" PRId64 "..%" PRId64 "): %s, but %s %s%s",
                 d->gpu->gpu_type, end - first, end - first == 1 ? "" : "s",
                 rp_stage_name(d->point.stage), low, high, rp_class_name(d->ideal),
                 rp_class_name(d->otherwise),
                 d->kind == RP_DEPENDS_ON_VARIANT    ? "on "
                 : d->kind == RP_DEPENDS_ON_KV_HEADS ? "counted on kv heads"
                                                     : "by the dense count",
                 d->variant ? d->variant->gpu_type : "");
        say_item(prose, text);
    }
}

enum rp_status rp_summary_agreement(const struct rp_summary *s, enum rp_table_format format,
                                    FILE *out)
{
    struct tallies tallies = {0};
    struct prose prose = {format, out, false};
    enum rp_status status = collect(s, &tallies);
    for (size_t i = 0; i < tallies.count && status == RP_OK; ++i)
        say_tally(&tallies.items[i], &prose);
    if (status == RP_OK)
        say_dependences(&s->dependences, &prose);
    end_list(&prose);
    free(tallies.items);
    return status;
}

static const struct rp_table_column json_columns[] = {
    {"gpu_type", NULL, NULL},    {"depends_on", NULL, NULL},      {"variant", NULL, NULL},
    {"stage", NULL, NULL},       {"dtype", NULL, NULL},           {"batch", NULL, NULL},
    {"heads", NULL, NULL},       {"kv_heads", NULL, NULL},        {"seq_q", NULL, NULL},
    {"seq_k", NULL, NULL},       {"head_dim", NULL, NULL},        {"causal", NULL, NULL},
    {"class_ideal", NULL, NULL}, {"class_otherwise", NULL, NULL},
};

enum rp_status rp_summary_write_dependences(const struct rp_summary *s, struct rp_table_writer *w)
{
    RP_TRY(rp_table_next(w, "dependences", json_columns, RP_COUNT(json_columns)));
    for (size_t i = 0; i < s->dependences.count; ++i) {
        const struct rp_dependence *d = &s->dependences.items[i];
        const struct rp_point *p = &d->point;
        const int64_t axes[] = {p->batch, p->heads,    p->kv_heads, p->seq_q,
                                p->seq_k, p->head_dim, p->causal};
        rp_table_word(w, d->gpu->gpu_type);
        rp_table_word(w, rp_dependence_name(d->kind));
        rp_table_word_or_missing(w, d->variant ? d->variant->gpu_type : NULL);
        rp_table_word(w, rp_stage_name(p->stage));
        rp_table_word(w, rp_dtype_info(p->dtype)->name);
        for (size_t k = 0; k < RP_COUNT(axes); ++k)
            rp_table_i64(w, axes[k]);
        rp_table_word(w, rp_class_name(d->ideal));
        rp_table_word(w, rp_class_name(d->otherwise));
    }
    return RP_OK;
}
