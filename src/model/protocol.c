/* protocol.c - defaults and identity of a measurement protocol. */
#include "model/protocol.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/decimal.h"
#include "base/digest.h"

void rp_protocol_init(struct rp_protocol *protocol)
{
    *protocol = (struct rp_protocol){
        .cold = true,
        .target_ci = 0.01,
        .min_samples = 10,
        .max_samples = 1000,
        .max_time_s = 2.0,
        .timeout_s = 60.0,
        .verify_rows = 64,
    };
}

void rp_protocol_text(const struct rp_protocol *protocol, char text[RP_PROTOCOL_TEXT_SIZE])
{
    char target_ci[RP_DECIMAL_SIZE];
    char max_time_s[RP_DECIMAL_SIZE];
    char timeout_s[RP_DECIMAL_SIZE];
    rp_decimal_text(protocol->target_ci, target_ci);
    rp_decimal_text(protocol->max_time_s, max_time_s);
    rp_decimal_text(protocol->timeout_s, timeout_s);
    snprintf(text, RP_PROTOCOL_TEXT_SIZE,
             "cache=%s target_ci=%s min_samples=%" PRId64 " max_samples=%" PRId64
             " max_time_s=%s timeout_s=%s rows=%" PRId64,
             protocol->cold ? "cold" : "warm", target_ci, protocol->min_samples,
             protocol->max_samples, max_time_s, timeout_s, protocol->verify_rows);
}

enum rp_status rp_protocol_id(const struct rp_protocol *protocol, char id[RP_PROTOCOL_ID_SIZE])
{
    char text[RP_PROTOCOL_TEXT_SIZE];
    rp_protocol_text(protocol, text);
    return rp_digest_id(text, id);
}
