/*
 * host_watch.h - what the kernel tells of the computing threads and their cores: time they waited
 * for a core, time the hypervisor took, time a quota held them back, energy.
 *
 * Every figure is a sum since some start; NaN where the kernel does not tell.
 */
#ifndef RP_DEVICE_HOST_WATCH_H
#define RP_DEVICE_HOST_WATCH_H

#include "base/status.h"
#include "device/host_cpu.h"

struct rp_host_watch;

/* For `threads` computing threads on these cores; `cpu` must outlive it. */
enum rp_status rp_host_watch_create(const struct rp_host_cpu *cpu, int threads,
                                    struct rp_host_watch **watch) RP_MUST_CHECK;
void rp_host_watch_destroy(struct rp_host_watch *watch);

/* To be called once by each of the threads, `index` from 0. */
void rp_host_watch_add_thread(struct rp_host_watch *watch, int index);

/* Marks the start of a sample for rp_host_watch_lost_s. */
void rp_host_watch_begin(struct rp_host_watch *watch);

/* Since then, of the thread that lost most: time it was ready to run and had no core. */
double rp_host_watch_lost_s(const struct rp_host_watch *watch);

/* Time the hypervisor ran something else on these cores, the mean over them, in ticks of usually 10
 * ms. */
double rp_host_watch_stolen_s(const struct rp_host_watch *watch);

/* Time the CPU quota of the control group held threads back. */
double rp_host_watch_throttled_s(const struct rp_host_watch *watch);

/* Of the package of the first core (RAPL); wraps are undone. */
double rp_host_watch_energy_j(struct rp_host_watch *watch);

#endif
