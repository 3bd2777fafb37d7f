/*
 * plan.c - `ridgepoint plan`: what a run of the job would meet, without measuring anything.
 *
 * No MPI, no worker, no GPU: a GPU type is opened as a simulated device, which says what it can and
 * has; the CPU of this machine as `ridgepoint devices` does.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/option.h"
#include "cli/cli.h"
#include "cli/job_argument.h"
#include "cli/plan_output.h"
#include "cli/plan_rows.h"
#include "cli/plan_sum.h"
#include "device/device.h"
#include "store/results_hdf5.h"

enum { TYPES_MAX = 64 };

struct plan_values {
    const char *gpu;
    const char *from;
    int64_t ranks, nodes;
    int64_t threads;
    struct rp_option_list sets;
    const char *only;
    const char *point;
    const char *data;
    const char *format;
};

#define AT(field) offsetof(struct plan_values, field)
static const struct rp_option options[] = {
    {.name = "gpu",
     .kind = RP_OPTION_WORD,
     .offset = AT(gpu),
     .value_name = "TYPE,...",
     .help =
         "GPU types of data/gpus.tsv, or a prefix that fits one: t4,a100-sxm-80gb (default: the "
         "CPU of this machine)"},
    {.name = "from",
     .kind = RP_OPTION_WORD,
     .offset = AT(from),
     .value_name = "FILE.h5",
     .help = "result file whose measured ceilings count, where it has some of the type, more than "
             "the datasheet"},
    {.name = "ranks",
     .kind = RP_OPTION_INT,
     .offset = AT(ranks),
     .default_text = "1",
     .min = 1,
     .max = 65536,
     .value_name = "N",
     .help = "ranks that share the points, one a GPU"},
    {.name = "nodes",
     .kind = RP_OPTION_INT,
     .offset = AT(nodes),
     .default_text = "1",
     .min = 1,
     .max = 65536,
     .value_name = "N",
     .help = "nodes the ranks are spread over: for node-hours and the memory of a node"},
    {.name = "threads",
     .kind = RP_OPTION_INT,
     .offset = AT(threads),
     .default_text = "0",
     .min = 0,
     .max = 4096,
     .value_name = "N",
     .help = "threads of a CPU device, per rank; 0: the cores that are here, shared by the ranks "
             "of a node"},
    {.name = "set",
     .kind = RP_OPTION_LIST,
     .offset = AT(sets),
     .value_name = "KEY=VALUE",
     .help = "override a key of the job (measure.max_time_s=1, sweep.0.seq=1k); repeatable"},
    {.name = "only",
     .kind = RP_OPTION_WORD,
     .offset = AT(only),
     .value_name = "POINT",
     .help = "this point of the job (16 hex digits) and no other"},
    {.name = "point",
     .kind = RP_OPTION_WORD,
     .offset = AT(point),
     .value_name = "\"AXES\"",
     .help = "one point without a job file: \"prefill heads=32 head_dim=128 seq=1k dtype=fp16\""},
    {.name = "data",
     .kind = RP_OPTION_WORD,
     .offset = AT(data),
     .value_name = "DIR",
     .help = "folder searched before the installed data (GPU types, models)"},
    {.name = "format",
     .kind = RP_OPTION_CHOICE,
     .offset = AT(format),
     .default_text = "table",
     .choices = RP_TABLE_FORMATS,
     .help = "table is for eyes; csv and json carry full precision, json the totals as well"},
};
#undef AT

static const struct rp_command command = {
    .program = "ridgepoint",
    .name = "plan",
    .operands = "JOB.yaml",
    .min_operands = 0,
    .max_operands = 1,
    .summary = "measure nothing: predict time, memory, class and what will not fit, for every "
               "point of a job; \"-\" reads the job from standard input",
    .example = "ridgepoint plan jobs/prefill-decode.yaml --gpu t4,h100-sxm --ranks 8\n"
               "says how long eight T4 or H100 would take and what --time to ask Slurm for",
    .options = options,
    .n_options = RP_COUNT(options),
};

struct planning {
    struct plan_values values;
    struct rp_operands operands;
    enum rp_table_format format;
    struct rp_plan_layout layout;
    struct rp_job job;
    struct rp_gpu_list gpus; /* empty without --gpu */
    struct rp_study from;    /* empty without --from */
    struct rp_plan_type types[TYPES_MAX];
    struct rp_implied *implied[TYPES_MAX];
    struct rp_plan_totals totals[TYPES_MAX];
    size_t n_types;
    struct rp_table_writer *writer;
};

