/*
 * gpu_spec.c - reads data/gpus.tsv and finds a GPU type by key or by the driver's name.
 *
 * Columns are found by the names in the header line, so their order is free. The file's units
 * (TFLOP/s, GB/s, MiB, us) become FLOP/s, B/s, B and s here and nowhere else.
 */
#include "model/gpu_spec.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "base/text.h"
#include "model/data_folder.h"

enum field_kind { FIELD_WORD, FIELD_F64, FIELD_I64 };

struct field {
    const char *name;
    enum field_kind kind;
    size_t offset;
    size_t size;  /* WORD: bytes of the member */
    double scale; /* F64 and I64: SI units of one unit of the file */
    bool needed;  /* '-' is refused */
};

#define AT(member) offsetof(struct rp_gpu_spec, member)
#define WORD_FIELD(m, needed)                                                                      \
    {                                                                                              \
#m, FIELD_WORD, AT(m), sizeof(((struct rp_gpu_spec *)0)->m), 0, needed                     \
    }

static const struct field fields[] = {
    WORD_FIELD(gpu_type, true),
    WORD_FIELD(driver_names, true),
    WORD_FIELD(compute_capability, true),
    {"tensor_fp16_tflop_per_s", FIELD_F64, AT(tensor_fp16_flop_per_s), 0, 1e12, false},
    {"tensor_bf16_tflop_per_s", FIELD_F64, AT(tensor_bf16_flop_per_s), 0, 1e12, false},
    {"tensor_tf32_tflop_per_s", FIELD_F64, AT(tensor_tf32_flop_per_s), 0, 1e12, false},
    {"simt_fp32_tflop_per_s", FIELD_F64, AT(simt_fp32_flop_per_s), 0, 1e12, true},
    {"bandwidth_gb_per_s", FIELD_F64, AT(bandwidth_bytes_per_s), 0, 1e9, true},
    {"memory_mib", FIELD_I64, AT(memory_bytes), 0, 1048576, true},
    {"l2_mib", FIELD_I64, AT(l2_bytes), 0, 1048576, false},
    {"multiprocessors", FIELD_I64, AT(multiprocessors), 0, 1, true},
    {"launch_latency_us", FIELD_F64, AT(launch_latency_s), 0, 1e-6, false},
    WORD_FIELD(source, true),
    WORD_FIELD(measured, false),
};

enum { N_FIELDS = RP_COUNT(fields), COLUMNS_MAX = 32, GPUS_MAX = 4096 };

struct reader {
    const char *path;
    int line;
    const struct field *columns[COLUMNS_MAX]; /* of each column of the file; null: not ours */
    size_t n_columns;                         /* 0: the header line was not read yet */
};

static enum rp_status parse_number(const struct reader *reader, const struct field *field,
                                   const char *cell, struct rp_gpu_spec *spec)
{
    const bool whole = field->kind == FIELD_I64;
    double value = 0;
    int64_t count = 0;
    bool good = whole ? rp_parse_i64(cell, false, &count) : rp_parse_f64(cell, &value);
    if (whole)
        value = (double)count;
    if (!good || value <= 0 || value > 1e9)
        return RP_FAIL(RP_ERR_CONFIG, "%s:%d: %s '%s' must be a %snumber above 0%s", reader->path,
                       reader->line, field->name, cell, whole ? "whole " : "",
                       field->needed ? "" : ", or '-'");
    value *= field->scale;
    count = (int64_t)value;
    if (whole)
        memcpy((char *)spec + field->offset, &count, sizeof count);
    else
        memcpy((char *)spec + field->offset, &value, sizeof value);
    return RP_OK;
}

static enum rp_status parse_cell(const struct reader *reader, const struct field *field,
                                 const char *cell, struct rp_gpu_spec *spec)
{
    const double not_a_number = NAN;
    const int64_t minus_one = -1;
    char *member = (char *)spec + field->offset;
    bool nothing = strcmp(cell, "-") == 0;
    if (field->needed && (nothing || !*cell))
        return RP_FAIL(RP_ERR_CONFIG, "%s:%d: %s is missing", reader->path, reader->line,
                       field->name);
    if (nothing && field->kind == FIELD_F64)
        memcpy(member, &not_a_number, sizeof not_a_number);
    if (nothing && field->kind == FIELD_I64)
        memcpy(member, &minus_one, sizeof minus_one);
    if (field->kind != FIELD_WORD)
        return nothing ? RP_OK : parse_number(reader, field, cell, spec);
    if (strlen(cell) >= field->size)
        return RP_FAIL(RP_ERR_CONFIG, "%s:%d: %s has %zu characters, at most %zu are allowed",
                       reader->path, reader->line, field->name, strlen(cell), field->size - 1);
    snprintf(member, field->size, "%s", nothing ? "" : cell);
    return RP_OK;
}

