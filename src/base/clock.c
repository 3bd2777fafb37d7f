/* clock.c - clock_gettime and nothing else. */
#include "base/clock.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

double rp_clock_now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void rp_clock_sleep_s(double duration_s)
{
    double whole = floor(duration_s);
    struct timespec t = {(time_t)whole, (long)((duration_s - whole) * 1e9)};
    nanosleep(&t, NULL);
}

double rp_clock_utc_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void rp_clock_utc(char text[RP_UTC_SIZE])
{
    struct timespec t;
    struct tm parts;
    clock_gettime(CLOCK_REALTIME, &t);
    gmtime_r(&t.tv_sec, &parts);
    char seconds[RP_UTC_SIZE - 5];
    strftime(seconds, sizeof seconds, "%Y-%m-%dT%H:%M:%S", &parts);
    snprintf(text, RP_UTC_SIZE, "%.19s.%03dZ", seconds, (int)(t.tv_nsec / 1000000 % 1000));
}
