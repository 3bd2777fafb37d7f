/*
 * figure.h - one file a figure: it chooses rows, writes NAME.csv, and NAME.gp draws NAME.svg and
 * NAME.png of it. The scripts are those of analysis/figures/, behind the settings of this figure;
 * NAME.gp is whole, so that a reader can change it and draw it again: gnuplot NAME.gp
 *
 *   rp_figure_begin(...); per row: rp_figure_row(file, is_simulated), then its cells into
 *   file.table; rp_figure_set...(...); rp_figure_end(...)
 *
 * A figure that got no row is dropped: its files are removed and it is not listed.
 */
#ifndef RP_ANALYSIS_FIGURE_H
#define RP_ANALYSIS_FIGURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "analysis/figure_rows.h"
#include "analysis/summary.h"
#include "base/status.h"
#include "base/table.h"
#include "base/text.h"
#include "model/gpu_spec.h"

enum { RP_FIGURE_NAME_SIZE = 160, RP_FIGURE_PATH_SIZE = 4096 };

struct rp_figure {
    char name[RP_FIGURE_NAME_SIZE]; /* of its files, without ending */
    char title[120];
    char subject[RP_LABEL_SIZE]; /* the device it is of; "": of all */
    char caption[1000];          /* what it shows, what is left out */
    bool is_simulated;           /* a simulated device answered some of it */
};

struct rp_figures {
    const struct rp_summary *summary;
    const struct rp_gpu_list *gpus;
    struct rp_figure_rows rows;
    const char *folder;                /* must exist */
    const char *note;                  /* text file for the report; null: none */
    char scripts[RP_FIGURE_PATH_SIZE]; /* folder of style.gp and the others */
    struct rp_figure *items;           /* heap */
    size_t count;
};

struct rp_figure_layout {
    const char *script; /* of analysis/figures/, without ending */
    const struct rp_table_column *columns;
    size_t n_columns;
};

struct rp_figure_file {
    struct rp_figures *figures;
    const char *script;
    struct rp_figure figure;
    FILE *csv;
    struct rp_table_writer *table;
    struct rp_text settings; /* lines of gnuplot */
    size_t rows;
};

enum rp_status rp_figure_begin(struct rp_figures *figures, const struct rp_figure_layout *layout,
                               const char *name, struct rp_figure_file *file) RP_MUST_CHECK;
void rp_figure_row(struct rp_figure_file *file, bool is_simulated);
void rp_figure_set_text(struct rp_figure_file *file, const char *key, const char *value);
void rp_figure_set_number(struct rp_figure_file *file, const char *key, double value);
/* Arrays of gnuplot; n > 0. */
void rp_figure_set_texts(struct rp_figure_file *file, const char *key, const char *const *values,
                         size_t n);
void rp_figure_set_numbers(struct rp_figure_file *file, const char *key, const double *values,
                           size_t n);

/* Adds to the caption. */
void rp_figure_say(struct rp_figure_file *file, const char *format, ...) RP_PRINTF(2, 3);

/* Closes the data, writes the script and lists the figure; title and caption have been
 * given. */
enum rp_status rp_figure_end(struct rp_figure_file *file) RP_MUST_CHECK;

/* "naive-over-fused", "Tesla T4 (simulated)" -> "naive-over-fused-tesla-t4-simulated" */
void rp_figure_name(char name[RP_FIGURE_NAME_SIZE], const char *kind, const char *subject);

/* The figures; each adds what the files have rows for. */
enum rp_status rp_figure_intensity(struct rp_figures *figures) RP_MUST_CHECK;
enum rp_status rp_figure_roofline(struct rp_figures *figures) RP_MUST_CHECK;
enum rp_status rp_figure_memory(struct rp_figures *figures) RP_MUST_CHECK;
enum rp_status rp_figure_heatmap(struct rp_figures *figures) RP_MUST_CHECK;
enum rp_status rp_figure_naive(struct rp_figures *figures) RP_MUST_CHECK;
enum rp_status rp_figure_types(struct rp_figures *figures) RP_MUST_CHECK;
enum rp_status rp_figure_decode(struct rp_figures *figures) RP_MUST_CHECK;
enum rp_status rp_figure_queries(struct rp_figures *figures) RP_MUST_CHECK;
enum rp_status rp_figure_causal(struct rp_figures *figures) RP_MUST_CHECK;
enum rp_status rp_figure_timeline(struct rp_figures *figures) RP_MUST_CHECK;

/* All of them into `folder`, which must exist, and draws them. `figures` need not be initialised;
 * to be cleared also on failure. */
enum rp_status rp_figures_draw(const struct rp_summary *summary, const struct rp_gpu_list *gpus,
                               const char *folder, struct rp_figures *figures) RP_MUST_CHECK;
void rp_figures_clear(struct rp_figures *figures);

#endif
