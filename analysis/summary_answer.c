/* summary_answer.c - the answer in sentences, from the same verdicts as the tables. */
#include <inttypes.h>
#include <stdio.h>

#include "analysis/summary.h"

/* One GPU type and dtype. */
struct subject {
    const struct rp_summary *summary;
    const struct rp_gpu_spec *gpu;
    enum rp_dtype dtype;
    FILE *out;
};

static bool in_subject(const struct subject *on, const struct rp_group *group, enum rp_stage stage)
{
    const struct rp_point *p = &group->shapes[0].point;
    return p->dtype == on->dtype && p->stage == stage;
}

/* The k-th group of whole-sequence prefill; null at the end. Groups come sorted by mask, then by
 * query heads per kv head. */
static const struct rp_group *prefill_group(const struct subject *on, size_t k)
{
    for (size_t i = 0; i < on->summary->groups.count; ++i) {
        const struct rp_group *group = &on->summary->groups.items[i];
        if (in_subject(on, group, RP_STAGE_PREFILL) &&
            rp_crossover_follows(&group->shapes[0].point) && k-- == 0)
            return group;
    }
    return NULL;
}

static int64_t heads_per_kv_head(const struct rp_group *group)
{
    return group->shapes[0].point.heads / group->shapes[0].point.kv_heads;
}

/* "406 (H/G = 4; above the sweep)": where it turns, and how that lies to the files' lengths. */
static void print_turn(const struct subject *on, const struct rp_group *group, bool say_heads)
{
    struct rp_crossover x = rp_crossover_ideal(on->gpu, &group->shapes[0].point, false);
    const char *where = "";
    if (x.kind == RP_CROSSOVER_AT)
        fprintf(on->out, "%.0f", x.seq);
    else
        fprintf(on->out, "%s", x.kind == RP_CROSSOVER_ALWAYS ? "1" : "never");
    if (x.kind == RP_CROSSOVER_AT && x.seq > (double)group->seq_max)
        where = "above the sweep";
    if (x.kind == RP_CROSSOVER_AT && x.seq < (double)group->seq_min)
        where = "below the sweep";
    if (say_heads)
        fprintf(on->out, " (H/G = %" PRId64 "%s%s)", heads_per_kv_head(group), where[0] ? "; " : "",
                where);
    else if (where[0])
        fprintf(on->out, " (%s)", where);
}

/* "prefill is compute-bound without a mask from T = 406, with a causal mask from T = 812"; false
 * when the files have no prefill of whole sequences. */
static bool print_prefill(const struct subject *on)
{
    const struct rp_group *group;
    bool heads_differ = false;
    for (size_t k = 0; (group = prefill_group(on, k)); ++k)
        heads_differ |= heads_per_kv_head(group) != heads_per_kv_head(prefill_group(on, 0));
    for (size_t k = 0; (group = prefill_group(on, k)); ++k) {
        bool causal = group->shapes[0].point.causal;
        bool same_mask = k && prefill_group(on, k - 1)->shapes[0].point.causal == causal;
        if (same_mask)
            fprintf(on->out, ", ");
        else
            fprintf(on->out, "%s%s from T = ", k ? "; " : "prefill is compute-bound ",
                    causal ? "with a causal mask" : "without a mask");
        print_turn(on, group, heads_differ);
    }
    return prefill_group(on, 0) != NULL;
}

static void print_decode(const struct subject *on, bool after_prefill)
{
    double limit = 0;
    bool any = false;
    bool turns = false;
    for (size_t i = 0; i < on->summary->groups.count; ++i) {
        const struct rp_group *group = &on->summary->groups.items[i];
        struct rp_crossover x = rp_crossover_ideal(on->gpu, &group->shapes[0].point, false);
        if (!in_subject(on, group, RP_STAGE_DECODE))
            continue;
        any = true;
        limit = x.limit_flop_per_byte > limit ? x.limit_flop_per_byte : limit;
        turns = turns || x.kind != RP_CROSSOVER_NEVER;
    }
    if (!any)
        return;
    fprintf(on->out, after_prefill ? "; decode is " : "decode is ");
    if (!turns)
        fprintf(on->out, "memory-bound at every length (at most %.4g FLOP/B)", limit);
    else
        fprintf(on->out, "compute-bound for some shapes (up to %.4g FLOP/B); see the table", limit);
}

