/*
 * summary.h - what the summary is made of, and its two forms: for eyes and for programs.
 */
#ifndef RP_ANALYSIS_SUMMARY_H
#define RP_ANALYSIS_SUMMARY_H

#include <stdio.h>

#include "analysis/crossover_table.h"
#include "analysis/dependence.h"
#include "analysis/groups.h"
#include "analysis/load.h"
#include "analysis/measured.h"
#include "analysis/memory_table.h"
#include "analysis/naive_cost.h"
#include "analysis/sources.h"
#include "base/status.h"
#include "base/table.h"
#include "model/gpu_spec.h"

enum { RP_SUMMARY_GPUS_MAX = 64 };

/* --gpu unless it is given. */
#define RP_SUMMARY_GPUS "t4,a100-sxm-80gb,h100-sxm-80gb"

struct rp_summary {
    const struct rp_study_list *list;
    const struct rp_gpu_list *all_gpus; /* of data/ */
    bool simulated;                     /* simulated devices count */
    struct rp_groups groups;
    struct rp_measured_list measured;
    const struct rp_gpu_spec *gpus[RP_SUMMARY_GPUS_MAX]; /* to give verdicts for */
    size_t n_gpus;
    struct rp_turn_table turns;
    struct rp_memory_table memory;
    struct rp_naive_cost_list naive_costs;
    struct rp_dependence_list dependences;
};

/* Of the GPU types `asked` for (comma-separated, prefixes allowed) and those of the files. To be
 * cleared also on failure; `sources` must outlive it. */
enum rp_status rp_summary_create(const struct rp_sources *sources, const char *asked,
                                 bool simulated, struct rp_summary *summary) RP_MUST_CHECK;
void rp_summary_clear(struct rp_summary *summary);

/* A report of headings, tables and closing sentences. */
enum rp_status rp_summary_print(const struct rp_summary *summary, FILE *out) RP_MUST_CHECK;

/* The datasheet of a device type of the files; null: data/ has none. */
const struct rp_gpu_spec *rp_summary_gpu(const struct rp_summary *summary, const char *gpu_type);

/* The tables of that report, for eyes or as html. */

/* Measured on one device: measured.items[begin .. end - 1]. */
enum rp_status rp_summary_measured_table(const struct rp_summary *summary, size_t begin, size_t end,
                                         enum rp_table_format format, FILE *out) RP_MUST_CHECK;
/* By the datasheet. */
enum rp_status rp_summary_datasheet_table(const struct rp_summary *summary,
                                          const struct rp_gpu_spec *gpu,
                                          enum rp_table_format format, FILE *out) RP_MUST_CHECK;
/* "320 GB/s; fp16 65 TFLOP/s, ridge 203.1 FLOP/B": the datasheet, for the dtypes of the files. */
void rp_summary_datasheet_text(const struct rp_summary *summary, const struct rp_gpu_spec *gpu,
                               FILE *out);
/* What devices like that of `on` reached at most with its threads, and how far their anchors
 * drifted, with a heading for eyes. Nothing when no ceilings were measured on them. */
enum rp_status rp_summary_ceilings(const struct rp_summary *summary, const struct rp_measured *on,
                                   enum rp_table_format format, FILE *out) RP_MUST_CHECK;

/* For JSON: every ceiling measured on a device that counts, as an array "ceilings". */
enum rp_status rp_summary_write_ceilings(const struct rp_summary *summary,
                                         struct rp_table_writer *w) RP_MUST_CHECK;

/* What a table of several devices shows, before it: for eyes "TITLE. TEXT", in html a heading and a
 * paragraph. */
void rp_summary_introduce(enum rp_table_format format, const char *title, const char *text,
                          FILE *out);

/* Where implementations turn to compute along the axes swept, introduced. Predictions over T are
 * left to the tables of the datasheets. Nothing where nothing is left. */
enum rp_status rp_summary_turns(const struct rp_summary *summary, enum rp_table_format format,
                                FILE *out) RP_MUST_CHECK;

/* For JSON: the same, all of it, as an array "crossovers" beside the rows. */
enum rp_status rp_summary_write_turns(const struct rp_summary *summary,
                                      struct rp_table_writer *w) RP_MUST_CHECK;

/* The device or GPU type of a row of those tables: "cpu-name 4 threads", "t4 70 W", "t4". */
enum { RP_SUMMARY_DEVICE_SIZE = 200 };
void rp_summary_device_text(const struct rp_device_row *device, const struct rp_gpu_spec *gpu,
                            int64_t threads, char text[RP_SUMMARY_DEVICE_SIZE]);

/* "measured", "simulated", or without a device "predicted". */
const char *rp_summary_basis(const struct rp_device_row *device);

/* How memory grows, and what fits; for JSON as an array "memory". */
enum rp_status rp_summary_memory(const struct rp_summary *summary, enum rp_table_format format,
                                 FILE *out) RP_MUST_CHECK;
enum rp_status rp_summary_write_memory(const struct rp_summary *summary,
                                       struct rp_table_writer *w) RP_MUST_CHECK;

/* What naive costs, in groups of shapes; for JSON shape by shape as "naive_costs". */
enum rp_status rp_summary_naive(const struct rp_summary *summary, enum rp_table_format format,
                                FILE *out) RP_MUST_CHECK;
enum rp_status rp_summary_write_naive(const struct rp_summary *summary,
                                      struct rp_table_writer *w) RP_MUST_CHECK;

/* Where the verdicts on the files' rows disagree and why; whose class depends on what is counted or
 * on the variant of a GPU. For JSON the latter as "dependences"; export has the former. */
enum rp_status rp_summary_agreement(const struct rp_summary *summary, enum rp_table_format format,
                                    FILE *out) RP_MUST_CHECK;
enum rp_status rp_summary_write_dependences(const struct rp_summary *summary,
                                            struct rp_table_writer *w) RP_MUST_CHECK;

/* The closing sentences of that report: where each GPU type turns, and what is missing. */
void rp_summary_answer(const struct rp_summary *summary, FILE *out);

/* One table: a row per (device type measured here, group, implementation) and one per (GPU type
 * of the datasheets, group, implementation). */
enum rp_status rp_summary_write(const struct rp_summary *summary, enum rp_table_format format,
                                FILE *out) RP_MUST_CHECK;

#endif
