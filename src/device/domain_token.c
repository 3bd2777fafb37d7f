/* domain_token.c - flock on a file of /dev/shm. */
#include "device/domain_token.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/clock.h"

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

bool rp_domain_token_take(int token, double patience_s)
{
    double deadline_s = rp_clock_now_s() + patience_s;
    double pause_s = poll_least_s;
    if (token < 0)
        return false;
    while (flock(token, LOCK_EX | LOCK_NB) != 0) {
        if ((errno != EWOULDBLOCK && errno != EINTR) || rp_clock_now_s() > deadline_s)
            return false;
        rp_clock_sleep_s(pause_s);
        pause_s = pause_s * 2 < poll_most_s ? pause_s * 2 : poll_most_s;
    }
    return true;
}

void rp_domain_token_return(int token)
{
    if (token >= 0)
        flock(token, LOCK_UN);
}