static enum rp_status read_from(const char *path, struct rp_study *study)
{
    if (access(path, R_OK) != 0)
        return RP_FAIL(RP_ERR_ENVIRONMENT, "--from %s: cannot be read: %s", path, strerror(errno));
    return rp_results_read(path, study);
}

static struct rp_job_argument job_argument(const struct planning *p)
{
    return (struct rp_job_argument){.command = "plan",
                                    .operands = &p->operands,
                                    .point = p->values.point,
                                    .sets = &p->values.sets,
                                    .data = p->values.data,
                                    .only = p->values.only};
}

/* --only: the job is left with that point. */
static enum rp_status keep_only(struct rp_job *job, const char *only)
{
    for (size_t i = 0; i < job->n_points; ++i) {
        char id[RP_POINT_ID_SIZE];
        RP_TRY(rp_point_id(&job->points[i].point, id));
        if (strcmp(id, only) != 0)
            continue;
        job->points[0] = job->points[i];
        job->n_points = 1;
        return RP_OK;
    }
    return RP_FAIL(RP_ERR_USAGE, "--only %s: the job has no such point", only);
}

static enum rp_status read_inputs(struct planning *p)
{
    const struct rp_job_argument argument = job_argument(p);
    RP_TRY(rp_job_argument_read(&argument, &p->job));
    if (p->values.only)
        RP_TRY(keep_only(&p->job, p->values.only));
    if (p->values.gpu)
        RP_TRY(rp_gpu_list_load(p->values.data, &p->gpus));
    return p->values.from ? read_from(p->values.from, &p->from) : RP_OK;
}

/* A type as its device says it is. */
static enum rp_status open_type(struct planning *p, const struct rp_gpu_spec *gpu)
{
    struct rp_plan_type *type = &p->types[p->n_types];
    struct rp_device *device = NULL;
    size_t a_node = (p->layout.ranks + p->layout.nodes - 1) / p->layout.nodes;
    const struct rp_device_request request = {.local_size = gpu ? 1 : (int)a_node,
                                              .model = gpu ? gpu->gpu_type : NULL,
                                              .data_folder = p->values.data};
    RP_TRY(rp_device_open(rp_backend_find(gpu ? "simulated" : "cpu"), &request, &device));
    rp_plan_type_init(type, device, gpu);
    rp_device_close(device);
    if (!gpu && p->values.threads > 0)
        rp_plan_type_set_threads(type, (int)p->values.threads);
    RP_TRY(rp_implied_create(&p->implied[p->n_types]));
    rp_plan_type_learn(type, &p->from, p->implied[p->n_types]);
    ++p->n_types;
    if (p->values.from && type->rates.n_measured == 0)
        rp_log(RP_LOG_WARN, "--from %s has no ceilings of %s; rates are %s", p->values.from,
               type->info.row.gpu_type, rp_rates_source(&type->rates));
    return RP_OK;
}

static bool is_there(const struct planning *p, const struct rp_gpu_spec *gpu)
{
    for (size_t i = 0; i < p->n_types; ++i) {
        if (p->types[i].gpu == gpu)
            return true;
    }
    return false;
}

/* Every type of --gpu once, or the CPU. */
static enum rp_status open_types(struct planning *p)
{
    const char *word = p->values.gpu;
    if (!word)
        return open_type(p, NULL);
    for (;;) {
        char key[64];
        const struct rp_gpu_spec *gpu = NULL;
        size_t n = strcspn(word, ",");
        if (n == 0 || n >= sizeof key)
            return RP_FAIL(RP_ERR_USAGE, "--gpu %s: types with commas between, for instance t4,l4",
                           p->values.gpu);
        snprintf(key, sizeof key, "%.*s", (int)n, word);
        RP_TRY(rp_gpu_list_find(&p->gpus, key, &gpu));
        if (!is_there(p, gpu) && p->n_types == TYPES_MAX)
            return RP_FAIL(RP_ERR_USAGE, "--gpu: more than %d types", TYPES_MAX);
        if (!is_there(p, gpu))
            RP_TRY(open_type(p, gpu));
        if (!word[n])
            return RP_OK;
        word += n + 1;
    }
}

