/* protocol.h - what of a job shapes a measurement: its `measure` and `verify` blocks. */
#ifndef RP_MODEL_PROTOCOL_H
#define RP_MODEL_PROTOCOL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/digest.h"
#include "base/status.h"

struct rp_protocol {
    bool cold;           /* caches evicted before each sample */
    double target_ci;    /* half width of the 95 % interval over the median, a fraction */
    int64_t min_samples; /* at least 6, or there is no 95 % interval */
    int64_t max_samples;
    double max_time_s;   /* sampling of one implementation ends after this long in any case */
    double timeout_s;    /* one launch longer than this is a hung point */
    int64_t verify_rows; /* query rows checked against the oracle */
};

#define RP_PROTOCOL_TEXT_SIZE 256
#define RP_PROTOCOL_ID_SIZE   RP_DIGEST_ID_SIZE

/* What a job that does not say gets. */
void rp_protocol_init(struct rp_protocol *protocol);

/* Canonical text, the same for the same meaning. */
void rp_protocol_text(const struct rp_protocol *protocol, char text[RP_PROTOCOL_TEXT_SIZE]);

/* First 16 hex digits of SHA-256 of that text: the column `protocol`. */
enum rp_status rp_protocol_id(const struct rp_protocol *protocol,
                              char id[RP_PROTOCOL_ID_SIZE]) RP_MUST_CHECK;

#endif
