/* main.c - `ridgepoint`. The only exit of the program. */
#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"

int main(int argc, char **argv)
{
    int exit_code = rp_cli_main(argc, argv);
    if (fflush(stdout) != 0 && exit_code == 0)
        exit_code = 3; /* what was asked for could not be written */
    exit(exit_code);
}
