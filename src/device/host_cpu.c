/*
 * host_cpu.c - topology and binding through hwloc.
 *
 * One thread a core: of a core's hardware threads only the first that the cpuset allows is used,
 * since two of them share one set of arithmetic units.
 */
#include "device/host_cpu.h"

#include <ctype.h>
#include <hwloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct rp_host_cpu {
    hwloc_topology_t topology;
    hwloc_bitmap_t *cores; /* n_cores sets of one processing unit each: this rank's share */
    int n_cores;
    bool shared;
};

static enum rp_status collect_cores(struct rp_host_cpu *cpu, hwloc_const_bitmap_t allowed)
{
    /* Some virtual machines show no cores: then every processing unit is one. */
    hwloc_obj_type_t type = HWLOC_OBJ_CORE;
    if (hwloc_get_nbobjs_by_type(cpu->topology, type) <= 0)
        type = HWLOC_OBJ_PU;
    int n = hwloc_get_nbobjs_by_type(cpu->topology, type);
    cpu->cores = calloc((size_t)(n > 0 ? n : 1), sizeof cpu->cores[0]);
    if (!cpu->cores)
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory for the list of cores");
    for (int i = 0; i < n; ++i) {
        hwloc_obj_t core = hwloc_get_obj_by_type(cpu->topology, type, (unsigned)i);
        hwloc_bitmap_t set = hwloc_bitmap_alloc();
        if (!core || !set)
            return RP_FAIL(RP_ERR_INTERNAL, "hwloc could not describe core %d", i);
        hwloc_bitmap_and(set, core->cpuset, allowed);
        hwloc_bitmap_singlify(set);
        if (hwloc_bitmap_iszero(set))
            hwloc_bitmap_free(set);
        else
            cpu->cores[cpu->n_cores++] = set;
    }
    if (cpu->n_cores == 0)
        return RP_FAIL(RP_ERR_ENVIRONMENT, "this process is bound to no core that hwloc knows");
    return RP_OK;
}

/* Keeps cores first .. last - 1 of the list. */
static void keep_share(struct rp_host_cpu *cpu, int first, int last)
{
    int kept = 0;
    for (int i = 0; i < cpu->n_cores; ++i) {
        if (i >= first && i < last)
            cpu->cores[kept++] = cpu->cores[i];
        else
            hwloc_bitmap_free(cpu->cores[i]);
    }
    cpu->n_cores = kept;
}

enum rp_status rp_host_cpu_create(int local_rank, int local_size, struct rp_host_cpu **cpu)
{
    *cpu = NULL;
    enum rp_status status = RP_OK;
    hwloc_bitmap_t allowed = hwloc_bitmap_alloc();
    struct rp_host_cpu *made = calloc(1, sizeof *made);
    if (!made || !allowed) {
        status = RP_FAIL(RP_ERR_INTERNAL, "no host memory for the processor's topology");
        goto cleanup;
    }
    if (hwloc_topology_init(&made->topology) != 0 || hwloc_topology_load(made->topology) != 0) {
        status = RP_FAIL(RP_ERR_ENVIRONMENT, "hwloc cannot read this machine's topology");
        goto cleanup;
    }
    if (hwloc_get_cpubind(made->topology, allowed, HWLOC_CPUBIND_PROCESS) != 0 ||
        hwloc_bitmap_iszero(allowed))
        hwloc_bitmap_copy(allowed, hwloc_topology_get_allowed_cpuset(made->topology));
    status = collect_cores(made, allowed);
    if (status != RP_OK)
        goto cleanup;
    if (local_size > made->n_cores) {
        made->shared = true;
        int core = local_rank % made->n_cores;
        keep_share(made, core, core + 1);
    } else if (local_size > 1) {
        int n = made->n_cores;
        keep_share(made, local_rank * n / local_size, (local_rank + 1) * n / local_size);
    }
    *cpu = made;
    made = NULL;

cleanup:
    rp_host_cpu_destroy(made);
    hwloc_bitmap_free(allowed);
    return status;
}

void rp_host_cpu_destroy(struct rp_host_cpu *cpu)
{
    if (!cpu)
        return;
    for (int i = 0; i < cpu->n_cores; ++i)
        hwloc_bitmap_free(cpu->cores[i]);
    free(cpu->cores);
    if (cpu->topology)
        hwloc_topology_destroy(cpu->topology);
    free(cpu);
}

int rp_host_cpu_cores(const struct rp_host_cpu *cpu)
{
    return cpu->n_cores;
}

bool rp_host_cpu_shared(const struct rp_host_cpu *cpu)
{
    return cpu->shared;
}

enum rp_status rp_host_cpu_bind(const struct rp_host_cpu *cpu, int index)
{
    hwloc_const_bitmap_t core = cpu->cores[index % cpu->n_cores];
    if (hwloc_set_cpubind(cpu->topology, core, HWLOC_CPUBIND_THREAD) != 0)
        return RP_FAIL(RP_ERR_ENVIRONMENT, "thread %d cannot be bound to its core", index);
    return RP_OK;
}