static void print_subject(const struct subject *on)
{
    const char *name = rp_dtype_info(on->dtype)->name;
    const char *path = rp_bound_ideal_path(on->dtype);
    double ridge = rp_bound_ideal_ridge(on->gpu, on->dtype);
    if (!(ridge > 0)) {
        fprintf(on->out, "On %s, %s has no verdict: its datasheet has no peak for %s.\n",
                on->gpu->gpu_type, name, path);
        return;
    }
    fprintf(on->out, "On %s, %s (ridge %.4g FLOP/B), ", on->gpu->gpu_type, name, ridge);
    print_decode(on, print_prefill(on));
    fprintf(on->out, ".\n");
}

/* What became of rows that are not ok. */
static const char *const outcome_texts[RP_OUTCOME_COUNT] = {
    [RP_OUTCOME_MISMATCH] = "differed from the oracle",
    [RP_OUTCOME_OOM] = "did not fit in memory",
    [RP_OUTCOME_UNSUPPORTED] = "cannot run there",
    [RP_OUTCOME_TIMEOUT] = "took too long",
    [RP_OUTCOME_ERROR] = "failed",
    [RP_OUTCOME_SKIPPED] = "did not run, as another row implies their outcome",
};

/* What of the rows of one device is not to be believed or has no time, and why class_measured is
 * missing. */
static void print_missing_on(const struct rp_summary *s, size_t begin, size_t end, FILE *out)
{
    const struct rp_measured *first = &s->measured.items[begin];
    char device[RP_SUMMARY_DEVICE_SIZE];
    size_t outcomes[RP_OUTCOME_COUNT] = {0};
    size_t implausible = 0;
    size_t untimed = 0;
    size_t disturbed = 0;
    const char *reason = "";
    rp_summary_device_text(first->device, NULL, first->threads, device);
    for (size_t i = begin; i < end; ++i) {
        const struct rp_measured *m = &s->measured.items[i];
        for (int o = 0; o < RP_OUTCOME_COUNT; ++o)
            outcomes[o] += m->outcomes[o];
        implausible += m->implausible;
        disturbed += m->disturbed;
        untimed += m->outcomes[RP_OUTCOME_OK] + m->outcomes[RP_OUTCOME_MISMATCH] - m->timed;
        reason = m->missing_reason[0] ? m->missing_reason : reason;
    }
    if (implausible)
        fprintf(out,
                "On %s, %zu row%s faster than the measured ceilings allow (implausible; "
                "`verify` says which); no best rate is theirs.\n",
                device, implausible, implausible == 1 ? " is" : "s are");
    if (disturbed)
        fprintf(out,
                "On %s, %zu row%s flagged noisy or throttled: few of their samples or none were "
                "undisturbed, so their times are too long, if anything.\n",
                device, disturbed, disturbed == 1 ? " is" : "s are");
    if (untimed)
        fprintf(out, "On %s, %zu row%s no time: every sample was disturbed or throttled.\n", device,
                untimed, untimed == 1 ? " has" : "s have");
    if (reason[0])
        fprintf(out, "On %s, class_measured is missing: %s.\n", device, reason);
    for (int o = RP_OUTCOME_OK + 1; o < RP_OUTCOME_COUNT; ++o) {
        if (outcomes[o])
            fprintf(out, "On %s, %zu row%s %s (%s).\n", device, outcomes[o],
                    outcomes[o] == 1 ? "" : "s", outcome_texts[o],
                    rp_outcome_name((enum rp_outcome)o));
    }
}

static void print_missing(const struct rp_summary *s, FILE *out)
{
    for (size_t begin = 0, end = 0; begin < s->measured.count; begin = end) {
        end = rp_measured_end_of_device(&s->measured, begin);
        print_missing_on(s, begin, end, out);
    }
    if (s->measured.simulated)
        fprintf(out, "%zu rows of simulated devices are left out; --simulated takes them in.\n",
                s->measured.simulated);
}

void rp_summary_answer(const struct rp_summary *s, FILE *out)
{
    fprintf(out, "\n");
    for (size_t g = 0; g < s->n_gpus; ++g) {
        for (int dtype = 0; dtype < RP_DTYPE_COUNT; ++dtype) {
            const struct subject on = {s, s->gpus[g], (enum rp_dtype)dtype, out};
            if (rp_groups_have_dtype(&s->groups, on.dtype))
                print_subject(&on);
        }
    }
    print_missing(s, out);
}
