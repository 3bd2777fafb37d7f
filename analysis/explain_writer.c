/* explain_writer.c - one quantity after the other, as lines for eyes or as rows for programs. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "analysis/explain.h"
#include "base/decimal.h"

enum { HOW_SIZE = 400, VALUE_SIZE = 160 };

static const struct rp_table_column columns[] = {
    {"file", NULL, NULL},    {"row", NULL, NULL},      {"point", NULL, NULL}, {"impl", NULL, NULL},
    {"section", NULL, NULL}, {"quantity", NULL, NULL}, {"value", NULL, NULL}, {"low", NULL, NULL},
    {"high", NULL, NULL},    {"units", NULL, NULL},    {"how", NULL, NULL},
};

static bool is_for_eyes(const struct rp_explainer *e)
{
    return e->format == RP_TABLE_EYES;
}

void rp_explain_begin(struct rp_explainer *e, FILE *out, enum rp_table_format format)
{
    *e = (struct rp_explainer){.out = out, .format = format, .status = RP_OK};
    if (!is_for_eyes(e))
        e->status = rp_table_begin(out, format, "ridgepoint-explain", columns, RP_COUNT(columns),
                                   &e->writer);
}

/* The table in work, if there is one. */
static void end_table(struct rp_explainer *e)
{
    enum rp_status ended = rp_table_end(e->writer);
    e->writer = NULL;
    if (e->status == RP_OK)
        e->status = ended;
}

enum rp_status rp_explain_end(struct rp_explainer *e)
{
    end_table(e);
    return e->status;
}

void rp_explain_section(struct rp_explainer *e, const char *name)
{
    e->section = name;
    if (!is_for_eyes(e) || e->status != RP_OK)
        return;
    end_table(e);
    fprintf(e->out, "\n");
    e->columns[0] = (struct rp_table_column){"quantity", name, NULL};
    e->columns[1] = (struct rp_table_column){"value", NULL, NULL};
    e->columns[2] = (struct rp_table_column){"how", NULL, NULL};
    if (e->status == RP_OK)
        e->status = rp_table_begin(e->out, RP_TABLE_EYES, "ridgepoint-explain", e->columns,
                                   RP_EXPLAIN_EYES_COLUMNS, &e->writer);
}

/* From file to quantity; for eyes only the quantity. */
static void put_lead(struct rp_explainer *e, const char *name)
{
    if (!is_for_eyes(e)) {
        rp_table_word(e->writer, e->view->path);
        rp_table_i64(e->writer, e->row);
        rp_table_word(e->writer, e->view->row->point);
        rp_table_word(e->writer, e->view->row->impl);
        rp_table_word(e->writer, e->section);
    }
    rp_table_word(e->writer, name);
}

static void put_missing(struct rp_explainer *e, int n)
{
    for (int i = 0; i < n; ++i)
        rp_table_missing(e->writer);
}

/* How a unit is shown: its value times `scale` with another name. */
struct shown {
    double scale;
    const char *units;
};

static struct shown shown_as(const char *units, double value)
{
    if (strcmp(units, "s") == 0)
        return value < 1e-3  ? (struct shown){1e6, "us"}
               : value < 1.0 ? (struct shown){1e3, "ms"}
                             : (struct shown){1, "s"};
    if (strcmp(units, "FLOP/s") == 0)
        return value < 1e12 ? (struct shown){1e-9, "GFLOP/s"} : (struct shown){1e-12, "TFLOP/s"};
    if (strcmp(units, "B/s") == 0)
        return (struct shown){1e-9, "GB/s"};
    if (strcmp(units, "Hz") == 0)
        return (struct shown){1e-9, "GHz"};
    return (struct shown){1, strcmp(units, "1") == 0 ? "" : units};
}

/* "8.39 ms (8.31 .. 8.47)" */
static void value_text(char text[VALUE_SIZE], const struct rp_quantity *q)
{
    const int digits = 5;
    char value[RP_DECIMAL_SIZE];
    char low[RP_DECIMAL_SIZE];
    char high[RP_DECIMAL_SIZE];
    struct shown as = shown_as(q->units, q->value);
    rp_decimal_rounded(q->value * as.scale, digits, value);
    int n = snprintf(text, VALUE_SIZE, "%s%s%s", value, as.units[0] ? " " : "", as.units);
    if (isnan(q->low) || isnan(q->high) || n < 0)
        return;
    rp_decimal_rounded(q->low * as.scale, digits, low);
    rp_decimal_rounded(q->high * as.scale, digits, high);
    snprintf(text + n, VALUE_SIZE - (size_t)n, " (%s .. %s)", low, high);
}

void rp_explain_number(struct rp_explainer *e, const char *name, struct rp_quantity q,
                       const char *how, ...)
{
    char text[HOW_SIZE];
    va_list args;
    va_start(args, how);
    vsnprintf(text, sizeof text, how, args);
    va_end(args);
    if (e->status != RP_OK)
        return;
    put_lead(e, name);
    if (is_for_eyes(e)) {
        char value[VALUE_SIZE];
        value_text(value, &q);
        rp_table_word(e->writer, isfinite(q.value) ? value : "missing");
    } else {
        rp_table_f64(e->writer, q.value, NULL);
        rp_table_f64(e->writer, q.low, NULL);
        rp_table_f64(e->writer, q.high, NULL);
        rp_table_word(e->writer, q.units);
    }
    rp_table_word(e->writer, text);
}

void rp_explain_count(struct rp_explainer *e, const char *name, int64_t count, const char *units,
                      const char *how, ...)
{
    char text[HOW_SIZE];
    va_list args;
    va_start(args, how);
    vsnprintf(text, sizeof text, how, args);
    va_end(args);
    if (e->status != RP_OK)
        return;
    put_lead(e, name);
    if (is_for_eyes(e)) {
        char value[VALUE_SIZE];
        snprintf(value, sizeof value, "%" PRId64 "%s%s", count, strcmp(units, "1") ? " " : "",
                 strcmp(units, "1") ? units : "");
        rp_table_word(e->writer, count == -1 ? "missing" : value);
    } else {
        if (count == -1)
            rp_table_missing(e->writer);
        else
            rp_table_i64(e->writer, count);
        put_missing(e, 2);
        rp_table_word(e->writer, units);
    }
    rp_table_word(e->writer, text);
}

void rp_explain_word(struct rp_explainer *e, const char *name, const char *word, const char *how,
                     ...)
{
    char text[HOW_SIZE];
    va_list args;
    va_start(args, how);
    vsnprintf(text, sizeof text, how, args);
    va_end(args);
    if (e->status != RP_OK)
        return;
    put_lead(e, name);
    rp_table_word_or_missing(e->writer, word);
    if (!is_for_eyes(e))
        put_missing(e, 3);
    rp_table_word(e->writer, text);
}
