/* figures.c - every kind of figure, then one gnuplot for all of them. */
#include <stdlib.h>
#include <unistd.h>

#include "analysis/figure.h"
#include "analysis/gnuplot.h"
#include "model/data_folder.h"

/* In the source tree beside data/'s parent, or installed beside data/. */
static enum rp_status find_scripts(struct rp_figures *figures)
{
    static const char *const places[] = {"../analysis/figures", "../figures"};
    char data[RP_DATA_PATH_SIZE];
    RP_TRY(rp_data_folder_find(NULL, data, sizeof data));
    for (size_t i = 0; i < RP_COUNT(places); ++i) {
        char style[RP_DATA_PATH_SIZE + 64];
        int n = snprintf(figures->scripts, sizeof figures->scripts, "%s/%s", data, places[i]);
        if (n < 0 || (size_t)n >= sizeof figures->scripts)
            break;
        snprintf(style, sizeof style, "%s/style.gp", figures->scripts);
        if (access(style, R_OK) == 0)
            return RP_OK;
    }
    return RP_FAIL(RP_ERR_ENVIRONMENT,
                   "no gnuplot scripts beside the program: looked for style.gp in %s/%s and %s/%s",
                   data, places[0], data, places[1]);
}

static enum rp_status draw_listed(const struct rp_figures *figures)
{
    enum rp_status status = RP_OK;
    char **scripts = calloc(figures->count + 1, sizeof *scripts);
    if (!scripts)
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory to draw %zu figures", figures->count);
    for (size_t i = 0; i < figures->count && status == RP_OK; ++i) {
        if (asprintf(&scripts[i], "%s.gp", figures->items[i].name) < 0) {
            scripts[i] = NULL;
            status = RP_FAIL(RP_ERR_INTERNAL, "no host memory to draw %zu figures", figures->count);
        }
    }
    if (status == RP_OK)
        status = rp_gnuplot_run(figures->folder, (const char *const *)scripts, figures->count);
    for (size_t i = 0; i < figures->count; ++i)
        free(scripts[i]);
    free(scripts);
    return status;
}

enum rp_status rp_figures_draw(const struct rp_summary *summary, const struct rp_gpu_list *gpus,
                               const char *folder, struct rp_figures *figures)
{
    static enum rp_status (*const kinds[])(struct rp_figures *) = {
        rp_figure_intensity, rp_figure_roofline, rp_figure_memory,  rp_figure_naive,
        rp_figure_types,     rp_figure_decode,   rp_figure_heatmap, rp_figure_queries,
        rp_figure_causal,    rp_figure_timeline,
    };
    *figures = (struct rp_figures){.summary = summary, .gpus = gpus, .folder = folder};
    RP_TRY(rp_gnuplot_find());
    RP_TRY(find_scripts(figures));
    RP_TRY(rp_figure_rows_create(summary->list, summary->simulated, &figures->rows));
    for (size_t i = 0; i < RP_COUNT(kinds); ++i)
        RP_TRY(kinds[i](figures));
    return draw_listed(figures);
}

void rp_figures_clear(struct rp_figures *figures)
{
    rp_figure_rows_clear(&figures->rows);
    free(figures->items);
    *figures = (struct rp_figures){0};
}
