/*
 * host_cpu.h - the cores this rank was given, what they are called, and binding threads to them.
 *
 * The only includer of hwloc. A cpuset (taskset, mpirun, Slurm) is respected; ranks of a node that
 * were given the same cores split them without overlap.
 */
#ifndef RP_DEVICE_HOST_CPU_H
#define RP_DEVICE_HOST_CPU_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

struct rp_host_cpu;

/* `local_rank` of `local_size` ranks that share this cpuset; more ranks than cores share a core. */
enum rp_status rp_host_cpu_create(int local_rank, int local_size,
                                  struct rp_host_cpu **cpu) RP_MUST_CHECK;
void rp_host_cpu_destroy(struct rp_host_cpu *cpu);

int rp_host_cpu_cores(const struct rp_host_cpu *cpu);   /* of this rank's share, at least 1 */
bool rp_host_cpu_shared(const struct rp_host_cpu *cpu); /* another rank has the same core */

/* Binds the calling thread to the core number `index` modulo the cores. */
enum rp_status rp_host_cpu_bind(const struct rp_host_cpu *cpu, int index) RP_MUST_CHECK;

/* Whether one of the cores has this operating-system number. */
bool rp_host_cpu_contains(const struct rp_host_cpu *cpu, unsigned os_index);

/* Number of the memory domain of the first core: its NUMA node, or its last-level cache where that
 * spans several nodes. Ranks of one domain share bandwidth. */
int rp_host_cpu_memory_domain(const struct rp_host_cpu *cpu);

/* Number of the package (socket) of the first core; 0 where the machine does not say. */
int rp_host_cpu_package(const struct rp_host_cpu *cpu);

/* Operating-system numbers of the cores, "0-1,4"; at most `size` bytes. */
void rp_host_cpu_list(const struct rp_host_cpu *cpu, char *text, size_t size);

/* "AMD EPYC 9654 96-Core Processor"; "unknown" where the machine does not say. */
void rp_host_cpu_model(const struct rp_host_cpu *cpu, char *text, size_t size);

/* "cpu-" and a slug of a model's name: lower case, words without meaning left out. */
void rp_host_cpu_slug(const char *model, char *text, size_t size);

/* Size of the last-level caches over the cores, each counted once; -1 unknown. */
int64_t rp_host_cpu_last_level_cache_bytes(const struct rp_host_cpu *cpu);

/* Frequencies the kernel tells of the first core; NaN unknown. */
double rp_host_cpu_clock_max_hz(const struct rp_host_cpu *cpu);
double rp_host_cpu_clock_hz(const struct rp_host_cpu *cpu);

#endif