/* Takes the cells of one line, splitting it in place. */
static enum rp_status split(const struct reader *reader, char *line, char *cells[COLUMNS_MAX],
                            size_t *n)
{
    *n = 0;
    for (char *cell = line; cell; ++*n) {
        char *tab = strchr(cell, '\t');
        if (*n == COLUMNS_MAX)
            return RP_FAIL(RP_ERR_CONFIG, "%s:%d: more than %d columns", reader->path, reader->line,
                           COLUMNS_MAX);
        if (tab)
            *tab++ = '\0';
        cells[*n] = cell;
        cell = tab;
    }
    return RP_OK;
}

static enum rp_status read_header(struct reader *reader, char *const *cells, size_t n)
{
    for (size_t f = 0; f < N_FIELDS; ++f) {
        size_t found = 0;
        for (size_t i = 0; i < n; ++i) {
            if (strcmp(cells[i], fields[f].name) == 0) {
                reader->columns[i] = &fields[f];
                ++found;
            }
        }
        if (found != 1)
            return RP_FAIL(RP_ERR_CONFIG, "%s:%d: the header line %s column %s", reader->path,
                           reader->line, found ? "has more than one" : "lacks the", fields[f].name);
    }
    reader->n_columns = n;
    return RP_OK;
}

static enum rp_status append(struct rp_gpu_list *list, const struct rp_gpu_spec *spec)
{
    struct rp_gpu_spec *items = realloc(list->items, (list->count + 1) * sizeof *items);
    if (!items)
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory for the list of GPU types");
    list->items = items;
    items[list->count++] = *spec;
    return RP_OK;
}

const struct rp_gpu_spec *rp_gpu_list_find_exact(const struct rp_gpu_list *list, const char *key)
{
    for (size_t i = 0; i < list->count; ++i) {
        if (strcmp(list->items[i].gpu_type, key) == 0)
            return &list->items[i];
    }
    return NULL;
}

static enum rp_status read_line(struct reader *reader, char *line, struct rp_gpu_list *list)
{
    char *cells[COLUMNS_MAX];
    size_t n = 0;
    line[strcspn(line, "\r\n")] = '\0';
    if (!*line || *line == '#')
        return RP_OK;
    RP_TRY(split(reader, line, cells, &n));
    if (reader->n_columns == 0)
        return read_header(reader, cells, n);
    if (n != reader->n_columns)
        return RP_FAIL(RP_ERR_CONFIG, "%s:%d: %zu columns, the header line has %zu", reader->path,
                       reader->line, n, reader->n_columns);
    struct rp_gpu_spec spec = {0};
    for (size_t i = 0; i < n; ++i) {
        if (reader->columns[i])
            RP_TRY(parse_cell(reader, reader->columns[i], cells[i], &spec));
    }
    if (rp_gpu_list_find_exact(list, spec.gpu_type))
        return RP_FAIL(RP_ERR_CONFIG, "%s:%d: gpu_type '%s' is there twice", reader->path,
                       reader->line, spec.gpu_type);
    if (list->count == GPUS_MAX)
        return RP_FAIL(RP_ERR_CONFIG, "%s:%d: more than %d GPU types", reader->path, reader->line,
                       GPUS_MAX);
    return append(list, &spec);
}

enum rp_status rp_gpu_list_read(const char *path, struct rp_gpu_list *list)
{
    struct reader reader = {.path = path};
    char *line = NULL;
    size_t capacity = 0;
    enum rp_status status = RP_OK;
    *list = (struct rp_gpu_list){0};

    FILE *file = fopen(path, "re");
    if (!file)
        return RP_FAIL(RP_ERR_CONFIG, "%s: cannot be read: %s", path, strerror(errno));
    while (status == RP_OK && getline(&line, &capacity, file) >= 0) {
        ++reader.line;
        status = read_line(&reader, line, list);
    }
    if (status == RP_OK && ferror(file))
        status = RP_FAIL(RP_ERR_CONFIG, "%s: cannot be read: %s", path, strerror(errno));
    if (status == RP_OK && list->count == 0)
        status = RP_FAIL(RP_ERR_CONFIG, "%s:%d: no row, so no GPU type", path, reader.line);
    free(line);
    fclose(file);
    if (status != RP_OK)
        rp_gpu_list_clear(list);
    return status;
}

/* Adds the rows of `more` whose key is not in the list yet. */
static enum rp_status add_missing(struct rp_gpu_list *list, const struct rp_gpu_list *more)
{
    for (size_t i = 0; i < more->count; ++i) {
        if (!rp_gpu_list_find_exact(list, more->items[i].gpu_type))
            RP_TRY(append(list, &more->items[i]));
    }
    return RP_OK;
}

