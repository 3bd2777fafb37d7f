/*
 * override.h - --set PATH=VALUE on the tree of a job: a dotted path (measure.max_time_s,
 * sweep.0.seq) and a YAML value. What was set names its argument in later refusals.
 */
#ifndef RP_PLAN_OVERRIDE_H
#define RP_PLAN_OVERRIDE_H

#include "plan/node.h"

/* `label` ("--set seed=1") is what refusals say and must outlive the tree; `argument` is the part
 * behind --set. Missing maps on the way are made; a list's element must be there. */
enum rp_status rp_override_apply(struct rp_node *root, const char *label,
                                 const char *argument) RP_MUST_CHECK;

#endif
