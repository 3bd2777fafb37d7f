/* test_analysis_cost.c - what naive costs, why verdicts disagree, what classes depend on. */
#include "analysis_study.h"

#include "analysis/agreement.h"
#include "analysis/dependence.h"
#include "analysis/naive_cost.h"

/* Naive takes 3, 1 and half the time of fused at T = 64, 128 and 256. */
static void test_naive(void **state)
{
    (void)state;
    const double factors[] = {3, 1, 0.5};
    struct synthetic s;
    struct rp_naive_cost_list costs;
    synthetic_begin(&s);
    for (size_t i = 0; i < RP_COUNT(factors); ++i) {
        struct rp_point p = shape_of(RP_STAGE_PREFILL, 4, 2, INT64_C(64) << i, 32);
        size_t naive = synthetic_add(&s, &p, RP_IMPL_naive, factors[i] * 1e-3);
        size_t fused = synthetic_add(&s, &p, RP_IMPL_fused, 1e-3);
        row_at(&s, naive)->peak_memory_bytes = (int64_t)(i + 2) * 1000;
        row_at(&s, fused)->peak_memory_bytes = 1000;
    }
    struct rp_point alone = shape_of(RP_STAGE_DECODE, 4, 2, 512, 32);
    synthetic_add(&s, &alone, RP_IMPL_fused, 1e-3);
    struct rp_study_file file = {s.path, s.study};
    struct rp_study_list list = {&file, 1};
    CHECK_OK(rp_naive_cost_create(&list, false, &costs), "costs");
    CHECK_EQ_I64((int64_t)costs.count, 3, "what has no naive row is left out");
    for (size_t i = 0; i < costs.count; ++i) {
        const struct rp_naive_cost *cost = &costs.items[i];
        CHECK_EQ_I64(cost->point.seq_k, INT64_C(64) << i, "by length");
        CHECK_NEAR(cost->time.value, factors[i], 1e-9, "time");
        CHECK_TRUE(cost->time.low <= factors[i] + 1e-9 && cost->time.high >= factors[i] - 1e-9,
                   "its interval");
        CHECK_NEAR(cost->memory_ratio, (double)(i + 2), 1e-12, "memory");
        CHECK_TRUE(rp_naive_wins(cost) == (i == 2), "naive wins at half the time only");
    }
    rp_naive_cost_clear(&costs);
    RP_WORD_SET(rp_study_devices(&s.study)->backend, "simulated");
    CHECK_OK(rp_naive_cost_create(&list, false, &costs), "simulated");
    CHECK_EQ_I64((int64_t)costs.count, 0, "simulated rows only when asked");
    rp_naive_cost_clear(&costs);
    synthetic_end(&s);
}

static const struct rp_dependence *find_dependence(const struct rp_dependence_list *list,
                                                   enum rp_dependence_kind kind,
                                                   const char *variant)
{
    for (size_t i = 0; i < list->count; ++i) {
        const struct rp_dependence *d = &list->items[i];
        if (d->kind == kind && (!variant || strcmp(d->variant->gpu_type, variant) == 0))
            return d;
    }
    return NULL;
}

/* On A100 80 GB (ridge 153) unmasked prefill turns at 306, masked at 611, on 40 GB (201) at 402. A
 * decode of 8 queries on one of 32 kv heads has about 250 FLOP/B, on kv heads 8. */
static void test_dependences(void **state)
{
    (void)state;
    struct synthetic s;
    struct rp_gpu_list gpus;
    struct rp_groups groups;
    struct rp_dependence_list list;
    struct rp_point p = shape_of(RP_STAGE_PREFILL, 32, 32, 350, 128);
    synthetic_begin(&s);
    synthetic_add(&s, &p, RP_IMPL_fused, 1e-3);
    p.causal = true;
    synthetic_add(&s, &p, RP_IMPL_fused, 1e-3);
    p = shape_of(RP_STAGE_DECODE, 32, 1, 65536, 128);
    p.seq_q = 8;
    synthetic_add(&s, &p, RP_IMPL_fused, 1e-3);
    CHECK_OK(rp_gpu_list_load(NULL, &gpus), "gpus.tsv");
    const struct rp_gpu_spec *gpu = rp_gpu_list_find_exact(&gpus, "a100-sxm-80gb");
    struct rp_study_file file = {s.path, s.study};
    struct rp_study_list studies = {&file, 1};
    CHECK_OK(rp_groups_create(&studies, false, &groups), "groups");
    CHECK_OK(rp_dependence_create(&groups, &gpu, 1, &gpus, &list), "dependences");

    const struct rp_dependence *d = find_dependence(&list, RP_DEPENDS_ON_DENSE, NULL);
    CHECK_TRUE(d && d->point.causal && d->point.seq_k == 350, "the masked one, by the dense count");
    CHECK_TRUE(d->ideal == RP_CLASS_MEMORY && d->otherwise == RP_CLASS_COMPUTE, "turns");
    d = find_dependence(&list, RP_DEPENDS_ON_KV_HEADS, NULL);
    CHECK_TRUE(d && d->point.stage == RP_STAGE_DECODE, "the grouped decode, on kv heads");
    CHECK_TRUE(d->ideal == RP_CLASS_COMPUTE && d->otherwise == RP_CLASS_MEMORY, "turns");
    d = find_dependence(&list, RP_DEPENDS_ON_VARIANT, "a100-sxm-40gb");
    CHECK_TRUE(d && !d->point.causal && d->point.seq_k == 350, "the unmasked one, on 40 GB");
    CHECK_TRUE(d->ideal == RP_CLASS_COMPUTE && d->otherwise == RP_CLASS_MEMORY, "turns");
    CHECK_TRUE(!find_dependence(&list, RP_DEPENDS_ON_VARIANT, "h100-sxm-80gb"), "another model");
    rp_dependence_clear(&list);
    rp_groups_clear(&groups);
    rp_gpu_list_clear(&gpus);
    synthetic_end(&s);
}

