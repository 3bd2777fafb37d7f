/* run.c - `ridgepoint run`: measure every point of a job. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/option.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/job_argument.h"
#include "cli/progress.h"
#include "model/gpu_spec.h"
#include "model/result.h"
#include "runner/placement.h"
#include "runner/runner.h"
#include "runner/stop.h"
#include "store/provenance.h"

struct run_values {
    const char *output;
    const char *device;
    const char *gpu;
    int64_t threads;
    struct rp_option_list sets;
    const char *progress;
    bool overwrite;
    bool no_ceilings;
    bool dram_bytes;
    const char *retry;
    const char *cover;
    const char *only;
    const char *point;
    const char *data;
    const char *log_level;
};

#define AT(field) offsetof(struct run_values, field)
static const struct rp_option options[] = {
    {.name = "output",
     .letter = 'o',
     .kind = RP_OPTION_WORD,
     .offset = AT(output),
     .value_name = "FILE",
     .help = "result file (default: results/<job name>.h5)"},
    {.name = "device",
     .kind = RP_OPTION_WORD,
     .offset = AT(device),
     .default_text = "auto",
     .value_name = "DEVICE",
     .help =
         "auto (a usable GPU, else the CPU), cpu, or simulated:TYPE (times from the model for a "
         "GPU type of data/gpus.tsv; its rows say so)"},
    {.name = "gpu",
     .kind = RP_OPTION_WORD,
     .offset = AT(gpu),
     .value_name = "TYPE",
     .help = "refuse to measure unless every rank's device is of this GPU type of data/gpus.tsv, "
             "or a prefix that fits one"},
    {.name = "threads",
     .kind = RP_OPTION_INT,
     .offset = AT(threads),
     .default_text = "0",
     .min = 0,
     .max = 4096,
     .value_name = "N",
     .help = "threads of a CPU device, per rank; 0: one a core this rank was given"},
    {.name = "set",
     .kind = RP_OPTION_LIST,
     .offset = AT(sets),
     .value_name = "KEY=VALUE",
     .help = "override a key of the job (measure.max_time_s=1, sweep.0.seq=1k); repeatable"},
    {.name = "progress",
     .kind = RP_OPTION_CHOICE,
     .offset = AT(progress),
     .default_text = "auto",
     .choices = RP_PROGRESS_CHOICES,
     .help = "how progress is shown on standard error"},
    {.name = "overwrite",
     .kind = RP_OPTION_FLAG,
     .offset = AT(overwrite),
     .help = "move an old result file aside and start anew"},
    {.name = "no-ceilings",
     .kind = RP_OPTION_FLAG,
     .offset = AT(no_ceilings),
     .help = "do not measure the devices' ceilings: seconds less, but no measured class"},
    {.name = "dram-bytes",
     .kind = RP_OPTION_FLAG,
     .offset = AT(dram_bytes),
     .help = "one launch more of each row, in which the GPU counts what it reads from and writes "
             "to its memory (CUPTI; needs permission)"},
    {.name = "retry",
     .kind = RP_OPTION_WORD,
     .offset = AT(retry),
     .value_name = "STATUS,...",
     .help = "measure rows of these statuses again and replace them: error,timeout"},
    {.name = "cover",
     .kind = RP_OPTION_CHOICE,
     .offset = AT(cover),
     .default_text = "type",
     .choices = "type|device",
     .help = "type: the devices of one type share the sweep; device: each runs all of it"},
    {.name = "only",
     .kind = RP_OPTION_WORD,
     .offset = AT(only),
     .value_name = "POINT",
     .help = "measure this point of the job (16 hex digits) again and nothing else"},
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
    {.name = "log-level",
     .kind = RP_OPTION_CHOICE,
     .offset = AT(log_level),
     .default_text = "warn",
     .choices = "error|warn|info|debug",
     .help = "what is told on standard error besides progress"},
};
#undef AT

static const struct rp_command command = {
    .program = "ridgepoint",
    .name = "run",
    .operands = "JOB.yaml",
    .min_operands = 0,
    .max_operands = 1,
    .summary = "measure every point of the job on every device type present; \"-\" reads the job "
               "from standard input",
    .example = "mpirun -n 2 ridgepoint run jobs/notebook.yaml -o results/notebook.h5\n"
               "measures the notebook's sweep with two ranks; the same command again goes on "
               "where it was stopped, and does nothing once it is complete",
    .options = options,
    .n_options = RP_COUNT(options),
};

static int report(enum rp_status status)
{
    rp_log(RP_LOG_ERROR, "%s", rp_status_message());
    return rp_status_exit_code(status);
}

static void set_log_level(const char *word)
{
    static const char *const words[] = {"error", "warn", "info", "debug"};
    for (size_t i = 0; i < RP_COUNT(words); ++i) {
        if (strcmp(words[i], word) == 0)
            rp_log_set_level((enum rp_log_level)i);
    }
}

static struct rp_job_argument job_argument(const struct run_values *values,
                                           const struct rp_operands *operands)
{
    return (struct rp_job_argument){.command = "run",
                                    .operands = operands,
                                    .point = values->point,
                                    .sets = &values->sets,
                                    .data = values->data,
                                    .only = values->only};
}

static enum rp_status check_operands(const struct run_values *values,
                                     const struct rp_operands *operands)
{
    const struct rp_job_argument argument = job_argument(values, operands);
    RP_TRY(rp_job_argument_check(&argument));
    if (strlen(values->device) >= RP_WIRE_WORD_SIZE)
        return RP_FAIL(RP_ERR_USAGE, "--device %.20s...: no device has so long a name",
                       values->device);
    if (values->data && strlen(values->data) >= RP_WIRE_PATH_SIZE)
        return RP_FAIL(RP_ERR_USAGE, "--data: longer than %d bytes", RP_WIRE_PATH_SIZE - 1);
    return RP_OK;
}

/* "error,timeout" into a set of outcomes. */
static enum rp_status parse_retry(const char *text, uint32_t *set)
{
    *set = 0;
    for (const char *p = text; p && *p;) {
        char word[16];
        enum rp_outcome outcome;
        size_t n = strcspn(p, ",");
        snprintf(word, sizeof word, "%.*s", (int)(n < sizeof word ? n : sizeof word - 1), p);
        if (!rp_outcome_find(word, &outcome))
            return RP_FAIL(RP_ERR_USAGE,
                           "--retry %s: '%s' is no status; there are ok, mismatch, oom, "
                           "unsupported, timeout, error and skipped",
                           text, word);
        *set |= 1u << outcome;
        p += n + (p[n] == ',');
    }
    return RP_OK;
}

