/*
 * job.c - a job from text: parse the tree, lay --set over it, then read name, seed, protocol and
 * sweep from what results. The parts are document.h, override.h, protocol_block.h and sweep.h.
 */
#include "plan/job.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "plan/document.h"
#include "plan/job_hash.h"
#include "plan/override.h"
#include "plan/protocol_block.h"
#include "plan/sweep.h"
#include "plan/value.h"

static const char *const top_keys[] = {"name", "seed", "measure", "verify", "sweep"};

static enum rp_status require(const struct rp_node *root, const char *key,
                              const struct rp_node **node)
{
    *node = rp_node_find(root, key);
    if (!*node)
        return rp_node_fail(root, key, "missing: a job must say it");
    return RP_OK;
}

static enum rp_status read_name(const struct rp_node *root, char name[RP_JOB_NAME_SIZE])
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "0123456789._-";
    char quoted[RP_QUOTE_SIZE];
    const struct rp_node *node = NULL;
    RP_TRY(require(root, "name", &node));
    size_t length = node->kind == RP_NODE_SCALAR ? strlen(node->text) : 0;
    if (length == 0 || length >= RP_JOB_NAME_SIZE || node->text[0] == '.' ||
        strspn(node->text, letters) != length)
        return rp_node_fail(node, "name",
                            "%s is no job name: allowed 1..%d of letters, digits, '.', '_' and "
                            "'-', not beginning with '.'",
                            rp_node_quote(node, quoted), RP_JOB_NAME_SIZE - 1);
    memcpy(name, node->text, length + 1);
    return RP_OK;
}

static enum rp_status read_tree(const struct rp_node *root, const char *data_folder,
                                struct rp_job *job)
{
    const struct rp_value_range seeds = {0, INT64_MAX, false};
    const struct rp_node *sweep = NULL;
    RP_TRY(rp_value_check_map(root, NULL, "a job", top_keys, RP_COUNT(top_keys)));
    RP_TRY(read_name(root, job->name));
    const struct rp_node *seed = rp_node_find(root, "seed");
    if (seed)
        RP_TRY(rp_value_i64(seed, "seed", &seeds, &job->seed));
    RP_TRY(rp_protocol_read(rp_node_find(root, "measure"), rp_node_find(root, "verify"),
                            &job->protocol));
    RP_TRY(require(root, "sweep", &sweep));
    RP_TRY(rp_sweep_read(sweep, data_folder, job));
    return rp_job_hash(job);
}

/* What a job is made from; the labels outlive the tree, whose places point to them. */
struct origin {
    const char *name;
    bool positions;
    const char *const *sets;
    size_t n_sets;
    const char *data_folder;
    char **labels; /* heap: "--set seed=1" for each set */
};

static enum rp_status make_labels(struct origin *origin)
{
    origin->labels = calloc(origin->n_sets + 1, sizeof origin->labels[0]);
    if (!origin->labels)
        return RP_FAIL(RP_ERR_INTERNAL, "no memory for %zu --set arguments", origin->n_sets);
    for (size_t i = 0; i < origin->n_sets; ++i) {
        struct rp_text label;
        rp_text_init(&label);
        rp_text_printf(&label, "--set %s", origin->sets[i]);
        if (!rp_text_ok(&label)) {
            rp_text_clear(&label);
            return RP_FAIL(RP_ERR_INTERNAL, "no memory for %zu --set arguments", origin->n_sets);
        }
        origin->labels[i] = label.data;
    }
    return RP_OK;
}

static enum rp_status parse_and_read(struct origin *origin, size_t length, struct rp_job *job)
{
    struct rp_node *root = NULL;
    enum rp_status status = make_labels(origin);
    if (status != RP_OK)
        goto cleanup;
    status = rp_document_parse(origin->name, job->text, length, origin->positions, &root);
    for (size_t i = 0; status == RP_OK && i < origin->n_sets; ++i)
        status = rp_override_apply(root, origin->labels[i], origin->sets[i]);
    if (status == RP_OK)
        status = read_tree(root, origin->data_folder, job);

cleanup:
    rp_node_destroy(root);
    for (size_t i = 0; origin->labels && i < origin->n_sets; ++i)
        free(origin->labels[i]);
    free(origin->labels);
    if (status != RP_OK)
        rp_job_clear(job);
    return status;
}

