/* cli.c - which subcommand, and what is said when it is none. */
#include "cli/cli.h"

#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "base/text.h"
#include "runner/worker_main.h"
#include "store/provenance.h"

static const char short_help[] =
    "ridgepoint - is attention of this shape limited by arithmetic, by memory or by latency?\n"
    "\n"
    "usage: ridgepoint run JOB.yaml [-o FILE.h5]   measure every point of a job\n"
    "       ridgepoint plan JOB.yaml [--gpu LIST]  time, memory and class, without measuring\n"
    "       ridgepoint devices                     what this machine offers\n"
    "       ridgepoint COMMAND --help              options of a command, with an example\n"
    "       ridgepoint --version\n"
    "\n"
    "Under mpirun or srun every rank drives one device: mpirun -n 2 ridgepoint run "
    "jobs/notebook.yaml\n";

static int reject(const char *word)
{
    static const char *const words[] = {"run", "plan", "devices"};
    const char *near = rp_text_nearest(word, words, RP_COUNT(words));
    fprintf(stderr, "ridgepoint: there is no command '%s'%s%s%s; see ridgepoint --help\n", word,
            near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    return 2;
}

int rp_cli_main(int argc, char **argv)
{
    const struct rp_command_line full = {argc, argv};
    if (argc < 2) {
        fputs(short_help, stderr);
        return 2;
    }
    const char *word = argv[1];
    if (strcmp(word, RP_WORKER_SUBCOMMAND) == 0)
        return rp_worker_main();
    if (strcmp(word, "run") == 0)
        return rp_cli_run(argc - 1, argv + 1, &full);
    if (strcmp(word, "plan") == 0)
        return rp_cli_plan(argc - 1, argv + 1);
    if (strcmp(word, "devices") == 0)
        return rp_cli_devices(argc - 1, argv + 1);
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
        fputs(short_help, stdout);
        return 0;
    }
    if (strcmp(word, "--version") == 0) {
        printf("ridgepoint %s (%s)\n", rp_provenance_version(), rp_provenance_git_commit());
        return 0;
    }
    return reject(word);
}
