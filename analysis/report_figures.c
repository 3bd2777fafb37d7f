/*
 * report_figures.c - drawings as parts of the page: what precedes <svg> and its fixed size go, and
 * names inside a drawing get the figure's number before them, because gnuplot gives all the same.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/report.h"

/* The whole file with a null behind it; heap. */
static enum rp_status read_drawing(const struct rp_figures *figures, const char *name, char **text)
{
    char path[RP_FIGURE_PATH_SIZE + RP_FIGURE_NAME_SIZE];
    size_t size = 0;
    char block[4096];
    size_t n = 0;
    *text = NULL;
    snprintf(path, sizeof path, "%s/%s.svg", figures->folder, name);
    FILE *in = fopen(path, "r");
    if (!in)
        return RP_FAIL(RP_ERR_ENVIRONMENT, "%s cannot be read: %s", path, strerror(errno));
    FILE *copy = open_memstream(text, &size);
    while (copy && (n = fread(block, 1, sizeof block, in)) > 0)
        fwrite(block, 1, n, copy);
    fclose(in);
    if (!copy || fclose(copy) != 0)
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory for %s", path);
    return RP_OK;
}

/* Where a name is given or used, and how the page writes it: it knows plain href. */
struct lead {
    const char *drawing, *page;
};
static const struct lead leads[] = {
    {" id='", " id='"},
    {" id=\"", " id=\""},
    {" xlink:href='#", " href='#"},
    {" xlink:href=\"#", " href=\"#"},
};

/* The lead that `p` begins with; null: none. */
static const struct lead *lead_at(const char *p)
{
    for (size_t i = 0; i < RP_COUNT(leads); ++i) {
        if (strncmp(p, leads[i].drawing, strlen(leads[i].drawing)) == 0)
            return &leads[i];
    }
    return NULL;
}

static void put_drawing(const char *text, size_t number, const char *title, FILE *out)
{
    const char *const title_end = "</title>";
    const char *box = strstr(text, "viewBox=");
    const char *body = box ? strchr(box, '>') : NULL;
    if (!body)
        return;
    fprintf(out, "<svg %.*s role=\"img\" aria-label=\"", (int)strcspn(box, "\n>"), box);
    rp_table_escape_html(title, out);
    fprintf(out, "\">");
    for (const char *p = body + 1; *p; ++p) {
        const struct lead *lead = lead_at(p);
        const char *after = strncmp(p, "<title>", 7) == 0 ? strstr(p, title_end) : NULL;
        if (after) { /* "Gnuplot", "gnuplot_plot_1": nothing to a reader */
            p = after + strlen(title_end) - 1;
        } else if (lead) {
            fprintf(out, "%sf%zu-", lead->page, number);
            p += strlen(lead->drawing) - 1;
        } else {
            fputc(*p, out);
        }
    }
}

static enum rp_status put_figure(const struct rp_figures *figures, size_t index, FILE *out)
{
    static const char *const endings[] = {"svg", "png", "csv", "gp"};
    const struct rp_figure *figure = &figures->items[index];
    char *text = NULL;
    char title[RP_LABEL_SIZE + 128];
    snprintf(title, sizeof title, "%s%s%s", figure->title, figure->subject[0] ? ": " : "",
             figure->subject);
    RP_TRY(read_drawing(figures, figure->name, &text));
    fprintf(out, "<figure id=\"%s\"%s>\n", figure->name,
            figure->is_simulated ? " class=\"simulated\"" : "");
    fprintf(out, "<div class=\"drawing\">\n");
    put_drawing(text, index, title, out);
    free(text);
    fprintf(out, "</div>\n<figcaption><strong>");
    rp_table_escape_html(title, out);
    fprintf(out, ".</strong> ");
    rp_table_escape_html(figure->caption, out);
    fprintf(out, "%s <span class=\"files\">",
            figure->is_simulated ? " Simulated: answered by the model, not measured." : "");
    for (size_t i = 0; i < RP_COUNT(endings); ++i)
        fprintf(out, "<a href=\"%s.%s\">%s</a> ", figure->name, endings[i], endings[i]);
    fprintf(out, "</span></figcaption>\n</figure>\n");
    return RP_OK;
}

enum rp_status rp_report_figures(const struct rp_figures *figures, FILE *out)
{
    if (figures->count == 0)
        fprintf(out, "<p>Nothing to draw: the files hold no rows that count here.</p>\n");
    fprintf(out, "<div class=\"figures\">\n");
    for (size_t i = 0; i < figures->count; ++i)
        RP_TRY(put_figure(figures, i, out));
    fprintf(out, "</div>\n");
    return RP_OK;
}
