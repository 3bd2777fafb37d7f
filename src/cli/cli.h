/* cli.h - the command line of `ridgepoint`: options to subcommand to exit code. */
#ifndef RP_CLI_CLI_H
#define RP_CLI_CLI_H

/* The whole program but for exit(). */
int rp_cli_main(int argc, char **argv);

/* Subcommands; argv[0] is the subcommand's name. `full` is the whole command line. */
struct rp_command_line {
    int argc;
    char *const *argv;
};

int rp_cli_run(int argc, char **argv, const struct rp_command_line *full);
int rp_cli_plan(int argc, char **argv);
int rp_cli_devices(int argc, char **argv);

#endif
