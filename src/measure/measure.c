/*
 * measure.c - the protocol of one point in the order it happens (docs/PROTOCOL.md).
 *
 * What can be foreseen of each implementation; inputs and oracle; a memory pass each; then, with
 * the memory domain to ourselves, warm-up and paired rounds. What goes wrong becomes the row's
 * status and the others go on; only a device that cannot go on ends the point.
 */
#include "measure/measure.h"

#include <stdlib.h>

#include "measure/attempt.h"
#include "measure/rounds.h"

struct party {
    struct rp_session session;
    struct rp_attempt attempts[RP_IMPL_COUNT];
    size_t n;
};

/* Its row says why it ended. Fails when the device cannot go on. */
static enum rp_status give_up(struct rp_attempt *a, enum rp_status status)
{
    rp_attempt_report(a, status);
    if (rp_device_is_lost(a->session->device))
        return RP_FAIL(RP_ERR_DEVICE, "the device is lost: %s", a->row.reason);
    return RP_OK;
}

static bool is_live(const struct rp_attempt *a)
{
    return a->state == RP_ATTEMPT_LIVE;
}

/* The reference goes first: its output is what the others are compared with. When it has its row
 * already (an earlier run, a worker before this one) it is launched once, untimed; failing that,
 * the others stay uncompared. */
static enum rp_status begin_all(struct party *party, rp_impl_set impls)
{
    static const enum rp_impl order[] = {RP_IMPL_reference, RP_IMPL_naive, RP_IMPL_fused,
                                         RP_IMPL_cudnn};
    _Static_assert(RP_COUNT(order) == RP_IMPL_COUNT, "every implementation has its turn");
    struct rp_session *s = &party->session;
    s->with_reference = rp_impl_in(s->plan->planned, RP_IMPL_reference);
    for (size_t i = 0; i < RP_COUNT(order); ++i) {
        bool is_wanted = rp_impl_in(impls, order[i]);
        bool is_untimed = order[i] == RP_IMPL_reference && s->with_reference && !is_wanted &&
                          !rp_device_backend(s->device)->computes_nothing;
        if (!is_wanted && !is_untimed)
            continue;
        struct rp_attempt *a = &party->attempts[party->n++];
        enum rp_status status = rp_attempt_begin(a, s, order[i]);
        a->is_untimed = is_untimed;
        if ((s->plan->planned & ~impls) != 0)
            rp_flag_add(&a->row, "unpaired");
        if (status != RP_OK)
            RP_TRY(give_up(a, status));
    }
    return RP_OK;
}

static bool any_live(const struct party *party)
{
    for (size_t i = 0; i < party->n; ++i) {
        if (is_live(&party->attempts[i]) && !party->attempts[i].is_untimed)
            return true;
    }
    return false;
}

/* Filling the inputs and the oracle's rows at a tenth of what slow machines reach, and a minute. */
static double prepare_limit_s(const struct rp_session *s, const struct rp_method_cost *cost)
{
    const double fill_bytes_per_s = 20e6;
    const double oracle_flop_per_s = 20e6;
    double oracle_flop = 4.0 * (double)s->plan->protocol->verify_rows * (double)s->point->seq_k *
                         (double)s->point->head_dim;
    return 60 + (double)cost->tensor_bytes / fill_bytes_per_s + oracle_flop / oracle_flop_per_s;
}

static enum rp_status make_inputs(struct rp_session *s)
{
    const struct rp_tensors_request request = {
        .point = s->point, .seed = s->plan->seed, .with_reference = s->with_reference};
    const void *const *inputs = s->tensors.host_inputs;
    RP_TRY(rp_tensors_create(s->device, &request, &s->tensors));
    if (rp_device_backend(s->device)->computes_nothing)
        return RP_OK;
    return rp_oracle_create(s->point, inputs[RP_TENSOR_Q], inputs[RP_TENSOR_K], inputs[RP_TENSOR_V],
                            s->plan->protocol->verify_rows, s->plan->seed, &s->oracle);
}

/* Without inputs nobody can go on. */
static enum rp_status prepare(struct party *party)
{
    struct rp_session *s = &party->session;
    struct rp_attempt *first = &party->attempts[0];
    while (!is_live(first))
        ++first;
    rp_attempt_tell(first, "prepare", prepare_limit_s(s, &first->cost));
    enum rp_status status = make_inputs(s);
    for (size_t i = 0; i < party->n && status != RP_OK; ++i) {
        if (is_live(&party->attempts[i]))
            RP_TRY(give_up(&party->attempts[i], status));
    }
    return RP_OK;
}

