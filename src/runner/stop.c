/* stop.c - a handler that only remembers; it removes itself, so the second signal is the default's.
 */
#include "runner/stop.h"

#include <stddef.h>

#include "base/status.h"

static const int signals[] = {SIGINT, SIGTERM, SIGUSR1};
static volatile sig_atomic_t caught;

static void remember(int signal_number)
{
    if (caught == 0)
        caught = signal_number;
}

void rp_stop_init(void)
{
    struct sigaction action = {.sa_handler = remember, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < RP_COUNT(signals); ++i)
        sigaction(signals[i], &action, NULL);
    signal(SIGPIPE, SIG_IGN);
}

void rp_stop_signals(sigset_t *set)
{
    sigemptyset(set);
    for (size_t i = 0; i < RP_COUNT(signals); ++i)
        sigaddset(set, signals[i]);
}

void rp_stop_ignore(void)
{
    sigset_t set;
    for (size_t i = 0; i < RP_COUNT(signals); ++i)
        signal(signals[i], SIG_IGN);
    rp_stop_signals(&set);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
}

int rp_stop_signal(void)
{
    return caught;
}
