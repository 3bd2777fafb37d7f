/* summary_table.c - the summary for programs: one table, full precision, SI units. */
#include "analysis/summary.h"

static const struct rp_table_column columns[] = {
    {"gpu_type", NULL, NULL},
    {"device", NULL, NULL}, /* what is not mixed: type, MIG, ECC, power, threads, simulated */
    {"basis", NULL, NULL},  /* measured, simulated or datasheet */
    {"stage", NULL, NULL},
    {"impl", NULL, NULL},
    {"dtype", NULL, NULL},
    {"causal", NULL, NULL},
    {"heads_per_kv_head", NULL, NULL},
    {"seq_q", NULL, NULL}, /* missing: grows with seq_k */
    {"points", NULL, NULL},
    {"seq_k_min", NULL, NULL},
    {"seq_k_max", NULL, NULL},
    {"points_timed", NULL, NULL},
    {"time_median_min_s", NULL, NULL},
    {"time_median_max_s", NULL, NULL},
    {"achieved_flop_per_s", NULL, NULL},
    {"achieved_bytes_per_s", NULL, NULL},
    {"naive_time_ratio", NULL, NULL},
    {"ceiling_flop_per_s", NULL, NULL},  /* of the row's path, */
    {"ceiling_bytes_per_s", NULL, NULL}, /* and of DRAM: measured on the device */
    {"class_measured", NULL, NULL},
    {"class_measured_reason", NULL, NULL},
    {"attained_min_frac", NULL, NULL},
    {"attained_max_frac", NULL, NULL},
    {"points_implausible", NULL, NULL},
    {"crossover_measured_seq_k_min", NULL, NULL},
    {"crossover_measured_seq_k_max", NULL, NULL},
    {"ridge_flop_per_byte", NULL, NULL},
    {"intensity_min_flop_per_byte", NULL, NULL},
    {"intensity_max_flop_per_byte", NULL, NULL},
    {"class_ideal", NULL, NULL},
    {"crossover_ideal", NULL, NULL}, /* at, never, always, missing */
    {"crossover_ideal_seq_k", NULL, NULL},
    {"class_ideal_dense", NULL, NULL},
    {"crossover_dense", NULL, NULL},
    {"crossover_dense_seq_k", NULL, NULL},
    {"class_predicted", NULL, NULL},
    {"crossover_predicted_seq_k_min", NULL, NULL},
    {"crossover_predicted_seq_k_max", NULL, NULL},
    {"reason", NULL, NULL}, /* of a missing verdict */
    {"source", NULL, NULL}, /* of the datasheet */
};

static void put_missing(struct rp_table_writer *w, int n)
{
    for (int i = 0; i < n; ++i)
        rp_table_missing(w);
}

/* From stage to seq_k_max. */
static void put_group(struct rp_table_writer *w, const struct rp_group *group, enum rp_impl impl,
                      size_t points)
{
    const struct rp_point *p = &group->shapes[0].point;
    rp_table_word(w, rp_stage_name(p->stage));
    rp_table_word(w, rp_impl_name(impl));
    rp_table_word(w, rp_dtype_info(p->dtype)->name);
    rp_table_i64(w, p->causal);
    rp_table_i64(w, p->heads / p->kv_heads);
    if (rp_crossover_follows(p))
        rp_table_missing(w);
    else
        rp_table_i64(w, p->seq_q);
    rp_table_i64(w, (int64_t)points);
    rp_table_i64(w, group->seq_min);
    rp_table_i64(w, group->seq_max);
}

/* Lowest and highest intensity of a group's shapes, by `flops`. */
static void put_intensity(struct rp_table_writer *w, const struct rp_group *group)
{
    const struct rp_point *p = &group->shapes[0].point;
    rp_table_f64(w, rp_crossover_intensity(p, (double)group->seq_min, false), NULL);
    rp_table_f64(w, rp_crossover_intensity(p, (double)group->seq_max, false), NULL);
}

static void put_ideal(struct rp_table_writer *w, const struct rp_group *group,
                      const struct rp_gpu_spec *gpu, bool dense)
{
    struct rp_class_count count = rp_group_ideal(group, gpu, dense);
    struct rp_crossover x = rp_crossover_ideal(gpu, &group->shapes[0].point, dense);
    rp_table_word(w, rp_class_count_word(&count));
    rp_table_word(w, rp_crossover_name(x.kind));
    rp_table_f64(w, x.seq, NULL);
}

static size_t count_points(const struct rp_group *group, enum rp_impl impl)
{
    size_t n = 0;
    for (size_t i = 0; i < group->count; ++i)
        n += rp_impl_in(group->shapes[i].impls, impl);
    return n;
}

