/* stop.h - being asked to stop: SIGINT, SIGTERM, SIGUSR1. A second one of a kind ends at once. */
#ifndef RP_RUNNER_STOP_H
#define RP_RUNNER_STOP_H

/* Installs the handlers, and ignores SIGPIPE. */
void rp_stop_init(void);

/* The signal that came first; 0 while none has. */
int rp_stop_signal(void);

#endif