bool rp_host_cpu_contains(const struct rp_host_cpu *cpu, unsigned os_index)
{
    for (int i = 0; i < cpu->n_cores; ++i) {
        if (hwloc_bitmap_isset(cpu->cores[i], os_index))
            return true;
    }
    return false;
}

int rp_host_cpu_memory_domain(const struct rp_host_cpu *cpu)
{
    /* NUMA nodes are not on the path from a core to the root; their sets say whom they serve. The
     * first node that serves the cache is the same number for all that share the cache. */
    hwloc_obj_t cache = NULL;
    hwloc_obj_t obj = hwloc_get_obj_covering_cpuset(cpu->topology, cpu->cores[0]);
    for (; obj; obj = obj->parent) {
        if (hwloc_obj_type_is_dcache(obj->type))
            cache = obj;
    }
    hwloc_const_bitmap_t shared = cache ? cache->cpuset : cpu->cores[0];
    hwloc_obj_t node = NULL;
    while ((node = hwloc_get_next_obj_by_type(cpu->topology, HWLOC_OBJ_NUMANODE, node))) {
        if (hwloc_bitmap_intersects(node->cpuset, shared))
            return (int)node->os_index;
    }
    return 0;
}

int rp_host_cpu_package(const struct rp_host_cpu *cpu)
{
    hwloc_obj_t obj = hwloc_get_obj_covering_cpuset(cpu->topology, cpu->cores[0]);
    while (obj && obj->type != HWLOC_OBJ_PACKAGE)
        obj = obj->parent;
    return obj ? (int)obj->os_index : 0;
}

void rp_host_cpu_list(const struct rp_host_cpu *cpu, char *text, size_t size)
{
    snprintf(text, size, "none");
    hwloc_bitmap_t all = hwloc_bitmap_alloc();
    if (!all)
        return;
    for (int i = 0; i < cpu->n_cores; ++i)
        hwloc_bitmap_or(all, all, cpu->cores[i]);
    hwloc_bitmap_list_snprintf(text, size, all);
    hwloc_bitmap_free(all);
}

void rp_host_cpu_model(const struct rp_host_cpu *cpu, char *text, size_t size)
{
    hwloc_obj_t package = hwloc_get_obj_by_type(cpu->topology, HWLOC_OBJ_PACKAGE, 0);
    const char *model = package ? hwloc_obj_get_info_by_name(package, "CPUModel") : NULL;
    if (!model)
        model = hwloc_obj_get_info_by_name(hwloc_get_root_obj(cpu->topology), "CPUModel");
    snprintf(text, size, "%s", model ? model : "unknown");
}

void rp_host_cpu_slug(const char *model, char *text, size_t size)
{
    static const char *const empty_words[] = {"r", "tm", "cpu", "processor", "core"};
    char word[64];
    size_t used = (size_t)snprintf(text, size, "cpu");
    for (const char *p = model; *p && *p != '@';) {
        size_t n = 0;
        for (; isalnum((unsigned char)*p); ++p) {
            if (n + 1 < sizeof word)
                word[n++] = (char)tolower((unsigned char)*p);
        }
        word[n] = '\0';
        bool empty = n == 0;
        for (size_t i = 0; i < RP_COUNT(empty_words); ++i)
            empty = empty || strcmp(word, empty_words[i]) == 0;
        if (!empty && used + n + 1 < size)
            used += (size_t)snprintf(text + used, size - used, "-%s", word);
        while (*p && *p != '@' && !isalnum((unsigned char)*p))
            ++p;
    }
    if (used == 3)
        snprintf(text, size, "cpu-unknown");
}

int64_t rp_host_cpu_last_level_cache_bytes(const struct rp_host_cpu *cpu)
{
    int64_t bytes = 0;
    hwloc_obj_t counted = NULL; /* cores of one cache are neighbours in hwloc's order */
    for (int i = 0; i < cpu->n_cores; ++i) {
        hwloc_obj_t last = NULL;
        hwloc_obj_t obj = hwloc_get_obj_covering_cpuset(cpu->topology, cpu->cores[i]);
        for (; obj; obj = obj->parent) {
            if (hwloc_obj_type_is_dcache(obj->type))
                last = obj; /* the last one met is the outermost */
        }
        if (last && last != counted)
            bytes += (int64_t)last->attr->cache.size;
        counted = last;
    }
    return bytes > 0 ? bytes : -1;
}

static double read_khz(const struct rp_host_cpu *cpu, const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cpufreq/%s",
             hwloc_bitmap_first(cpu->cores[0]), name);
    FILE *file = fopen(path, "re");
    if (!file)
        return NAN;
    long long khz = -1;
    int found = fscanf(file, "%lld", &khz);
    fclose(file);
    return found == 1 && khz > 0 ? 1e3 * (double)khz : (double)NAN;
}

double rp_host_cpu_clock_max_hz(const struct rp_host_cpu *cpu)
{
    return read_khz(cpu, "cpuinfo_max_freq");
}

double rp_host_cpu_clock_hz(const struct rp_host_cpu *cpu)
{
    return read_khz(cpu, "scaling_cur_freq");
}
