/*
 * host_watch.c - /proc/self/task/TID/schedstat, /proc/stat, cpu.stat and RAPL; files stay open.
 *
 * The run-queue wait of schedstat is wall time beyond CPU time without the time a thread chose to
 * sleep, so that a thread that waits for the others of its team is not called disturbed.
 */
#include "device/host_watch.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device/host_cgroup.h"

enum { STAT_BYTES = 1 << 16 }; /* the lines of 1,000 processors come first and fit */

struct thread_watch {
    int fd; /* -1: not known */
    double start_s;
};

struct rp_host_watch {
    const struct rp_host_cpu *cpu;
    struct thread_watch *threads;
    int n_threads;
    int stat_fd, quota_fd, energy_fd;
    char *stat_text; /* scratch of STAT_BYTES */
    double energy_range_j, energy_last_j, energy_sum_j;
};

static int open_file(const char *path)
{
    return open(path, O_RDONLY | O_CLOEXEC);
}

/* The whole file from its start, as a string; false when it cannot be read. */
static bool read_again(int fd, char *text, size_t size)
{
    ssize_t n = fd >= 0 ? pread(fd, text, size - 1, 0) : -1;
    if (n <= 0)
        return false;
    text[n] = '\0';
    return true;
}

static double read_double(int fd)
{
    char text[64];
    double value = 0;
    return read_again(fd, text, sizeof text) && sscanf(text, "%lf", &value) == 1 ? value : NAN;
}

static void open_energy(struct rp_host_watch *watch)
{
    char path[96];
    int package = rp_host_cpu_package(watch->cpu);
    snprintf(path, sizeof path, "/sys/class/powercap/intel-rapl:%d/max_energy_range_uj", package);
    int fd = open_file(path);
    watch->energy_range_j = 1e-6 * read_double(fd);
    if (fd >= 0)
        close(fd);
    snprintf(path, sizeof path, "/sys/class/powercap/intel-rapl:%d/energy_uj", package);
    watch->energy_fd = open_file(path);
    watch->energy_last_j = 1e-6 * read_double(watch->energy_fd);
}

enum rp_status rp_host_watch_create(const struct rp_host_cpu *cpu, int threads,
                                    struct rp_host_watch **made)
{
    char folder[900];
    char path[1000];
    *made = NULL;
    struct rp_host_watch *watch = calloc(1, sizeof *watch);
    if (!watch)
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory to watch the threads");
    watch->cpu = cpu;
    watch->stat_fd = open_file("/proc/stat");
    watch->quota_fd = -1;
    if (rp_host_cgroup_folder("cpu", folder, sizeof folder)) {
        snprintf(path, sizeof path, "%s/cpu.stat", folder);
        watch->quota_fd = open_file(path);
    }
    open_energy(watch);
    watch->stat_text = malloc(STAT_BYTES);
    watch->threads = calloc((size_t)threads, sizeof watch->threads[0]);
    if (!watch->stat_text || !watch->threads) {
        rp_host_watch_destroy(watch);
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory to watch %d threads", threads);
    }
    for (watch->n_threads = 0; watch->n_threads < threads; ++watch->n_threads)
        watch->threads[watch->n_threads].fd = -1;
    *made = watch;
    return RP_OK;
}

static void close_file(int fd)
{
    if (fd >= 0)
        close(fd);
}

void rp_host_watch_destroy(struct rp_host_watch *watch)
{
    if (!watch)
        return;
    for (int i = 0; i < watch->n_threads; ++i)
        close_file(watch->threads[i].fd);
    close_file(watch->stat_fd);
    close_file(watch->quota_fd);
    close_file(watch->energy_fd);
    free(watch->threads);
    free(watch->stat_text);
    free(watch);
}

void rp_host_watch_add_thread(struct rp_host_watch *watch, int index)
{
    if (index < watch->n_threads)
        watch->threads[index].fd = open_file("/proc/thread-self/schedstat");
}

/* Second number of the line: nanoseconds on a run queue. */
static double waited_s(const struct thread_watch *thread)
{
    char text[96];
    double ran_ns = 0;
    double waited_ns = 0;
    if (!read_again(thread->fd, text, sizeof text) ||
        sscanf(text, "%lf %lf", &ran_ns, &waited_ns) != 2)
        return NAN;
    return 1e-9 * waited_ns;
}

void rp_host_watch_begin(struct rp_host_watch *watch)
{
    for (int i = 0; i < watch->n_threads; ++i)
        watch->threads[i].start_s = waited_s(&watch->threads[i]);
}

double rp_host_watch_lost_s(const struct rp_host_watch *watch)
{
    double worst_s = NAN;
    for (int i = 0; i < watch->n_threads; ++i)
        worst_s = fmax(worst_s, waited_s(&watch->threads[i]) - watch->threads[i].start_s);
    return worst_s; /* fmax leaves out what is not known */
}

double rp_host_watch_stolen_s(const struct rp_host_watch *watch)
{
    if (!read_again(watch->stat_fd, watch->stat_text, STAT_BYTES))
        return NAN;
    double ticks = 0;
    for (const char *line = watch->stat_text; line; line = strchr(line, '\n')) {
        unsigned number = 0;
        double steal = 0; /* behind user, nice, system, idle, iowait, irq, softirq */
        line += *line == '\n';
        if (sscanf(line, "cpu%u %*f %*f %*f %*f %*f %*f %*f %lf", &number, &steal) == 2 &&
            rp_host_cpu_contains(watch->cpu, number))
            ticks += steal;
    }
    return ticks / (double)sysconf(_SC_CLK_TCK) / rp_host_cpu_cores(watch->cpu);
}

double rp_host_watch_throttled_s(const struct rp_host_watch *watch)
{
    char text[1024];
    if (!read_again(watch->quota_fd, text, sizeof text))
        return NAN;
    double value = 0;
    const char *v2 = strstr(text, "throttled_usec ");
    const char *v1 = strstr(text, "throttled_time ");
    if (v2 && sscanf(v2, "throttled_usec %lf", &value) == 1)
        return 1e-6 * value;
    if (v1 && sscanf(v1, "throttled_time %lf", &value) == 1)
        return 1e-9 * value;
    return NAN;
}

double rp_host_watch_energy_j(struct rp_host_watch *watch)
{
    double now_j = 1e-6 * read_double(watch->energy_fd);
    if (isnan(now_j))
        return NAN;
    double step_j = now_j - watch->energy_last_j;
    if (step_j < 0)
        step_j += watch->energy_range_j;
    watch->energy_last_j = now_j;
    watch->energy_sum_j += step_j;
    return watch->energy_sum_j;
}
