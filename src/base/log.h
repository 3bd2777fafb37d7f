/*
 * log.h - lines for whoever watches a run, on standard error, never on standard output.
 *
 * The level is set once by a main. Lines below it cost one comparison.
 */
#ifndef RP_BASE_LOG_H
#define RP_BASE_LOG_H

#include "base/status.h"

enum rp_log_level { RP_LOG_ERROR, RP_LOG_WARN, RP_LOG_INFO, RP_LOG_DEBUG };

void rp_log_set_level(enum rp_log_level level);
enum rp_log_level rp_log_level(void);

/* Prefix of every line, for instance "rank 3"; null or "" for none. Copied. */
void rp_log_set_prefix(const char *prefix);

/* One line; the newline is added. Written with one write, so lines of processes do not mix. */
void rp_log(enum rp_log_level level, const char *format, ...) RP_PRINTF(2, 3);

#endif