enum rp_status rp_gpu_list_load(const char *data_override, struct rp_gpu_list *list)
{
    struct rp_gpu_list installed = {0};
    char own[RP_DATA_PATH_SIZE] = "";
    char path[RP_DATA_PATH_SIZE];
    *list = (struct rp_gpu_list){0};

    enum rp_status status = rp_data_file_find(data_override, "gpus.tsv", own, sizeof own);
    if (status == RP_OK)
        status = rp_gpu_list_read(own, list);
    if (status != RP_OK || !data_override)
        return status;
    /* Own GPU types come first; the installed ones stay known where there are any. */
    if (rp_data_file_find(NULL, "gpus.tsv", path, sizeof path) != RP_OK || strcmp(path, own) == 0)
        return RP_OK;
    status = rp_gpu_list_read(path, &installed);
    if (status == RP_OK)
        status = add_missing(list, &installed);
    rp_gpu_list_clear(&installed);
    if (status != RP_OK)
        rp_gpu_list_clear(list);
    return status;
}

void rp_gpu_list_clear(struct rp_gpu_list *list)
{
    free(list->items);
    *list = (struct rp_gpu_list){0};
}

/* The refusal of a key that fits no row, or several: says which there are. */
static enum rp_status refuse_key(const struct rp_gpu_list *list, const char *key, size_t n_fits)
{
    struct rp_text text;
    const char **names = calloc(list->count + 1, sizeof *names);
    rp_text_init(&text);
    for (size_t i = 0; names && i < list->count; ++i) {
        names[i] = list->items[i].gpu_type;
        if (n_fits == 0 || strncmp(names[i], key, strlen(key)) == 0)
            rp_text_printf(&text, "%s%s", text.length ? ", " : "", names[i]);
    }
    const char *nearest = names ? rp_text_nearest(key, names, list->count) : NULL;
    enum rp_status status;
    if (n_fits > 1)
        status =
            RP_FAIL(RP_ERR_USAGE, "GPU type '%s' fits several: %s", key, rp_text_string(&text));
    else if (nearest)
        status = RP_FAIL(RP_ERR_USAGE, "GPU type '%s' is not known; did you mean '%s'? Known: %s",
                         key, nearest, rp_text_string(&text));
    else
        status = RP_FAIL(RP_ERR_USAGE, "GPU type '%s' is not known; known: %s", key,
                         rp_text_string(&text));
    rp_text_clear(&text);
    free(names);
    return status;
}

enum rp_status rp_gpu_list_find(const struct rp_gpu_list *list, const char *key,
                                const struct rp_gpu_spec **spec)
{
    size_t n_fits = 0;
    *spec = rp_gpu_list_find_exact(list, key);
    if (*spec)
        return RP_OK;
    const struct rp_gpu_spec *fit = NULL;
    for (size_t i = 0; *key && i < list->count; ++i) {
        if (strncmp(list->items[i].gpu_type, key, strlen(key)) == 0) {
            fit = &list->items[i];
            ++n_fits;
        }
    }
    if (n_fits != 1)
        return refuse_key(list, key, n_fits);
    *spec = fit;
    return RP_OK;
}

const struct rp_gpu_spec *rp_gpu_list_find_driver_name(const struct rp_gpu_list *list,
                                                       const char *name, int64_t memory_bytes)
{
    /* ECC and the driver take up to 8 % of what the table says; a slice of a card has half. */
    const double tolerance = 0.12;
    const struct rp_gpu_spec *fit = NULL;
    size_t n_fits = 0;
    for (size_t i = 0; i < list->count; ++i) {
        const struct rp_gpu_spec *spec = &list->items[i];
        double expected = (double)spec->memory_bytes;
        if (!rp_text_has_word(spec->driver_names, name))
            continue;
        if (memory_bytes > 0 && fabs((double)memory_bytes - expected) > tolerance * expected)
            continue;
        fit = spec;
        ++n_fits;
    }
    return n_fits == 1 ? fit : NULL;
}

double rp_gpu_spec_peak(const struct rp_gpu_spec *spec, const char *path)
{
    if (strcmp(path, "tensor_fp16") == 0)
        return spec->tensor_fp16_flop_per_s;
    if (strcmp(path, "tensor_bf16") == 0)
        return spec->tensor_bf16_flop_per_s;
    if (strcmp(path, "tensor_tf32") == 0)
        return spec->tensor_tf32_flop_per_s;
    if (strcmp(path, "simt_fp32") == 0)
        return spec->simt_fp32_flop_per_s;
    return NAN;
}
