/* placement.c - environment of the launchers, and the affinity mask. */
#include "runner/placement.h"

#include <inttypes.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"

bool rp_placement_has_launcher(void)
{
    static const char *const marks[] = {
        "OMPI_COMM_WORLD_SIZE", /* Open MPI's mpirun */
        "PMIX_RANK",            /* srun --mpi=pmix, prterun */
        "PMI_RANK",             /* MPICH's and Intel's launchers, srun --mpi=pmi2 */
        "PMI_FD",
    };
    for (size_t i = 0; i < RP_COUNT(marks); ++i) {
        if (getenv(marks[i]))
            return true;
    }
    return false;
}

enum rp_status rp_placement_check_world(int world_size)
{
    const char *text = getenv("SLURM_STEP_NUM_TASKS");
    if (!text)
        text = getenv("SLURM_NTASKS");
    int64_t tasks = 0;
    if (world_size != 1 || !text || !rp_parse_i64(text, false, &tasks) || tasks <= 1)
        return RP_OK;
    return RP_FAIL(
        RP_ERR_ENVIRONMENT,
        "Slurm has %" PRId64 " tasks here but MPI formed a world of 1, so each task would "
        "run everything by itself: start with srun --mpi=pmix (srun --mpi=list shows what "
        "there is) or with mpirun",
        tasks);
}

unsigned long rp_placement_share_key(void)
{
    cpu_set_t set;
    unsigned char bytes[sizeof set];
    unsigned long hash = 2166136261u; /* FNV-1a */
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return 0;
    memcpy(bytes, &set, sizeof set);
    for (size_t i = 0; i < sizeof bytes; ++i)
        hash = (hash ^ bytes[i]) * 16777619u & 0xFFFFFFFFu;
    return hash;
}