static enum rp_status make_selection(const struct run_values *values,
                                     struct rp_selection *selection)
{
    *selection = (struct rp_selection){
        .cover = strcmp(values->cover, "device") == 0 ? RP_COVER_DEVICE : RP_COVER_TYPE,
        .only = values->only,
    };
    return parse_retry(values->retry, &selection->retry);
}

/* The whole key that --gpu means; "" without it. */
static enum rp_status find_gpu_type(const struct run_values *values, char *key, size_t size)
{
    struct rp_gpu_list list = {0};
    const struct rp_gpu_spec *gpu = NULL;
    key[0] = '\0';
    if (!values->gpu)
        return RP_OK;
    RP_TRY(rp_gpu_list_load(values->data, &list));
    enum rp_status status = rp_gpu_list_find(&list, values->gpu, &gpu);
    if (status == RP_OK)
        snprintf(key, size, "%s", gpu->gpu_type);
    rp_gpu_list_clear(&list);
    return status;
}

struct invocation {
    struct run_values values;
    struct rp_operands operands;
    const struct rp_command_line *full;
    struct rp_selection selection;
    char gpu_type[64]; /* key of data/gpus.tsv, or "" */
    struct rp_rank *rank;
    struct rp_comm *comm;
};

/* -o, or results/<job name>.h5. */
static enum rp_status choose_output(const struct invocation *in, const struct rp_job *job,
                                    struct rp_text *output)
{
    if (in->values.output)
        rp_text_printf(output, "%s", in->values.output);
    else
        rp_text_printf(output, "results/%s.h5", job->name);
    if (!rp_text_ok(output))
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory for the output's name");
    return RP_OK;
}

static void tell_end(const char *output, int exit_code)
{
    if (access(output, F_OK) != 0)
        fprintf(stderr, "ridgepoint: stopped before anything was measured\n");
    else
        fprintf(stderr, "ridgepoint: %s%s\n", output,
                exit_code == 75 ? " is partial; the same command goes on from there" : "");
}