/* Verdicts as planted; the rest of the view as a T4's row of naive prefill has it. */
static struct rp_agreement agreement_of(struct rp_result *row, enum rp_class ideal,
                                        enum rp_class dense, enum rp_class predicted,
                                        enum rp_class measured)
{
    struct rp_gpu_list gpus;
    CHECK_OK(rp_gpu_list_load(NULL, &gpus), "gpus.tsv");
    struct rp_row_view view = {
        .row = row, .gpu = rp_gpu_list_find_exact(&gpus, "t4"), .ridge_flop_per_byte = 203};
    view.ideal.class_name = ideal;
    view.ideal_dense.class_name = dense;
    view.predicted.class_name = predicted;
    view.predicted.compute_s = 1;
    view.predicted.memory_s = 2;
    view.measured.class_name = measured;
    view.measured.attained_frac = 0.3;
    for (int i = 0; i < RP_MEASURED_TIMES; ++i)
        view.measured.times[i].value_s = 3 + i;
    struct rp_agreement agreement = rp_agreement_of(&view);
    rp_gpu_list_clear(&gpus);
    return agreement;
}

static void test_agreement(void **state)
{
    (void)state;
    enum { C = RP_CLASS_COMPUTE, M = RP_CLASS_MEMORY, NONE = RP_CLASS_MISSING };
    static const struct {
        const char *says;
        int ideal, dense, predicted, measured, why;
    } cases[] = {
        {"", C, C, C, C, RP_DISAGREE_COUNT},
        {"", NONE, NONE, NONE, C, RP_DISAGREE_COUNT},
        {"and compute by the dense rectangle", M, C, M, M, RP_DISAGREE_COUNTING},
        {"naive moves", C, C, M, M, RP_DISAGREE_TRAFFIC},
        {"with its scores", C, C, M, M, RP_DISAGREE_TRAFFIC},
        {"naive runs on simt_fp32", M, M, C, C, RP_DISAGREE_PATH},
        {"measured is latency", C, C, C, RP_CLASS_LATENCY, RP_DISAGREE_LATENCY},
        {"measured is balanced", C, C, C, RP_CLASS_BALANCED, RP_DISAGREE_BETWEEN},
        {"account for 0.3 of the time", C, C, C, RP_CLASS_UNEXPLAINED, RP_DISAGREE_OTHER},
        {"t_compute is 0.75 times t_memory, at the datasheet's 0.5", M, M, M, C, RP_DISAGREE_RIDGE},
    };
    struct rp_point p = shape_of(RP_STAGE_PREFILL, 8, 8, 512, 64);
    struct rp_result row;
    CHECK_OK(rp_result_begin(&row, &p, RP_IMPL_naive), "row");
    RP_WORD_SET(row.path, "simt_fp32");
    row.flops_impl = row.flops;
    row.bytes_impl = 9 * row.bytes_min;
    row.scores_bytes = 1000;
    for (size_t i = 0; i < RP_COUNT(cases); ++i) {
        struct rp_agreement a =
            agreement_of(&row, (enum rp_class)cases[i].ideal, (enum rp_class)cases[i].dense,
                         (enum rp_class)cases[i].predicted, (enum rp_class)cases[i].measured);
        bool agrees = cases[i].why == RP_DISAGREE_COUNT;
        CHECK_TRUE(a.agree == agrees && (a.reason[0] == '\0') == agrees, cases[i].says);
        CHECK_CONTAINS(a.reason, cases[i].says, "reason");
        for (int d = 0; d < RP_DISAGREE_COUNT; ++d)
            CHECK_TRUE(a.found[d] == (d == cases[i].why), cases[i].says);
    }
    /* Grouped queries: 8 of them on 32 heads over one kv head. */
    p = shape_of(RP_STAGE_DECODE, 32, 1, 65536, 128);
    p.seq_q = 8;
    CHECK_OK(rp_result_begin(&row, &p, RP_IMPL_fused), "row");
    struct rp_agreement a =
        agreement_of(&row, RP_CLASS_COMPUTE, RP_CLASS_COMPUTE, RP_CLASS_COMPUTE, RP_CLASS_COMPUTE);
    CHECK_TRUE(a.found[RP_DISAGREE_GROUPED], "grouped");
    CHECK_CONTAINS(a.reason, "memory counted on 1 kv heads", "grouped");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_naive),
        cmocka_unit_test(test_dependences),
        cmocka_unit_test(test_agreement),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
