/*
 * fuzz_job.c - any bytes as a job file: read or refused, never a crash, a leak or a lost sentence.
 *
 * The first line may be a --set argument: bytes up to the first 0x1f, if there is one, are tried as
 * one, and what follows is the file. The data folder is the working directory's.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "plan/job.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* A job that was read keeps its promises; breaking one stops the fuzzer. */
static void check_job(const struct rp_job *job)
{
    if (job->n_points == 0 || strlen(job->hash) != RP_DIGEST_HEX_SIZE - 1)
        abort();
    for (size_t i = 0; i < job->n_points; ++i) {
        const struct rp_job_point *p = &job->points[i];
        if (!p->impls || rp_point_validate(&p->point) != RP_OK)
            abort();
        if (i > 0 && rp_point_compare(&p[-1].point, &p->point) >= 0)
            abort();
    }
    for (size_t i = 0; i < job->n_labels; ++i) {
        if (job->labels[i].point >= job->n_points)
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const uint8_t *separator = memchr(bytes, 0x1f, size);
    size_t n_set = separator ? (size_t)(separator - bytes) : 0;
    const char *text = (const char *)bytes + (separator ? n_set + 1 : 0);
    size_t length = size - (separator ? n_set + 1 : 0);
    char *set = strndup((const char *)bytes, n_set);
    struct rp_job job;
    if (!set)
        return 0;
    enum rp_status status = rp_job_parse("fuzzed", text, length, (const char *const *)&set,
                                         separator ? 1 : 0, "data", &job);
    if (status == RP_OK)
        check_job(&job);
    else if (rp_status_message()[0] == '\0' || job.points || job.text)
        abort();
    rp_job_clear(&job);
    if (rp_job_from_point(set, NULL, 0, "data", &job) == RP_OK)
        rp_job_clear(&job);
    free(set);
    return 0;
}
