/* protocol_block.c - a row a key: where it goes, and what is allowed. */
#include "plan/protocol_block.h"

#include <inttypes.h>
#include <stddef.h>

#include "plan/value.h"

enum field_kind { FIELD_CACHE, FIELD_I64, FIELD_F64 };

struct field {
    const char *key;
    enum field_kind kind;
    size_t offset;
    double min, max; /* whole numbers up to 2^53 are exact */
};

#define AT(member) offsetof(struct rp_protocol, member)

/* min_samples: an order-statistics interval of the median reaches 95 % from 6 samples on. */
static const struct field measure_fields[] = {
    {"cache", FIELD_CACHE, AT(cold), 0, 0},
    {"target_ci", FIELD_F64, AT(target_ci), 0.0001, 1},
    {"min_samples", FIELD_I64, AT(min_samples), 6, 100000},
    {"max_samples", FIELD_I64, AT(max_samples), 6, 100000},
    {"max_time_s", FIELD_F64, AT(max_time_s), 0.001, 86400},
    {"timeout_s", FIELD_F64, AT(timeout_s), 0.01, 86400},
};

static const struct field verify_fields[] = {
    {"rows", FIELD_I64, AT(verify_rows), 1, 65536},
};

static enum rp_status read_cache(const struct rp_node *node, const char *key, bool *cold)
{
    static const char *const words[] = {"cold", "warm"};
    size_t index = 0;
    RP_TRY(rp_value_word(node, key, words, RP_COUNT(words), &index));
    *cold = index == 0;
    return RP_OK;
}

static enum rp_status read_fields(const struct rp_node *map, const char *name, const char *what,
                                  const struct field *fields, size_t n,
                                  struct rp_protocol *protocol)
{
    enum { FIELDS_MAX = 16 };
    const char *keys[FIELDS_MAX];
    for (size_t i = 0; i < n; ++i)
        keys[i] = fields[i].key;
    RP_TRY(rp_value_check_map(map, name, what, keys, n));
    for (size_t i = 0; i < n; ++i) {
        const struct field *field = &fields[i];
        const struct rp_node *node = rp_node_find(map, field->key);
        void *target = (char *)protocol + field->offset;
        const struct rp_value_range range = {(int64_t)field->min, (int64_t)field->max, false};
        if (!node)
            continue;
        if (field->kind == FIELD_CACHE)
            RP_TRY(read_cache(node, field->key, target));
        else if (field->kind == FIELD_I64)
            RP_TRY(rp_value_i64(node, field->key, &range, target));
        else
            RP_TRY(rp_value_f64(node, field->key, field->min, field->max, target));
    }
    return RP_OK;
}

/* A default must not be bent to fit: the key that was said is the one refused. */
static enum rp_status check_samples(const struct rp_node *measure, const struct rp_protocol *p)
{
    if (p->min_samples <= p->max_samples)
        return RP_OK;
    const struct rp_node *min = rp_node_find(measure, "min_samples");
    if (min)
        return rp_node_fail(min, "min_samples",
                            "%" PRId64 " is above max_samples=%" PRId64 ": allowed 6..%" PRId64,
                            p->min_samples, p->max_samples, p->max_samples);
    return rp_node_fail(rp_node_find(measure, "max_samples"), "max_samples",
                        "%" PRId64 " is below min_samples=%" PRId64
                        ", its default: allowed %" PRId64 "..100000, or say min_samples",
                        p->max_samples, p->min_samples, p->min_samples);
}

enum rp_status rp_protocol_read(const struct rp_node *measure, const struct rp_node *verify,
                                struct rp_protocol *protocol)
{
    rp_protocol_init(protocol);
    if (measure) {
        RP_TRY(read_fields(measure, "measure", "measure", measure_fields, RP_COUNT(measure_fields),
                           protocol));
        RP_TRY(check_samples(measure, protocol));
    }
    if (verify)
        RP_TRY(read_fields(verify, "verify", "verify", verify_fields, RP_COUNT(verify_fields),
                           protocol));
    return RP_OK;
}