enum rp_status rp_job_read(const char *path, const char *const *sets, size_t n_sets,
                           const char *data_folder, struct rp_job *job)
{
    struct origin origin = {.name = strcmp(path, "-") == 0 ? "standard input" : path,
                            .positions = true,
                            .sets = sets,
                            .n_sets = n_sets,
                            .data_folder = data_folder};
    size_t length = 0;
    *job = (struct rp_job){0};
    RP_TRY(rp_document_load(path, &job->text, &length));
    return parse_and_read(&origin, length, job);
}

enum rp_status rp_job_parse(const char *name, const char *text, size_t length,
                            const char *const *sets, size_t n_sets, const char *data_folder,
                            struct rp_job *job)
{
    struct origin origin = {.name = name,
                            .positions = true,
                            .sets = sets,
                            .n_sets = n_sets,
                            .data_folder = data_folder};
    *job = (struct rp_job){0};
    job->text = malloc(length + 1);
    if (!job->text)
        return RP_FAIL(RP_ERR_INTERNAL, "no memory for the %zu bytes of %s", length, name);
    memcpy(job->text, text, length);
    job->text[length] = '\0';
    return parse_and_read(&origin, length, job);
}

/* "impl=naive,fused" becomes "    impl: [naive, fused]", a line of the block. */
static enum rp_status add_word(const char *word, size_t n, bool first, struct rp_text *yaml)
{
    const char *equals = memchr(word, '=', n);
    const char *lead = first ? "  - " : "    ";
    if (!equals && !first)
        return RP_FAIL(RP_ERR_CONFIG, "--point: \"%.*s\" must be key=value", (int)(n < 64 ? n : 64),
                       word);
    if (!equals) {
        rp_text_printf(yaml, "%sstage: %.*s\n", lead, (int)n, word);
        return RP_OK;
    }
    const char *value = equals + 1;
    size_t n_value = n - (size_t)(value - word);
    bool list = memchr(value, ',', n_value) != NULL && value[0] != '[';
    rp_text_printf(yaml, "%s%.*s: %s%.*s%s\n", lead, (int)(equals - word), word, list ? "[" : "",
                   (int)n_value, value, list ? "]" : "");
    return RP_OK;
}

/* The text of a job that asks for this one point: what would be in a file, so that the result
 * file holds something to run again. */
static enum rp_status compose_job(const char *point, struct rp_text *yaml)
{
    static const char blanks[] = " \t\n";
    const char *p = point + strspn(point, blanks);
    if (!*p)
        return RP_FAIL(RP_ERR_CONFIG,
                       "--point: is empty; for instance \"prefill heads=32 head_dim=128 seq=1k\"");
    if (strlen(p) > 4096)
        return RP_FAIL(RP_ERR_CONFIG, "--point: longer than 4096 characters");
    rp_text_printf(yaml, "name: point\nsweep:\n");
    for (bool first = true; *p; first = false) {
        size_t n = strcspn(p, blanks);
        RP_TRY(add_word(p, n, first, yaml));
        p += n + strspn(p + n, blanks);
    }
    if (!rp_text_ok(yaml))
        return RP_FAIL(RP_ERR_INTERNAL, "no memory for --point");
    return RP_OK;
}

enum rp_status rp_job_from_point(const char *point, const char *const *sets, size_t n_sets,
                                 const char *data_folder, struct rp_job *job)
{
    struct origin origin = {.name = "--point",
                            .positions = false,
                            .sets = sets,
                            .n_sets = n_sets,
                            .data_folder = data_folder};
    struct rp_text yaml;
    *job = (struct rp_job){0};
    rp_text_init(&yaml);
    enum rp_status status = compose_job(point, &yaml);
    if (status != RP_OK) {
        rp_text_clear(&yaml);
        return status;
    }
    job->text = yaml.data;
    RP_TRY(parse_and_read(&origin, yaml.length, job));
    if (job->n_points == 1)
        return RP_OK;
    status = RP_FAIL(RP_ERR_CONFIG, "--point: asks for %zu points: allowed 1", job->n_points);
    rp_job_clear(job);
    return status;
}

void rp_job_clear(struct rp_job *job)
{
    free(job->points);
    free(job->labels);
    free(job->text);
    *job = (struct rp_job){0};
}

int64_t rp_job_rows(const struct rp_job *job)
{
    int64_t rows = 0;
    for (size_t i = 0; i < job->n_points; ++i)
        rows += __builtin_popcount(job->points[i].impls);
    return rows;
}
