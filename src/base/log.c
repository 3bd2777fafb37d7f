/* log.c - one line, one write, to standard error. */
#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static enum rp_log_level current_level = RP_LOG_WARN;
static char current_prefix[64];

void rp_log_set_level(enum rp_log_level level)
{
    current_level = level;
}

enum rp_log_level rp_log_level(void)
{
    return current_level;
}

void rp_log_set_prefix(const char *prefix)
{
    snprintf(current_prefix, sizeof current_prefix, "%s", prefix ? prefix : "");
}

void rp_log(enum rp_log_level level, const char *format, ...)
{
    static const char *const words[] = {"error: ", "warning: ", "", "debug: "};
    if (level > current_level)
        return;
    char line[4096];
    int used = snprintf(line, sizeof line, "ridgepoint: %s%s%s", current_prefix,
                        current_prefix[0] ? ": " : "", words[level]);
    va_list args;
    va_start(args, format);
    vsnprintf(line + used, sizeof line - (size_t)used - 1, format, args);
    va_end(args);
    size_t length = strlen(line);
    line[length++] = '\n';
    ssize_t written = write(STDERR_FILENO, line, length);
    (void)written; /* a closed standard error is the caller's wish */
}
