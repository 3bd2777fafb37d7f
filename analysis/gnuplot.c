/* gnuplot.c - spawned without a shell, so that no name needs quoting. */
#include "analysis/gnuplot.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char log_name[] = "gnuplot.log"; /* in the folder, until all went well */

static enum rp_status wait_for(pid_t pid, const char *folder)
{
    int state = 0;
    while (waitpid(pid, &state, 0) < 0) {
        if (errno != EINTR)
            return RP_FAIL(RP_ERR_ENVIRONMENT, "gnuplot: %s", strerror(errno));
    }
    if (WIFEXITED(state) && WEXITSTATUS(state) == 0)
        return RP_OK;
    return RP_FAIL(RP_ERR_ENVIRONMENT,
                   "gnuplot failed (%s %d; version 5.4 or newer is needed): see %s/%s",
                   WIFEXITED(state) ? "exit code" : "signal",
                   WIFEXITED(state) ? WEXITSTATUS(state) : WTERMSIG(state), folder, log_name);
}

/* `arguments` end with a null. What gnuplot writes goes into `output`, relative to the folder. */
static enum rp_status spawn(const char *folder, const char *const *arguments, const char *output)
{
    posix_spawn_file_actions_t actions;
    pid_t pid = 0;
    int error = posix_spawn_file_actions_init(&actions);
    if (error)
        return RP_FAIL(RP_ERR_ENVIRONMENT, "gnuplot cannot be started: %s", strerror(error));
    error = posix_spawn_file_actions_addchdir_np(&actions, folder);
    if (!error)
        error = posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, output,
                                                 O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (!error)
        error = posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
    if (!error)
        error = posix_spawnp(&pid, "gnuplot", &actions, NULL, (char *const *)arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error == ENOENT)
        return RP_FAIL(RP_ERR_ENVIRONMENT,
                       "gnuplot, which draws the figures, is not in PATH: install it (Debian and "
                       "Ubuntu: gnuplot-nox) or load its module");
    if (error)
        return RP_FAIL(RP_ERR_ENVIRONMENT, "gnuplot cannot be started: %s", strerror(error));
    return wait_for(pid, folder);
}

enum rp_status rp_gnuplot_find(void)
{
    const char *const arguments[] = {"gnuplot", "--version", NULL};
    return spawn(".", arguments, "/dev/null");
}

/* The log holds warnings at most, which no reader can use. */
static enum rp_status remove_log(const char *folder)
{
    char *path = NULL;
    if (asprintf(&path, "%s/%s", folder, log_name) < 0)
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory for a path");
    unlink(path);
    free(path);
    return RP_OK;
}

enum rp_status rp_gnuplot_run(const char *folder, const char *const *scripts, size_t n)
{
    const char **arguments = calloc(n + 3, sizeof *arguments);
    if (!arguments)
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory to start gnuplot");
    arguments[0] = "gnuplot";
    arguments[1] = "-d"; /* no start-up files of the user */
    for (size_t i = 0; i < n; ++i)
        arguments[i + 2] = scripts[i];
    enum rp_status status = n ? spawn(folder, arguments, log_name) : RP_OK;
    free(arguments);
    return status == RP_OK ? remove_log(folder) : status;
}
