/* job_argument.c - the job of `ridgepoint run` and `ridgepoint plan`. */
#include "cli/job_argument.h"

#include <string.h>

#include "model/data_folder.h"

enum rp_status rp_job_argument_check(const struct rp_job_argument *argument)
{
    const char *only = argument->only;
    if (argument->operands->count == 0 && !argument->point)
        return RP_FAIL(RP_ERR_USAGE, "%s needs a job file, or --point; see ridgepoint %s --help",
                       argument->command, argument->command);
    if (argument->operands->count > 0 && argument->point)
        return RP_FAIL(RP_ERR_USAGE, "%s takes a job file or --point, not both", argument->command);
    if (only && (strlen(only) != RP_POINT_ID_SIZE - 1 ||
                 strspn(only, "0123456789abcdef") != RP_POINT_ID_SIZE - 1))
        return RP_FAIL(RP_ERR_USAGE, "--only %s: a point is 16 hex digits, as in /results/point",
                       only);
    return RP_OK;
}

enum rp_status rp_job_argument_read(const struct rp_job_argument *argument, struct rp_job *job)
{
    char data[RP_DATA_PATH_SIZE]; /* the folder that has models.yaml */
    const struct rp_option_list *sets = argument->sets;
    RP_TRY(rp_data_file_find(argument->data, "models.yaml", data, sizeof data));
    *strrchr(data, '/') = '\0';
    if (argument->point)
        return rp_job_from_point(argument->point, sets->items, sets->count, data, job);
    return rp_job_read(argument->operands->items[0], sets->items, sets->count, data, job);
}