static int by_scratch(const void *left, const void *right)
{
    size_t a = rp_attempt_scratch_bytes(*(struct rp_attempt *const *)left);
    size_t b = rp_attempt_scratch_bytes(*(struct rp_attempt *const *)right);
    return (a > b) - (a < b);
}

/* Live ones, the one that needs least first. */
static size_t sort_live(struct party *party, struct rp_attempt *live[RP_IMPL_COUNT])
{
    size_t n = 0;
    for (size_t i = 0; i < party->n; ++i) {
        if (is_live(&party->attempts[i]))
            live[n++] = &party->attempts[i];
    }
    qsort(live, n, sizeof(struct rp_attempt *), by_scratch);
    return n;
}

/* Scratch for all that are live: as large as the one that needs most. Who gets none gives up. */
static enum rp_status open_arena(struct party *party)
{
    struct rp_session *s = &party->session;
    struct rp_attempt *live[RP_IMPL_COUNT];
    for (size_t n = sort_live(party, live); n > 0; --n) {
        enum rp_status status =
            rp_device_arena_open(s->device, rp_attempt_scratch_bytes(live[n - 1]), &s->arena);
        if (status == RP_OK)
            return RP_OK;
        RP_TRY(give_up(live[n - 1], status));
    }
    return RP_OK;
}

/*
 * Each sees its own memory only. Where an allocation takes memory as it is touched, the region is
 * the same for all and who needs least goes first, so that no page of the next one has been
 * touched; elsewhere each has a region of its own.
 */
static enum rp_status memory_passes(struct party *party)
{
    struct rp_session *s = &party->session;
    struct rp_attempt *live[RP_IMPL_COUNT];
    bool is_shared = rp_device_backend(s->device)->lazy_pages;
    if (is_shared)
        RP_TRY(open_arena(party));
    size_t n = sort_live(party, live);
    for (size_t i = 0; i < n; ++i) {
        enum rp_status status = RP_OK;
        if (!is_shared)
            status = rp_device_arena_open(s->device, rp_attempt_scratch_bytes(live[i]), &s->arena);
        if (status == RP_OK)
            status = rp_attempt_memory_pass(live[i]);
        if (!is_shared)
            rp_device_arena_close(s->device, &s->arena);
        if (status != RP_OK || live[i]->is_untimed)
            RP_TRY(give_up(live[i], status));
    }
    return is_shared ? RP_OK : open_arena(party);
}

/* Warm-up and rounds of those that are live, alone in the memory domain. */
static enum rp_status sample_all(struct party *party)
{
    struct rp_session *s = &party->session;
    struct rp_attempt *live[RP_IMPL_COUNT];
    size_t n = sort_live(party, live);
    rp_attempt_tell(live[0], "waiting for its turn", 0);
    bool is_alone = rp_device_exclusive_begin(s->device);
    enum rp_status status = RP_OK;
    for (size_t i = 0; i < n && status == RP_OK; ++i) {
        if (!is_alone)
            rp_flag_add(&live[i]->row, "noisy");
        enum rp_status own = rp_attempt_warm_up(live[i]);
        if (own != RP_OK)
            status = give_up(live[i], own);
    }
    if (status == RP_OK)
        status = rp_rounds_run(live, n, give_up);
    rp_device_exclusive_end(s->device);
    for (size_t i = 0; i < n && status == RP_OK; ++i) {
        if (live[i]->state == RP_ATTEMPT_SAMPLED)
            rp_attempt_report(live[i], RP_OK);
    }
    return status;
}

static enum rp_status measure_party(struct party *party, rp_impl_set impls)
{
    RP_TRY(begin_all(party, impls));
    if (any_live(party))
        RP_TRY(prepare(party));
    if (any_live(party))
        RP_TRY(memory_passes(party));
    if (any_live(party))
        RP_TRY(sample_all(party));
    return RP_OK;
}

enum rp_status rp_measure_point(struct rp_device *device, const struct rp_point *point,
                                rp_impl_set impls, const struct rp_measure_plan *plan,
                                const struct rp_measure_listener *listener)
{
    struct party party = {
        .session = {.device = device, .point = point, .plan = plan, .listener = listener}};
    struct rp_session *s = &party.session;
    enum rp_status status = measure_party(&party, impls);
    for (size_t i = 0; i < party.n; ++i)
        rp_attempt_abandon(&party.attempts[i]);
    rp_device_arena_close(device, &s->arena);
    rp_oracle_clear(&s->oracle);
    rp_tensors_clear(device, &s->tensors);
    return status;
}