static enum rp_status plan_points(struct planning *p, const struct rp_plan_type *type,
                                  struct rp_plan_sum *sum)
{
    for (size_t i = 0; i < p->job.n_points; ++i) {
        struct rp_plan_row rows[RP_IMPL_COUNT];
        size_t n = 0;
        RP_TRY(rp_plan_point(type, &p->job.points[i], &p->job.protocol, rows, &n));
        rp_plan_sum_add(sum, type, rows, n);
        for (size_t r = 0; r < n; ++r)
            rp_plan_output_row(p->writer, p->format, type, &rows[r]);
    }
    return RP_OK;
}

static void tell_infeasible(const struct rp_plan_type *type, const struct rp_plan_totals *totals)
{
    const int64_t *of = totals->of_outcome;
    if (of[RP_OUTCOME_OK] > 0)
        return;
    rp_log(RP_LOG_WARN,
           "%s: no row of this job can be measured: %" PRId64 " oom, %" PRId64
           " unsupported, %" PRId64 " skipped, %" PRId64 " timeout",
           type->info.row.gpu_type, of[RP_OUTCOME_OOM], of[RP_OUTCOME_UNSUPPORTED],
           of[RP_OUTCOME_SKIPPED], of[RP_OUTCOME_TIMEOUT]);
}

static enum rp_status plan_type(struct planning *p, size_t index)
{
    const struct rp_plan_type *type = &p->types[index];
    struct rp_plan_sum *sum = NULL;
    RP_TRY(rp_plan_sum_create(p->job.n_points, &sum));
    enum rp_status status = plan_points(p, type, sum);
    if (status == RP_OK)
        status = rp_plan_sum_end(sum, type, &p->layout, &p->totals[index]);
    if (status == RP_OK)
        tell_infeasible(type, &p->totals[index]);
    rp_plan_sum_destroy(sum);
    return status;
}

static enum rp_status put_totals(struct planning *p)
{
    if (p->format == RP_TABLE_CSV)
        return RP_OK;
    RP_TRY(rp_plan_output_begin_totals(p->writer));
    for (size_t i = 0; i < p->n_types; ++i)
        rp_plan_output_totals(p->writer, &p->types[i], &p->layout, &p->totals[i]);
    return RP_OK;
}

static enum rp_status plan_all(struct planning *p)
{
    RP_TRY(rp_plan_output_begin(p->format, &p->writer));
    enum rp_status status = RP_OK;
    for (size_t i = 0; i < p->n_types && status == RP_OK; ++i)
        status = plan_type(p, i);
    if (status == RP_OK)
        status = put_totals(p);
    enum rp_status ended = rp_table_end(p->writer);
    if (status == RP_OK && ended == RP_OK && p->format == RP_TABLE_EYES)
        printf("--time is %g times the time of all ranks and %g s to begin, in whole minutes\n",
               RP_SLURM_MARGIN, RP_SLURM_START_S);
    return status == RP_OK ? ended : status;
}

static enum rp_status plan(struct planning *p)
{
    const struct rp_job_argument argument = job_argument(p);
    p->format = rp_table_format_of(p->values.format);
    p->layout = (struct rp_plan_layout){(size_t)p->values.ranks, (size_t)p->values.nodes};
    RP_TRY(rp_job_argument_check(&argument));
    if (p->layout.nodes > p->layout.ranks)
        return RP_FAIL(RP_ERR_USAGE, "--nodes %zu: more than the %zu of --ranks", p->layout.nodes,
                       p->layout.ranks);
    RP_TRY(read_inputs(p));
    RP_TRY(open_types(p));
    return plan_all(p);
}

static void planning_clear(struct planning *p)
{
    for (size_t i = 0; i < RP_COUNT(p->implied); ++i)
        rp_implied_destroy(p->implied[i]);
    rp_study_clear(&p->from);
    rp_gpu_list_clear(&p->gpus);
    rp_job_clear(&p->job);
    rp_operands_clear(&p->operands);
}

int rp_cli_plan(int argc, char **argv)
{
    struct planning planning = {0};
    struct planning *p = &planning;
    enum rp_status status = rp_option_parse(&command, argc, argv, &p->values, &p->operands);
    if (status == RP_OK && p->operands.help_asked)
        rp_option_print_help(&command, stdout);
    else if (status == RP_OK)
        status = plan(p);
    if (status != RP_OK)
        rp_log(RP_LOG_ERROR, "%s", rp_status_message());
    planning_clear(p);
    return rp_status_exit_code(status);
}
