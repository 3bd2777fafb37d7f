/* domain_token.c - flock on a file of /dev/shm, which holds the number of turns taken so far. */
#include "device/domain_token.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"

static const double poll_least_s = 50e-6;
static const double poll_most_s = 1e-3; /* short beside the samples it waits for */

int rp_domain_token_open(int domain)
{
    char path[96];
    snprintf(path, sizeof path, "/dev/shm/ridgepoint-%u-domain-%d", (unsigned)geteuid(), domain);
    return open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
}

void rp_domain_token_close(int token)
{
    if (token >= 0)
        close(token);
}

bool rp_token_wait_goes_on(struct rp_token_wait *wait, int64_t turns, double now_s)
{
    if (turns != wait->turns)
        *wait = (struct rp_token_wait){turns, now_s, wait->patience_s};
    return now_s <= wait->since_s + wait->patience_s;
}

/* A number that cannot be read is as good as any: whoever waits then sees no turns pass. */
static int64_t turns_taken(int token)
{
    int64_t turns = 0;
    return pread(token, &turns, sizeof turns, 0) == sizeof turns ? turns : 0;
}

bool rp_domain_token_take(int token, double patience_s)
{
    if (token < 0)
        return false;
    struct rp_token_wait wait = {turns_taken(token), rp_clock_now_s(), patience_s};
    double pause_s = poll_least_s;
    while (flock(token, LOCK_EX | LOCK_NB) != 0) {
        if ((errno != EWOULDBLOCK && errno != EINTR) ||
            !rp_token_wait_goes_on(&wait, turns_taken(token), rp_clock_now_s()))
            return false;
        rp_clock_sleep_s(pause_s);
        pause_s = pause_s * 2 < poll_most_s ? pause_s * 2 : poll_most_s;
    }
    int64_t turns = turns_taken(token) + 1;
    if (pwrite(token, &turns, sizeof turns, 0) != sizeof turns)
        rp_log(RP_LOG_DEBUG, "the turns of the memory domain's token cannot be counted");
    return true;
}

void rp_domain_token_return(int token)
{
    if (token >= 0)
        flock(token, LOCK_UN);
}
