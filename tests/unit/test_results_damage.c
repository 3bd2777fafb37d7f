/*
 * test_results_damage.c - a damaged result file is refused or reads as it was; never otherwise.
 *
 * Once with the seal at its end, which keeps damage away from libhdf5: nothing may crash. Once
 * without, where only the digest inside protects: libhdf5 itself may crash or loop on a damaged
 * file, which is counted and printed; a wrong table fails. Every trial reads in a child.
 * RP_DAMAGE_TRIALS sets how many.
 */
#include "check.h"

#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/parse.h"
#include "base/rng.h"
#include "model/column.h"
#include "store/results_hdf5.h"
#include "store/seal.h"

enum outcome { REFUSED, UNCHANGED, WRONG, BAD_MESSAGE, CRASHED, HUNG, OUTCOMES };
enum { LIMIT_CPU_S = 2, LIMIT_S = 60, EXIT_CODE = 40 }; /* a sanitizer ends with 1 */

static char folder[] = "/tmp/ridgepoint-damage.XXXXXX";
static char path[64];
static unsigned char *good;
static size_t size;
static char digest[RP_DIGEST_HEX_SIZE];

static void make_study(struct rp_study *study)
{
    struct rp_result result;
    struct rp_device_row device;
    struct rp_run run;
    rp_study_init(study);
    study->complete = true;
    study->rows_planned = 60;
    for (int64_t i = 0; i < 60; ++i) {
        rp_row_init(RP_TABLE_RESULTS, &result);
        RP_WORD_SET(result.point, "0123456789abcdef");
        RP_WORD_SET(result.status, i % 7 ? "ok" : "oom");
        result.run = 0;
        result.heads = 32 + i;
        result.time_median_s = 1e-3 * (double)i;
        CHECK_OK(rp_study_append(study, RP_TABLE_RESULTS, &result), "result");
    }
    for (int64_t i = 0; i < 3000; ++i) {
        struct rp_sample sample = {.time_s = 1.0 / (double)(i + 1), .launches = 1, .round = i};
        CHECK_OK(rp_study_append(study, RP_TABLE_SAMPLES, &sample), "sample");
    }
    rp_row_init(RP_TABLE_DEVICES, &device);
    RP_WORD_SET(device.name, "a device");
    CHECK_OK(rp_study_append(study, RP_TABLE_DEVICES, &device), "device");
    rp_row_init(RP_TABLE_RUNS, &run);
    run.job_text = strdup("name: damage\nsweep:\n  - stage: prefill\n");
    CHECK_OK(rp_study_append(study, RP_TABLE_RUNS, &run), "run");
    rp_row_clear(RP_TABLE_RUNS, &run);
}

static int set_up(void **state)
{
    (void)state;
    struct rp_study study;
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/f.h5", folder);
    make_study(&study);
    if (rp_results_write(path, &study) != RP_OK || rp_results_digest(&study, digest) != RP_OK)
        return -1;
    rp_study_clear(&study);
    FILE *f = fopen(path, "rb");
    fseek(f, 0, SEEK_END);
    size = (size_t)ftell(f);
    rewind(f);
    good = malloc(size);
    size_t n = fread(good, 1, size, f);
    fclose(f);
    return n == size ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    free(good);
    unlink(path);
    return rmdir(folder);
}

static void save(const unsigned char *bytes, size_t n)
{
    FILE *f = fopen(path, "wb");
    size_t written = fwrite(bytes, 1, n, f);
    fclose(f);
    CHECK_EQ_I64((int64_t)written, (int64_t)n, "the damaged file");
}

/* In a child: what comes of reading the file. */
static enum outcome read_here(void)
{
    struct rp_study study;
    char found[RP_DIGEST_HEX_SIZE];
    enum rp_status status = rp_results_read(path, &study);
    if (status != RP_OK)
        return status == RP_ERR_DAMAGED && strstr(rp_status_message(), path) ? REFUSED
                                                                             : BAD_MESSAGE;
    bool same = rp_results_digest(&study, found) == RP_OK && strcmp(found, digest) == 0;
    rp_study_clear(&study);
    return same ? UNCHANGED : WRONG;
}

