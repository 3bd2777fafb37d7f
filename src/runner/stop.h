/* stop.h - being asked to stop: SIGINT, SIGTERM, SIGUSR1. A second one of a kind ends at once. */
#ifndef RP_RUNNER_STOP_H
#define RP_RUNNER_STOP_H

#include <signal.h>

/* Installs the handlers, and ignores SIGPIPE. */
void rp_stop_init(void);

/* Those signals. */
void rp_stop_signals(sigset_t *set);

/* They do nothing to this process from now on, nor those that came while they were blocked. */
void rp_stop_ignore(void);

/* The signal that came first; 0 while none has. */
int rp_stop_signal(void);

#endif