/* From ridge_flop_per_byte to source; `gpu` null: data/ does not know the type. */
static void put_verdicts(struct rp_table_writer *w, const struct rp_group *group, enum rp_impl impl,
                         const struct rp_gpu_spec *gpu)
{
    const char *missing = rp_class_name(RP_CLASS_MISSING);
    if (!gpu) {
        rp_table_missing(w);
        put_intensity(w, group);
        for (int dense = 0; dense < 2; ++dense) {
            rp_table_word(w, missing);
            rp_table_word(w, missing);
            rp_table_missing(w);
        }
        rp_table_word(w, missing);
        put_missing(w, 2);
        rp_table_word(w, "data/gpus.tsv does not have this type");
        rp_table_missing(w);
        return;
    }
    struct rp_predicted predicted = rp_group_predicted(group, gpu, impl);
    struct rp_class_count ideal = rp_group_ideal(group, gpu, false);
    rp_table_f64(w, rp_bound_ideal_ridge(gpu, group->shapes[0].point.dtype), NULL);
    put_intensity(w, group);
    put_ideal(w, group, gpu, false);
    put_ideal(w, group, gpu, true);
    rp_table_word(w, rp_class_count_word(&predicted.classes));
    rp_table_f64(w, predicted.seq_min, NULL);
    rp_table_f64(w, predicted.seq_max, NULL);
    rp_table_word_or_missing(w, ideal.reason[0] ? ideal.reason : predicted.classes.reason);
    rp_table_word_or_missing(w, gpu->source);
}

static void put_measured(struct rp_table_writer *w, const struct rp_summary *s,
                         const struct rp_measured *m)
{
    const struct rp_group *group = &s->groups.items[m->group];
    char device[RP_SUMMARY_DEVICE_SIZE];
    rp_summary_device_text(m->device, NULL, m->threads, device);
    rp_table_word(w, m->device->gpu_type);
    rp_table_word(w, device);
    rp_table_word(w, rp_summary_basis(m->device));
    put_group(w, group, m->impl, m->rows);
    rp_table_i64(w, (int64_t)m->timed);
    rp_table_f64(w, m->time_min_s, NULL);
    rp_table_f64(w, m->time_max_s, NULL);
    rp_table_f64(w, m->flop_per_s, NULL);
    rp_table_f64(w, m->bytes_per_s, NULL);
    rp_table_f64(w, m->naive_ratio, NULL);
    rp_table_f64(w, m->ceiling_flop_per_s, NULL);
    rp_table_f64(w, m->ceiling_bytes_per_s, NULL);
    rp_table_word(w, rp_measured_class(m));
    rp_table_word_or_missing(w, m->missing_reason);
    rp_table_f64(w, m->attained_min, NULL);
    rp_table_f64(w, m->attained_max, NULL);
    rp_table_i64(w, (int64_t)m->implausible);
    rp_table_f64(w, m->seq_min, NULL);
    rp_table_f64(w, m->seq_max, NULL);
    put_verdicts(w, group, m->impl, rp_summary_gpu(s, m->device->gpu_type));
}

static void put_datasheet(struct rp_table_writer *w, const struct rp_gpu_spec *gpu,
                          const struct rp_group *group, enum rp_impl impl)
{
    rp_table_word(w, gpu->gpu_type);
    rp_table_word(w, gpu->gpu_type);
    rp_table_word(w, "datasheet");
    put_group(w, group, impl, count_points(group, impl));
    put_missing(w, 15);
    put_verdicts(w, group, impl, gpu);
}

/* Beside the rows, for JSON, which can hold more than one table. */
static enum rp_status write_arrays(const struct rp_summary *s, struct rp_table_writer *w)
{
    RP_TRY(rp_summary_write_turns(s, w));
    RP_TRY(rp_summary_write_memory(s, w));
    RP_TRY(rp_summary_write_naive(s, w));
    RP_TRY(rp_summary_write_ceilings(s, w));
    return rp_summary_write_dependences(s, w);
}

enum rp_status rp_summary_write(const struct rp_summary *s, enum rp_table_format format, FILE *out)
{
    struct rp_table_writer *w = NULL;
    RP_TRY(rp_table_begin(out, format, "ridgepoint-summary", columns, RP_COUNT(columns), &w));
    for (size_t i = 0; i < s->measured.count; ++i)
        put_measured(w, s, &s->measured.items[i]);
    for (size_t g = 0; g < s->n_gpus; ++g) {
        for (size_t i = 0; i < s->groups.count; ++i) {
            for (int impl = 0; impl < RP_IMPL_COUNT; ++impl) {
                if (rp_impl_in(s->groups.items[i].impls, (enum rp_impl)impl))
                    put_datasheet(w, s->gpus[g], &s->groups.items[i], (enum rp_impl)impl);
            }
        }
    }
    enum rp_status status = RP_OK;
    if (format == RP_TABLE_JSON)
        status = write_arrays(s, w);
    enum rp_status ended = rp_table_end(w);
    return status == RP_OK ? ended : status;
}
