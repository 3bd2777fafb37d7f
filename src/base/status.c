/* status.c - the sentence behind a status code, one per thread. */
#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>

static _Thread_local char message[2048];

enum rp_status rp_status_set(enum rp_status code, const char *format, ...)
{
    /* An argument may be the old sentence itself, so the new one is composed aside. */
    char composed[sizeof message];
    va_list args;
    va_start(args, format);
    vsnprintf(composed, sizeof composed, format, args);
    va_end(args);
    snprintf(message, sizeof message, "%s", composed);
    return code;
}

const char *rp_status_message(void)
{
    return message;
}

int rp_status_exit_code(enum rp_status status)
{
    switch (status) {
    case RP_OK:
        return 0;
    case RP_ERR_USAGE:
    case RP_ERR_CONFIG:
        return 2;
    case RP_ERR_STOPPED:
        return 75;
    case RP_ERR_ENVIRONMENT:
    case RP_ERR_DAMAGED:
    case RP_ERR_OUT_OF_MEMORY:
    case RP_ERR_UNSUPPORTED:
    case RP_ERR_DEVICE:
    case RP_ERR_TIMEOUT:
    case RP_ERR_INTERNAL:
        break;
    }
    return 3;
}
