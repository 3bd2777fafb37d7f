/* clock.h - monotonic time for durations, UTC for the record. */
#ifndef RP_BASE_CLOCK_H
#define RP_BASE_CLOCK_H

/* Seconds since an arbitrary start; never steps back. */
double rp_clock_now_s(void);

/* Sleeps at least this long; returns early on a signal. */
void rp_clock_sleep_s(double duration_s);

/* Seconds since 1970-01-01 UTC: for the record only, it may step. */
double rp_clock_utc_s(void);

#define RP_UTC_SIZE 28
/* "2026-01-31T12:00:00.123Z" now, in UTC whatever TZ says. */
void rp_clock_utc(char text[RP_UTC_SIZE]);

#endif
