/*
 * domain_token.h - CPU ranks of one memory domain (last-level cache, DRAM channels) measure one at
 * a time: who holds the domain's token measures, the others wait.
 *
 * The token is a lock on a file in shared memory, so that the kernel gives it back when its holder
 * dies, and so that runs which know nothing of each other do not measure each other either.
 */
#ifndef RP_DEVICE_DOMAIN_TOKEN_H
#define RP_DEVICE_DOMAIN_TOKEN_H

#include <stdbool.h>
#include <stdint.h>

/* A descriptor of the token of this domain of the host; -1 where no such file can be made. */
int rp_domain_token_open(int domain);
void rp_domain_token_close(int token);

/* Waits its turn; false when nobody else got the token for `patience_s`, or there is no token.
 * However many are before us, we wait while turns are taken. */
bool rp_domain_token_take(int token, double patience_s);
void rp_domain_token_return(int token);

/* Who waits: how many turns had been taken since when. */
struct rp_token_wait {
    int64_t turns;
    double since_s, patience_s;
};

/* At `now_s`, when `turns` have been taken: still within the patience, which begins anew with every
 * turn. */
bool rp_token_wait_goes_on(struct rp_token_wait *wait, int64_t turns, double now_s);

#endif
