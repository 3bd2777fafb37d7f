/* provenance.c - what a row of /runs says about this process; one of the few readers of the
 * environment. */
#include "store/provenance.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/parse.h"
#include "base/text.h"
#include "store/results_hdf5.h"

#ifdef RP_COMMIT_HEADER
#include RP_COMMIT_HEADER
#endif
#ifndef RP_VERSION
#define RP_VERSION "0.0.0"
#endif
#ifndef RP_GIT_COMMIT
#define RP_GIT_COMMIT "unknown"
#endif

#ifdef __clang__
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif

const char *rp_provenance_version(void)
{
    return RP_VERSION;
}

const char *rp_provenance_git_commit(void)
{
    return RP_GIT_COMMIT;
}

void rp_provenance_host(char *host, size_t size)
{
    if (gethostname(host, size) != 0)
        snprintf(host, size, "unknown");
    host[size - 1] = '\0'; /* a name that is cut need not end */
}

static const char *environment(const char *name)
{
    const char *value = getenv(name);
    return value ? value : "";
}

const char *rp_provenance_slurm_job_id(void)
{
    return environment("SLURM_JOB_ID");
}

int64_t rp_provenance_slurm_restart_count(void)
{
    int64_t count = 0;
    return rp_parse_i64(environment("SLURM_RESTART_COUNT"), false, &count) && count > 0 ? count : 0;
}

/* FNV-1a; only has to tell hosts apart. */
static uint32_t hash_of(const char *text)
{
    uint32_t hash = 2166136261u;
    for (const unsigned char *p = (const unsigned char *)text; *p; ++p)
        hash = (hash ^ *p) * 16777619u;
    return hash;
}

/* "20260131T120000Z-" and 15 hex digits: 3 of the host, 6 of the process, 6 at random. */
static void set_run_id(struct rp_run *run, const char *utc)
{
    char host[256];
    uint32_t random = 0;
    rp_provenance_host(host, sizeof host);
    if (getrandom(&random, sizeof random, 0) != (ssize_t)sizeof random)
        random = (uint32_t)(rp_clock_now_s() * 1e9);
    snprintf(run->run_id, sizeof run->run_id,
             "%.4s%.2s%.2sT%.2s%.2s%.2sZ-%03" PRIx32 "%06" PRIx32 "%06" PRIx32, utc, utc + 5,
             utc + 8, utc + 11, utc + 14, utc + 17, hash_of(host) & 0xFFFu,
             (uint32_t)getpid() & 0xFFFFFFu, random & 0xFFFFFFu);
}

/* As a shell would read it back: bare where that is safe, else in single quotes. */
static void add_quoted(struct rp_text *text, const char *argument)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "%+,-./:=@_";
    if (*argument && argument[strspn(argument, plain)] == '\0') {
        rp_text_printf(text, "%s", argument);
        return;
    }
    rp_text_printf(text, "'");
    for (const char *p = argument; *p; ++p) {
        if (*p == '\'')
            rp_text_printf(text, "'\\''");
        else
            rp_text_add(text, p, 1);
    }
    rp_text_printf(text, "'");
}

enum rp_status rp_provenance_begin(int argc, char *const *argv, struct rp_run *run)
{
    struct rp_text command;
    char utc[RP_UTC_SIZE];
    rp_row_init(RP_TABLE_RUNS, run);
    rp_text_init(&command);
    for (int i = 0; i < argc; ++i) {
        if (i > 0)
            rp_text_add(&command, " ", 1);
        add_quoted(&command, argv[i]);
    }
    if (!rp_text_ok(&command)) {
        rp_text_clear(&command);
        return RP_FAIL(RP_ERR_INTERNAL, "out of host memory for the command line");
    }
    run->argv = command.data; /* handed over */
    rp_clock_utc(utc);
    RP_WORD_SET(run->started_utc, utc);
    set_run_id(run, utc);
    run->merged = 0;
    RP_WORD_SET(run->version, rp_provenance_version());
    RP_WORD_SET(run->git_commit, rp_provenance_git_commit());
    RP_WORD_SET(run->compiler, COMPILER);
    rp_results_library_version(run->hdf5, sizeof run->hdf5);
    RP_WORD_SET(run->slurm_job_id, rp_provenance_slurm_job_id());
    RP_WORD_SET(run->slurm_partition, environment("SLURM_JOB_PARTITION"));
    return RP_OK;
}
