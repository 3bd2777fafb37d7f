/*
 * cpu_kernels.c - the CPU kernels beside what the machine can do: prints lines of NAME RATIO.
 *
 *   bench_cpu_kernels gemm|prefill|baselines|decode|grouped THREADS [LONGEST]
 *
 * What is compared takes turns in one process, caches evicted in between. The fastest turn of each
 * counts for what arithmetic decides; for decode, since memory's pace changes from second to
 * second, the median of the ratios within a turn. A time is the CPU time of the process over its
 * threads: with OMP_WAIT_POLICY=active waiting counts as it does on the wall's clock, but what
 * other programs take of the cores does not. LONGEST: the longest sequence of the prefill grid,
 * 8192 unless given.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/parse.h"
#include "base/stats.h"
#include "device/device.h"
#include "kernels/kernel.h"
#include "kernels/probe.h"
#include "measure/tensors.h"
#include "model/cost.h"

/* Turns of what takes seconds, of what takes a tenth of one and of what is sooner done; and places
 * in memory, where they count. */
enum { FEW_TURNS = 4, SOME_TURNS = 12, MANY_TURNS = 40, PLACES = 4 };

/* A kernel on a point, or a probe. */
struct subject {
    const struct rp_probe *probe; /* null: the kernel */
    enum rp_impl impl;
    struct rp_point point;
    struct rp_probe_call call;
    struct rp_attention attention;
    struct rp_tensors tensors;
    struct rp_buffer scores; /* or the probe's scratch */
    struct rp_buffer workspace;
    int64_t scores_bytes;
    double least_work; /* of a probe's turn, which has a launch at least: what it is held against */
    int launches;      /* of such a turn; 0: a kernel, which has one */
    double best_s;     /* fastest turn */
    double turn_s[MANY_TURNS];
    int n_turns;
};

static enum rp_status open_kernel(struct rp_device *device, struct subject *s)
{
    const struct rp_device_info *info = rp_device_info(device);
    const struct rp_method_device method = rp_method_device_of(&info->row, info->threads);
    const struct rp_tensors_request request = {.point = &s->point};
    struct rp_method_cost cost;
    RP_TRY(rp_method_cost_of(&method, s->impl, &s->point, &cost));
    s->scores_bytes = cost.scores_bytes;
    RP_TRY(rp_tensors_create(device, &request, &s->tensors));
    RP_TRY(rp_device_alloc(device, RP_MEMORY_SCORES, (size_t)cost.scores_bytes, &s->scores));
    RP_TRY(
        rp_device_alloc(device, RP_MEMORY_WORKSPACE, (size_t)cost.workspace_bytes, &s->workspace));
    s->attention = (struct rp_attention){.point = &s->point,
                                         .q = s->tensors.inputs[RP_TENSOR_Q].data,
                                         .k = s->tensors.inputs[RP_TENSOR_K].data,
                                         .v = s->tensors.inputs[RP_TENSOR_V].data,
                                         .o = s->tensors.output.data,
                                         .scores = s->scores.data,
                                         .workspace = s->workspace.data,
                                         .threads = info->threads};
    return RP_OK;
}

static enum rp_status open_probe(struct rp_device *device, struct subject *s)
{
    s->call = (struct rp_probe_call){.probe = s->probe, .device = rp_device_info(device)};
    RP_TRY(s->probe->plan(&s->call));
    RP_TRY(rp_device_alloc(device, RP_MEMORY_SCORES, s->call.scratch_bytes, &s->scores));
    s->call.scratch = s->scores.data;
    s->launches = (int)fmax(1, ceil(s->least_work / s->call.work));
    return s->probe->fill(&s->call);
}

static void close_subject(struct rp_device *device, struct subject *s)
{
    rp_device_free(device, &s->workspace);
    rp_device_free(device, &s->scores);
    if (s->attention.point)
        rp_tensors_clear(device, &s->tensors);
}

