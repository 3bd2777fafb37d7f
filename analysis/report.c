/* report.c - the page: its sections in order, written aside and renamed. */
#include "analysis/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/device_kind.h"

struct section {
    const char *id;
    const char *title;
    enum rp_status (*write)(const struct rp_figures *figures, FILE *out);
};

static const struct section sections[] = {
    {"answer", "The answer", rp_report_answer},
    {"note", "Note", rp_report_note},
    {"figures", "Figures", rp_report_figures},
    {"tables", "Tables", rp_report_tables},
    {"ceilings", "Measured ceilings", rp_report_ceilings},
    {"words", "Words", rp_report_words},
    {"left-out", "What was left out, and why", rp_report_left_out},
    {"provenance", "Where the numbers are from", rp_report_provenance},
    {"again", "Do it again", rp_report_again},
};

static enum rp_status write_style(const struct rp_figures *figures, FILE *out)
{
    char path[RP_FIGURE_PATH_SIZE + 16];
    char block[4096];
    size_t n = 0;
    snprintf(path, sizeof path, "%s/report.css", figures->scripts);
    FILE *in = fopen(path, "r");
    if (!in)
        return RP_FAIL(RP_ERR_ENVIRONMENT, "%s cannot be read: %s", path, strerror(errno));
    fprintf(out, "<style>\n");
    while ((n = fread(block, 1, sizeof block, in)) > 0)
        fwrite(block, 1, n, out);
    fprintf(out, "</style>\n");
    fclose(in);
    return RP_OK;
}

static bool is_shown(const struct section *section, const struct rp_figures *figures)
{
    return section->write != rp_report_note || figures->note;
}

static bool has_simulated(const struct rp_figure_rows *rows)
{
    for (size_t i = 0; i < rows->count; ++i) {
        if (rows->items[i].is_simulated)
            return true;
    }
    return false;
}

void rp_report_device_heading(const struct rp_measured *on, FILE *out)
{
    char text[RP_SUMMARY_DEVICE_SIZE];
    if (rp_device_is_simulated(on->device)) {
        fprintf(out, "<h3>Simulated, not measured: ");
        rp_table_escape_html(on->device->gpu_type, out);
        rp_device_setup_text(on->device, true, text);
    } else {
        fprintf(out, "<h3>Measured on ");
        rp_summary_device_text(on->device, NULL, on->threads, text);
    }
    rp_table_escape_html(text, out);
    fprintf(out, "</h3>\n");
}

static void write_heading(const struct rp_figures *figures, FILE *out)
{
    const struct rp_study_list *list = figures->summary->list;
    fprintf(out, "<header>\n<h1>Attention: compute-bound or memory-bound?</h1>\n<p>From ");
    for (size_t f = 0; f < list->count; ++f) {
        fprintf(out, f ? ", <code>" : "<code>");
        rp_table_escape_html(list->files[f].path, out);
        fprintf(out, "</code>");
    }
    fprintf(out, ".</p>\n");
    if (has_simulated(&figures->rows))
        fprintf(out, "<p class=\"simulated\"><strong>Simulated.</strong> Rows of simulated devices "
                     "are part of this page: the model answered, nothing was measured. Tables, "
                     "sentences and figures that hold such rows say so or name the device "
                     "&#8220;simulated&#8221;.</p>\n");
    fprintf(out, "<nav>\n");
    for (size_t i = 0; i < RP_COUNT(sections); ++i) {
        if (is_shown(&sections[i], figures))
            fprintf(out, "<a href=\"#%s\">%s</a>\n", sections[i].id, sections[i].title);
    }
    fprintf(out, "</nav>\n<p class=\"narrow\">Tables that are wider than this screen "
                 "move sideways, each in its frame.</p>\n</header>\n");
}

static enum rp_status write_page(const struct rp_figures *figures, FILE *out)
{
    fprintf(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
                 "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
                 "<meta name=\"color-scheme\" content=\"light dark\"/>\n"
                 "<title>Ridgepoint report</title>\n");
    RP_TRY(write_style(figures, out));
    fprintf(out, "</head>\n<body>\n");
    write_heading(figures, out);
    fprintf(out, "<main>\n");
    for (size_t i = 0; i < RP_COUNT(sections); ++i) {
        if (!is_shown(&sections[i], figures))
            continue;
        fprintf(out, "<section id=\"%s\">\n<h2>%s</h2>\n", sections[i].id, sections[i].title);
        RP_TRY(sections[i].write(figures, out));
        fprintf(out, "</section>\n");
    }
    fprintf(out, "</main>\n</body>\n</html>\n");
    return RP_OK;
}

enum rp_status rp_report_write(const struct rp_figures *figures)
{
    char *path = NULL;
    char *aside = NULL;
    FILE *out = NULL;
    enum rp_status status = RP_OK;
    if (asprintf(&path, "%s/index.html", figures->folder) < 0)
        path = NULL;
    if (asprintf(&aside, "%s/index.html.tmp", figures->folder) < 0)
        aside = NULL;
    if (!path || !aside)
        status = RP_FAIL(RP_ERR_INTERNAL, "no host memory for a path");
    if (status == RP_OK && !(out = fopen(aside, "w")))
        status = RP_FAIL(RP_ERR_ENVIRONMENT, "%s cannot be written: %s", aside, strerror(errno));
    if (status == RP_OK)
        status = write_page(figures, out);
    bool failed = out && ferror(out) != 0;
    failed |= out && fclose(out) != 0;
    if (status == RP_OK && (failed || rename(aside, path) != 0))
        status = RP_FAIL(RP_ERR_ENVIRONMENT, "%s cannot be written: %s", path, strerror(errno));
    if (status != RP_OK && aside)
        unlink(aside);
    free(aside);
    free(path);
    return status;
}
