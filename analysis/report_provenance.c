/* report_provenance.c - files, runs and devices of a report, a note, and how to measure it again.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/report.h"

static const struct rp_table_column device_columns[] = {
    {"gpu_type", "type", NULL}, {"name", NULL, NULL},          {"backend", NULL, NULL},
    {"host", NULL, NULL},       {"memory", NULL, "GiB"},       {"l2", "last-level cache", "MiB"},
    {"clock", "clock", "GHz"},  {"power", "power limit", "W"}, {"ecc", "ECC", NULL},
    {"mig", "MIG", NULL},       {"driver", NULL, NULL},        {"runtime", NULL, NULL},
};

static void put_scaled(struct rp_table_writer *w, double value, double scale)
{
    char text[32];
    snprintf(text, sizeof text, "%.3g", value * scale);
    if (value > 0)
        rp_table_f64(w, value, text);
    else
        rp_table_missing(w);
}

static void put_device(struct rp_table_writer *w, const struct rp_device_row *device)
{
    rp_table_word(w, device->gpu_type);
    rp_table_word_or_missing(w, device->name);
    rp_table_word(w, device->backend);
    rp_table_word_or_missing(w, device->host);
    put_scaled(w, (double)device->memory_bytes, 0x1p-30);
    put_scaled(w, (double)device->l2_bytes, 0x1p-20);
    put_scaled(w, device->clock_max_hz, 1e-9);
    put_scaled(w, device->power_limit_w, 1);
    rp_table_word_or_missing(w, device->ecc < 0 ? "" : device->ecc ? "on" : "off");
    rp_table_word_or_missing(w, device->mig);
    rp_table_word_or_missing(w, device->driver);
    rp_table_word_or_missing(w, device->runtime);
}

static enum rp_status put_devices(const struct rp_study *study, FILE *out)
{
    struct rp_table_writer *w = NULL;
    RP_TRY(rp_table_begin(out, RP_TABLE_HTML, "ridgepoint-report", device_columns,
                          RP_COUNT(device_columns), &w));
    for (size_t i = 0; i < rp_study_count(study, RP_TABLE_DEVICES); ++i)
        put_device(w, &rp_study_devices(study)[i]);
    return rp_table_end(w);
}

/* A term and its text, left out when there is none. */
static void put_term(const char *term, const char *text, FILE *out)
{
    if (!text || !*text)
        return;
    fprintf(out, "<dt>%s</dt><dd>", term);
    rp_table_escape_html(text, out);
    fprintf(out, "</dd>\n");
}

static void put_run(const struct rp_run *run, FILE *out)
{
    char numbers[160];
    snprintf(numbers, sizeof numbers,
             "%" PRId64 " rank%s, seed %" PRId64 ", exit code %" PRId64 ", %" PRId64
             " rows planned",
             run->ranks, run->ranks == 1 ? "" : "s", run->seed, run->exit, run->rows_planned);
    fprintf(out, "<dl>\n");
    put_term("command", run->argv, out);
    put_term("job", run->job_name, out);
    put_term("begun", run->started_utc, out);
    put_term("ended", run->ended_utc, out);
    put_term("size", numbers, out);
    put_term("hosts", run->hosts, out);
    put_term("Slurm job", run->slurm_job_id, out);
    put_term("Slurm partition", run->slurm_partition, out);
    put_term("ridgepoint", run->version, out);
    put_term("commit", run->git_commit, out);
    put_term("compiler", run->compiler, out);
    put_term("MPI", run->mpi, out);
    put_term("HDF5", run->hdf5, out);
    put_term("run", run->run_id, out);
    fprintf(out, "</dl>\n");
}

enum rp_status rp_report_provenance(const struct rp_figures *figures, FILE *out)
{
    const struct rp_study_list *list = figures->summary->list;
    for (size_t f = 0; f < list->count; ++f) {
        const struct rp_study *study = &list->files[f].study;
        fprintf(out, "<h3><code>");
        rp_table_escape_html(list->files[f].path, out);
        fprintf(out, "</code></h3>\n<p>%s: %zu of %" PRId64 " planned rows, %zu samples.</p>\n",
                study->complete ? "Complete" : "Partial, its run goes on or was stopped",
                rp_study_result_rows(study), study->rows_planned, rp_study_sample_rows(study));
        for (size_t r = 0; r < rp_study_count(study, RP_TABLE_RUNS); ++r)
            put_run(&rp_study_runs(study)[r], out);
        RP_TRY(put_devices(study, out));
    }
    return RP_OK;
}

/* Jobs of the files, each once. */
static void put_jobs(const struct rp_study_list *list, FILE *out)
{
    const char *before = "";
    for (size_t f = 0; f < list->count; ++f) {
        const struct rp_study *study = &list->files[f].study;
        for (size_t r = 0; r < rp_study_count(study, RP_TABLE_RUNS); ++r) {
            const struct rp_run *run = &rp_study_runs(study)[r];
            if (!run->job_text || strcmp(run->job_hash, before) == 0)
                continue;
            before = run->job_hash;
            fprintf(out, "<details><summary>The job <code>");
            rp_table_escape_html(run->job_name, out);
            fprintf(out, "</code>, as it was</summary>\n<pre>");
            rp_table_escape_html(run->job_text, out);
            fprintf(out, "</pre></details>\n");
        }
    }
}

enum rp_status rp_report_note(const struct rp_figures *figures, FILE *out)
{
    char *line = NULL;
    size_t size = 0;
    FILE *in = fopen(figures->note, "r");
    if (!in)
        return RP_FAIL(RP_ERR_ENVIRONMENT, "--note '%s' cannot be read: %s", figures->note,
                       strerror(errno));
    fprintf(out, "<p>From <code>");
    rp_table_escape_html(figures->note, out);
    fprintf(out, "</code>:</p>\n<pre>");
    while (getline(&line, &size, in) >= 0)
        rp_table_escape_html(line, out);
    fprintf(out, "</pre>\n");
    bool failed = ferror(in) != 0;
    free(line);
    fclose(in);
    if (failed)
        return RP_FAIL(RP_ERR_ENVIRONMENT, "--note '%s' cannot be read", figures->note);
    return RP_OK;
}

enum rp_status rp_report_again(const struct rp_figures *figures, FILE *out)
{
    const struct rp_study_list *list = figures->summary->list;
    fprintf(out, "<p>Save the job below as <code>JOB.yaml</code> and measure it where you are; "
                 "alone, or on many ranks under <code>mpirun</code> or <code>srun</code>:</p>\n"
                 "<pre>ridgepoint run JOB.yaml -o MINE.h5\n"
                 "ridgepoint-analyze verify MINE.h5\n");
    if (list->count == 1) {
        fprintf(out, "ridgepoint-analyze compare ");
        rp_table_escape_html(list->files[0].path, out);
        fprintf(out, " MINE.h5\n");
    }
    fprintf(out, "</pre>\n<p>This page, from the files:</p>\n<pre>ridgepoint-analyze report%s",
            figures->summary->simulated ? " --simulated" : "");
    for (size_t f = 0; f < list->count; ++f) {
        fprintf(out, " ");
        rp_table_escape_html(list->files[f].path, out);
    }
    fprintf(out, " -o ");
    rp_table_escape_html(figures->folder, out);
    fprintf(out, figures->note ? " --note " : "");
    rp_table_escape_html(figures->note ? figures->note : "", out);
    fprintf(out, "</pre>\n<p>A figure alone, after changing its script: <code>gnuplot NAME.gp"
                 "</code> in the folder of this page.</p>\n");
    put_jobs(list, out);
    return RP_OK;
}