/* Rank 0 after the job was read. */
static enum rp_status lead(const struct invocation *in, const struct rp_job *job, int *exit_code)
{
    struct rp_progress_view view;
    struct rp_run run;
    struct rp_text output;
    rp_text_init(&output);
    rp_row_init(RP_TABLE_RUNS, &run);
    rp_progress_view_init(&view, in->values.progress);
    enum rp_status status = choose_output(in, job, &output);
    if (status == RP_OK)
        status = rp_provenance_begin(in->full->argc, in->full->argv, &run);
    if (status == RP_OK) {
        const struct rp_runner_options runner = {
            .server = {.job = job,
                       .output = rp_text_string(&output),
                       .overwrite = in->values.overwrite,
                       .no_ceilings = in->values.no_ceilings || getenv("RIDGEPOINT_NO_CEILINGS"),
                       .data = in->values.data,
                       .gpu_type = in->gpu_type,
                       .selection = in->selection,
                       .run = &run,
                       .progress = {&view, rp_progress_view_update}},
            .device = in->values.device,
            .threads = (int)in->values.threads,
            .counts_traffic = in->values.dram_bytes,
        };
        status = rp_runner_lead(in->rank, in->comm, &runner, exit_code);
    }
    rp_progress_view_end(&view);
    if (status == RP_OK && strcmp(in->values.progress, "none") != 0)
        tell_end(rp_text_string(&output), *exit_code);
    rp_row_clear(RP_TABLE_RUNS, &run);
    rp_text_clear(&output);
    return status;
}

/* Rank 0: the job is read here and nowhere else; the others learn what they need by message. */
static int run_leader(const struct invocation *in, int world_size)
{
    struct rp_job job = {0};
    int exit_code = 0;
    const struct rp_job_argument argument = job_argument(&in->values, &in->operands);
    enum rp_status status = rp_placement_check_world(world_size);
    if (status == RP_OK)
        status = rp_job_argument_read(&argument, &job);
    if (status != RP_OK) {
        exit_code = report(status);
        if (rp_runner_refuse(in->comm, exit_code) != RP_OK)
            rp_comm_abort(in->comm, exit_code);
        return exit_code;
    }
    status = lead(in, &job, &exit_code);
    if (status != RP_OK)
        exit_code = report(status);
    rp_job_clear(&job);
    return exit_code;
}

static int run_follower(const struct invocation *in)
{
    int exit_code = 0;
    enum rp_status status = rp_runner_follow(in->rank, in->comm, &exit_code);
    if (status == RP_OK)
        return exit_code;
    /* Rank 0 would wait for this one for ever. */
    exit_code = report(status);
    rp_comm_abort(in->comm, exit_code);
    return exit_code;
}

static int run_as_rank(struct invocation *in)
{
    struct rp_comm_place place;
    char prefix[32];
    int exit_code = 0;
    rp_stop_init();
    /* The worker is started before MPI, so that it inherits nothing of MPI's. */
    enum rp_status status = rp_rank_create(&in->rank);
    if (status == RP_OK)
        status = rp_placement_has_launcher() ? rp_comm_open_mpi(rp_placement_share_key(), &in->comm)
                                             : rp_comm_open_self(&in->comm);
    if (status != RP_OK) {
        exit_code = report(status);
        goto cleanup;
    }
    rp_rank_join(in->rank, in->comm);
    rp_comm_place(in->comm, &place);
    snprintf(prefix, sizeof prefix, "rank %d", place.rank);
    rp_log_set_prefix(place.size > 1 && place.rank > 0 ? prefix : "");
    exit_code = place.rank == 0 ? run_leader(in, place.size) : run_follower(in);

cleanup:
    rp_rank_destroy(in->rank);
    rp_comm_close(in->comm);
    return exit_code;
}

int rp_cli_run(int argc, char **argv, const struct rp_command_line *full)
{
    struct invocation in = {.full = full};
    int exit_code = 0;
    enum rp_status status = rp_option_parse(&command, argc, argv, &in.values, &in.operands);
    if (status == RP_OK && in.operands.help_asked) {
        rp_option_print_help(&command, stdout);
    } else if (status == RP_OK) {
        set_log_level(in.values.log_level);
        status = check_operands(&in.values, &in.operands);
        if (status == RP_OK)
            status = make_selection(&in.values, &in.selection);
        if (status == RP_OK)
            status = find_gpu_type(&in.values, in.gpu_type, sizeof in.gpu_type);
        exit_code = status == RP_OK ? run_as_rank(&in) : 0;
    }
    if (status != RP_OK)
        exit_code = report(status);
    rp_operands_clear(&in.operands);
    return exit_code;
}