static double spent_s(const struct rp_device *device)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return ((double)now.tv_sec + 1e-9 * (double)now.tv_nsec) / rp_device_info(device)->threads;
}

static enum rp_status take_turn(struct rp_device *device, struct subject *s)
{
    RP_TRY(rp_device_cache_evict(device));
    double start_s = spent_s(device);
    if (!s->probe)
        RP_TRY(rp_kernel_find("cpu", s->impl)->launch(&s->attention));
    for (int i = 0; i < s->launches; ++i) {
        RP_TRY(s->probe->launch(&s->call));
        ++s->call.turn;
    }
    double elapsed_s = spent_s(device) - start_s;
    s->turn_s[s->n_turns++] = elapsed_s;
    if (s->best_s == 0 || elapsed_s < s->best_s)
        s->best_s = elapsed_s;
    return RP_OK;
}

/* FLOP or bytes a second of a probe's fastest turn. */
static double rate_of(const struct subject *s)
{
    return s->call.work * s->launches / s->best_s;
}

/* Leaves the times of n subjects in them. */
static enum rp_status compare(struct rp_device *device, struct subject *subjects, int n, int turns)
{
    enum rp_status status = RP_OK;
    for (int i = 0; i < n && status == RP_OK; ++i)
        status = subjects[i].probe ? open_probe(device, &subjects[i])
                                   : open_kernel(device, &subjects[i]);
    for (int turn = 0; turn < turns; ++turn) {
        for (int i = 0; i < n && status == RP_OK; ++i)
            status = take_turn(device, &subjects[i]);
    }
    for (int i = n - 1; i >= 0; --i)
        close_subject(device, &subjects[i]);
    return status;
}

/* Median over the turns of a's time over the longer of b's in the same turn and of c's, if there is
 * one, times `factor`. */
static double median_over(const struct subject *a, const struct subject *b, const struct subject *c,
                          double factor)
{
    double ratios[MANY_TURNS];
    size_t n = (size_t)a->n_turns;
    for (size_t turn = 0; turn < n; ++turn)
        ratios[turn] = a->turn_s[turn] / fmax(b->turn_s[turn], c ? factor * c->turn_s[turn] : 0);
    rp_stats_sort(ratios, n);
    return rp_stats_median(ratios, n);
}

static double median_ratio(const struct subject *a, const struct subject *b)
{
    return median_over(a, b, NULL, 0);
}

static struct rp_point point_of(int64_t heads, int64_t seq_q, int64_t seq_k, int64_t head_dim)
{
    return (struct rp_point){.stage = seq_q > 1 ? RP_STAGE_PREFILL : RP_STAGE_DECODE,
                             .batch = 1,
                             .heads = heads,
                             .kv_heads = heads,
                             .seq_q = seq_q,
                             .seq_k = seq_k,
                             .head_dim = head_dim,
                             .dtype = RP_DTYPE_fp32};
}

/* FLOP/s of the matrix library, from a product that is soon done. */
static enum rp_status bench_gemm(struct rp_device *device, int64_t longest)
{
    struct subject subject = {.probe = rp_probes()[RP_PROBE_NUMBER_cpu_gemm_512]};
    (void)longest;
    RP_TRY(compare(device, &subject, 1, MANY_TURNS));
    printf("gemm %.4g\n", rate_of(&subject));
    return RP_OK;
}

/* FLOP rate of fused over that of sgemm(2048), one product a thread. */
static enum rp_status prefill_point(struct rp_device *device, const struct rp_point *p)
{
    struct rp_probe gemm = *rp_probes()[RP_PROBE_NUMBER_cpu_gemm_512];
    struct subject subjects[] = {{.probe = &gemm}, {.impl = RP_IMPL_fused, .point = *p}};
    struct rp_cost cost;
    gemm.extent = 2048;
    RP_TRY(rp_cost_of(p, &cost));
    subjects[0].least_work = (double)cost.flops;
    RP_TRY(compare(device, subjects, 2, p->seq_q > 2048 ? FEW_TURNS : SOME_TURNS));
    printf("D=%" PRId64 ",T=%" PRId64 "%s %.4f\n", p->head_dim, p->seq_q,
           p->causal ? ",causal" : "",
           (double)cost.flops / subjects[1].best_s / rate_of(&subjects[0]));
    return RP_OK;
}

