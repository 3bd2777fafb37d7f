/* main.c - `ridgepoint`. The only exit of the program. */
#include <stdlib.h>

#include "cli/cli.h"

int main(int argc, char **argv)
{
    exit(rp_cli_main(argc, argv));
}