static enum outcome read_in_child(void)
{
    pid_t child = fork();
    if (child == 0) {
        static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
        for (size_t i = 0; i < RP_COUNT(signals); ++i)
            signal(signals[i], SIG_DFL); /* cmocka's would go on in the parent's test */
        const struct rlimit cpu = {LIMIT_CPU_S, LIMIT_CPU_S};
        setrlimit(RLIMIT_CPU, &cpu); /* a busy machine must not look like a loop */
        alarm(LIMIT_S);
        if (!freopen("/dev/null", "w", stderr)) /* what a crash prints says nothing new */
            _exit(EXIT_CODE + BAD_MESSAGE);
        _exit(EXIT_CODE + (int)read_here());
    }
    int status = 0;
    waitpid(child, &status, 0);
    int code = WIFEXITED(status) ? WEXITSTATUS(status) - EXIT_CODE : CRASHED;
    if (code >= 0 && code < CRASHED)
        return (enum outcome)code;
    int killer = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    return killer == SIGALRM || killer == SIGKILL || killer == SIGXCPU ? HUNG : CRASHED;
}

enum damage { FLIP, CUT, ZERO, DAMAGES };

/* The n-th damage of its kind; says in `what` how to do it again. */
static void apply(enum damage damage, uint64_t n, char what[80])
{
    unsigned char *bytes = malloc(size);
    size_t place = (size_t)rp_rng_below(1, damage, 2 * n, size);
    size_t length = size;
    memcpy(bytes, good, size);
    switch (damage) {
    case FLIP: {
        unsigned bit = (unsigned)rp_rng_below(1, damage, 2 * n + 1, 8);
        bytes[place] = (unsigned char)(bytes[place] ^ 1u << bit);
        snprintf(what, 80, "bit %u of byte %zu flipped", bit, place);
        break;
    }
    case CUT:
        length = place;
        snprintf(what, 80, "cut to %zu of %zu bytes", place, size);
        break;
    default: {
        size_t range = 1 + (size_t)rp_rng_below(1, damage, 2 * n + 1, 4096);
        range = range < size - place ? range : size - place;
        memset(bytes + place, 0, range);
        snprintf(what, 80, "%zu bytes from %zu zeroed", range, place);
        break;
    }
    }
    save(bytes, length);
    free(bytes);
}

static uint64_t trials(void)
{
    const char *text = getenv("RP_DAMAGE_TRIALS");
    int64_t n = 200;
    if (text)
        CHECK_TRUE(rp_parse_i64(text, false, &n) && n > 0, text);
    return (uint64_t)n;
}

static void try_damages(bool may_crash)
{
    uint64_t counts[OUTCOMES] = {0};
    const uint64_t n = trials();
    for (uint64_t i = 0; i < n; ++i) {
        char what[80];
        /* Flipped bits are the subtle ones: four of six. */
        enum damage damage = i % 6 == 4 ? CUT : i % 6 == 5 ? ZERO : FLIP;
        apply(damage, i, what);
        enum outcome outcome = read_in_child();
        ++counts[outcome];
        CHECK_TRUE(outcome != WRONG, what);
        CHECK_TRUE(outcome != BAD_MESSAGE, what);
        CHECK_TRUE(may_crash || (outcome != CRASHED && outcome != HUNG), what);
        CHECK_TRUE(damage != CUT || outcome == REFUSED || may_crash, what);
    }
    print_message("%llu damages of a file of %zu bytes: %llu refused, %llu without effect, "
                  "%llu crashed libhdf5, %llu sent it into a loop\n",
                  (unsigned long long)n, size, (unsigned long long)counts[REFUSED],
                  (unsigned long long)counts[UNCHANGED], (unsigned long long)counts[CRASHED],
                  (unsigned long long)counts[HUNG]);
    CHECK_TRUE(counts[REFUSED] > n / 4, "damage is noticed at all");
}

static void test_sealed(void **state)
{
    (void)state;
    try_damages(false);
}

static void test_unsealed(void **state)
{
    (void)state;
    size -= RP_SEAL_LENGTH;
    try_damages(true);
    size += RP_SEAL_LENGTH;
}

/* The trials mean something only if the whole file reads, and a changed table would be seen. */
static void test_the_judge(void **state)
{
    (void)state;
    save(good, size);
    CHECK_EQ_I64(read_in_child(), UNCHANGED, "the whole file");
    char kept = digest[0];
    digest[0] = digest[0] == '0' ? '1' : '0';
    CHECK_EQ_I64(read_in_child(), WRONG, "another table");
    digest[0] = kept;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_judge),
        cmocka_unit_test(test_sealed),
        cmocka_unit_test(test_unsealed),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