static enum rp_status bench_prefill(struct rp_device *device, int64_t longest)
{
    for (int64_t seq = 1024; seq <= longest; seq *= 2) {
        for (int variant = 0; variant < 4; ++variant) {
            struct rp_point p = point_of(8, seq, seq, variant % 2 == 0 ? 64 : 128);
            p.causal = variant >= 2;
            RP_TRY(prefill_point(device, &p));
        }
    }
    return RP_OK;
}

/* Times of the two that keep the scores over that of fused; and what their counts promise on this
 * machine: all FLOPs at sgemm's rate and four times the scores at that of a copy, over the FLOPs
 * that fused needs. */
static enum rp_status bench_baselines(struct rp_device *device, int64_t longest)
{
    for (int causal = 0; causal < 2; ++causal) {
        const char *mask = causal ? ",causal" : "";
        struct rp_point p = point_of(2, longest, longest, 64);
        struct rp_cost cost;
        p.causal = causal;
        struct subject subjects[] = {{.impl = RP_IMPL_fused, .point = p},
                                     {.impl = RP_IMPL_naive, .point = p},
                                     {.impl = RP_IMPL_reference, .point = p},
                                     {.probe = rp_probes()[RP_PROBE_NUMBER_cpu_gemm_512]},
                                     {.probe = rp_probes()[RP_PROBE_NUMBER_cpu_copy]}};
        RP_TRY(rp_cost_of(&p, &cost));
        subjects[3].least_work = (double)cost.flops;
        RP_TRY(compare(device, subjects, 5, FEW_TURNS));
        double gemm = rate_of(&subjects[3]);
        double scores_s = 4.0 * (double)subjects[1].scores_bytes / rate_of(&subjects[4]);
        printf("naive%s %.4f\n", mask, subjects[1].best_s / subjects[0].best_s);
        printf("reference%s %.4f\n", mask, subjects[2].best_s / subjects[0].best_s);
        printf("counted%s %.4f\n", mask,
               ((double)cost.flops_dense / gemm + scores_s) / ((double)cost.flops / gemm));
    }
    return RP_OK;
}

/* Rate at which fused reads K and V over that of the faster read probe, as many bytes a turn; and
 * the time with 16 bits an element over that with 32. */
static enum rp_status decode_point(struct rp_device *device, const struct rp_point *p)
{
    struct subject subjects[] = {{.probe = rp_probes()[RP_PROBE_NUMBER_cpu_read]},
                                 {.probe = rp_probes()[RP_PROBE_NUMBER_cpu_read_lines]},
                                 {.impl = RP_IMPL_fused, .point = *p},
                                 {.impl = RP_IMPL_fused, .point = *p},
                                 {.impl = RP_IMPL_fused, .point = *p}};
    struct rp_cost cost;
    subjects[3].point.dtype = RP_DTYPE_fp16;
    subjects[4].point.dtype = RP_DTYPE_bf16;
    RP_TRY(rp_cost_of(p, &cost));
    subjects[0].least_work = subjects[1].least_work = (double)cost.bytes_min;
    for (int place = 0; place < PLACES; ++place)
        RP_TRY(compare(device, subjects, 5, MANY_TURNS / PLACES));
    double read = INFINITY;
    for (int i = 0; i < 2; ++i) {
        double probes = (double)cost.bytes_min / (subjects[i].call.work * subjects[i].launches);
        read = fmin(read, median_ratio(&subjects[i], &subjects[2]) * probes);
    }
    printf("read,D=%" PRId64 ",MiB=%" PRId64 " %.4f\n", p->head_dim, cost.bytes_min >> 20, read);
    printf("fp16,D=%" PRId64 ",MiB=%" PRId64 " %.4f\n", p->head_dim, cost.bytes_min >> 20,
           median_ratio(&subjects[3], &subjects[2]));
    printf("bf16,D=%" PRId64 ",MiB=%" PRId64 " %.4f\n", p->head_dim, cost.bytes_min >> 20,
           median_ratio(&subjects[4], &subjects[2]));
    return RP_OK;
}

