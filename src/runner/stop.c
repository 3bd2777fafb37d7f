/* stop.c - a handler that only remembers; it removes itself, so the second signal is the default's.
 */
#include "runner/stop.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t caught;

static void remember(int signal_number)
{
    if (caught == 0)
        caught = signal_number;
}

void rp_stop_init(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGUSR1};
    struct sigaction action = {.sa_handler = remember, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; ++i)
        sigaction(signals[i], &action, NULL);
    signal(SIGPIPE, SIG_IGN);
}

int rp_stop_signal(void)
{
    return caught;
}
