/*
 * job_hash.h - what makes two jobs the same: name, seed, protocol, points and implementations; not
 * their text, order or comments, nor which models asked.
 */
#ifndef RP_PLAN_JOB_HASH_H
#define RP_PLAN_JOB_HASH_H

#include "plan/job.h"

/* Sets job->hash: SHA-256 over the lines name=, seed=, the protocol's text, and a line a point
 * ("stage=... causal=0 impl=naive,fused"), in the order of rp_point_compare. */
enum rp_status rp_job_hash(struct rp_job *job) RP_MUST_CHECK;

#endif
