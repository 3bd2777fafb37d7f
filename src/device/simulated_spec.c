/* simulated_spec.c - reads the words behind "simulated:". */
#include "device/simulated_spec.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/parse.h"
#include "base/text.h"

/* Copies what stands before the first of `ends` (or all) and returns what follows it, or null. */
static const char *take(const char *text, char end, char *word, size_t size)
{
    const char *stop = strchr(text, end);
    size_t n = stop ? (size_t)(stop - text) : strlen(text);
    snprintf(word, size, "%.*s", (int)(n < size ? n : size - 1), text);
    return stop ? stop + 1 : NULL;
}

static enum rp_status choose_type(const char *types, int index, struct rp_simulated_spec *spec)
{
    int n = 1;
    for (const char *p = types; *p; ++p)
        n += *p == '+';
    const char *rest = types;
    for (int i = 0; i <= index % n; ++i)
        rest = take(rest, '+', spec->gpu_type, sizeof spec->gpu_type);
    if (spec->gpu_type[0] == '\0')
        return RP_FAIL(RP_ERR_USAGE, "--device simulated:%s: a GPU type is missing", types);
    return RP_OK;
}

static enum rp_status refuse(const char *key, const char *value, const char *allowed)
{
    return RP_FAIL(RP_ERR_USAGE, "--device simulated: %s=%s: must be %s", key, value, allowed);
}

static enum rp_status set_real(const char *key, const char *value, double least, double *target)
{
    double parsed = 0;
    if (!rp_parse_f64(value, &parsed) || parsed < least || parsed > 1e6)
        return refuse(key, value,
                      least > 0 ? "a number in 0.000001..1000000" : "a number in 0..1000000");
    *target = parsed;
    return RP_OK;
}

static enum rp_status set_count(const char *key, const char *value, int64_t *target)
{
    int64_t parsed = 0;
    if (!rp_parse_i64(value, true, &parsed) || parsed < 1)
        return refuse(key, value, "a whole number, at least 1");
    *target = parsed;
    return RP_OK;
}

/* X@R */
static enum rp_status set_slow(const char *value, int index, struct rp_simulated_spec *spec)
{
    char factor[32];
    int64_t rank = 0;
    double slow_by = 1;
    const char *rank_text = take(value, '@', factor, sizeof factor);
    if (!rank_text || !rp_parse_i64(rank_text, false, &rank) || rank < 0)
        return refuse("slow", value, "FACTOR@RANK, for instance 10@1");
    RP_TRY(set_real("slow", factor, 1e-6, &slow_by));
    if (rank == index)
        spec->slow_by = slow_by;
    return RP_OK;
}

static enum rp_status set_key(const char *key, const char *value, int index,
                              struct rp_simulated_spec *spec)
{
    static const char *const keys[] = {"scale", "wrong", "slow",  "memory", "early",
                                       "fail",  "hang",  "crash", "lost"};
    const struct {
        const char *key;
        int64_t *target;
    } counts[] = {
        {"memory", &spec->memory_bytes}, {"early", &spec->early_bytes}, {"fail", &spec->fail_at},
        {"hang", &spec->hang_at},        {"crash", &spec->crash_at},    {"lost", &spec->lost_at},
    };
    if (strcmp(key, "scale") == 0)
        return set_real(key, value, 0, &spec->scale);
    if (strcmp(key, "wrong") == 0)
        return set_real(key, value, 1e-6, &spec->wrong_by);
    if (strcmp(key, "slow") == 0)
        return set_slow(value, index, spec);
    for (size_t i = 0; i < RP_COUNT(counts); ++i) {
        if (strcmp(key, counts[i].key) == 0)
            return set_count(key, value, counts[i].target);
    }
    const char *near = rp_text_nearest(key, keys, RP_COUNT(keys));
    return RP_FAIL(RP_ERR_USAGE, "--device simulated: there is no key '%s'%s%s%s", key,
                   near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

enum rp_status rp_simulated_spec_parse(const char *text, int index, struct rp_simulated_spec *spec)
{
    char types[256];
    *spec = (struct rp_simulated_spec){.wrong_by = 1, .slow_by = 1};
    const char *rest = take(text, ':', types, sizeof types);
    RP_TRY(choose_type(types, index, spec));
    while (rest && *rest) {
        char pair[96];
        char key[32];
        rest = take(rest, ',', pair, sizeof pair);
        const char *value = take(pair, '=', key, sizeof key);
        if (!value)
            return RP_FAIL(RP_ERR_USAGE, "--device simulated: '%s' is no KEY=VALUE", pair);
        RP_TRY(set_key(key, value, index, spec));
    }
    return RP_OK;
}