static enum rp_status bench_decode(struct rp_device *device, int64_t longest)
{
    for (int64_t head_dim = 64; head_dim <= 128; head_dim *= 2) {
        for (int64_t heads = 8; heads <= 32; heads *= 4) {
            struct rp_point p = point_of(heads, 1, longest, head_dim);
            RP_TRY(decode_point(device, &p));
        }
    }
    return RP_OK;
}

/* Time with 8 query heads on each kv head over that with one, on the same K and V; and over the
 * longer of that and of the FLOPs at sgemm's rate. */
static enum rp_status bench_grouped(struct rp_device *device, int64_t longest)
{
    static const enum rp_dtype dtypes[] = {RP_DTYPE_fp32, RP_DTYPE_fp16};
    for (int i = 0; i < 4; ++i) {
        struct rp_point p = point_of(16, 1, longest, i < 2 ? 64 : 128);
        p.dtype = dtypes[i % 2];
        struct subject subjects[] = {{.impl = RP_IMPL_fused, .point = p},
                                     {.impl = RP_IMPL_fused, .point = p},
                                     {.probe = rp_probes()[RP_PROBE_NUMBER_cpu_gemm_512]}};
        struct rp_cost cost;
        subjects[1].point.heads *= 8;
        RP_TRY(rp_cost_of(&subjects[1].point, &cost));
        subjects[2].least_work = (double)cost.flops;
        RP_TRY(compare(device, subjects, 3, MANY_TURNS));
        double products = (double)cost.flops / (subjects[2].call.work * subjects[2].launches);
        printf("one,D=%" PRId64 ",%s %.4f\n", p.head_dim, rp_dtype_info(p.dtype)->name,
               median_ratio(&subjects[1], &subjects[0]));
        printf("bound,D=%" PRId64 ",%s %.4f\n", p.head_dim, rp_dtype_info(p.dtype)->name,
               median_over(&subjects[1], &subjects[0], &subjects[2], products));
    }
    return RP_OK;
}

static const struct mode {
    const char *name;
    enum rp_status (*run)(struct rp_device *device, int64_t longest);
} modes[] = {
    {"gemm", bench_gemm},     {"prefill", bench_prefill}, {"baselines", bench_baselines},
    {"decode", bench_decode}, {"grouped", bench_grouped},
};

int main(int argc, char **argv)
{
    struct rp_device *device = NULL;
    const struct mode *mode = NULL;
    int64_t threads = 0;
    int64_t longest = 8192;
    for (size_t i = 0; argc > 2 && i < sizeof modes / sizeof *modes; ++i) {
        if (strcmp(argv[1], modes[i].name) == 0)
            mode = &modes[i];
    }
    if (!mode || !rp_parse_i64(argv[2], false, &threads) || threads < 1 || threads > 1024 ||
        (argc > 3 && !rp_parse_i64(argv[3], true, &longest))) {
        fprintf(stderr, "usage: %s gemm|prefill|baselines|decode|grouped THREADS [LONGEST]\n",
                argv[0]);
        return 2;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    struct rp_device_request request = {.local_size = 1, .threads = (int)threads};
    enum rp_status status = rp_device_open(rp_backend_find("cpu"), &request, &device);
    if (status == RP_OK)
        status = mode->run(device, longest);
    if (status != RP_OK)
        fprintf(stderr, "%s: %s\n", argv[0], rp_status_message());
    rp_device_close(device);
    return status == RP_OK ? 0 : 3;
}
