/* job_hash.c - the canonical text of a job, fed to the digest a line at a time. */
#include "plan/job_hash.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void add_text(struct rp_digest *digest, const char *text)
{
    rp_digest_add(digest, text, strlen(text));
}

static void add_point(struct rp_digest *digest, const struct rp_job_point *p)
{
    char text[RP_POINT_TEXT_SIZE];
    const char *separator = " impl=";
    rp_point_text(&p->point, text);
    add_text(digest, text);
    for (int i = 0; i < RP_IMPL_COUNT; ++i) {
        if (!rp_impl_in(p->impls, (enum rp_impl)i))
            continue;
        add_text(digest, separator);
        add_text(digest, rp_impl_name((enum rp_impl)i));
        separator = ",";
    }
    add_text(digest, "\n");
}

enum rp_status rp_job_hash(struct rp_job *job)
{
    char protocol[RP_PROTOCOL_TEXT_SIZE];
    char head[RP_PROTOCOL_TEXT_SIZE + RP_JOB_NAME_SIZE + 64];
    rp_protocol_text(&job->protocol, protocol);
    snprintf(head, sizeof head, "name=%s\nseed=%" PRId64 "\n%s\n", job->name, job->seed, protocol);
    struct rp_digest *digest = rp_digest_create();
    add_text(digest, head);
    for (size_t i = 0; i < job->n_points; ++i)
        add_point(digest, &job->points[i]);
    enum rp_status status = rp_digest_end(digest, job->hash);
    rp_digest_destroy(digest);
    return status;
}
