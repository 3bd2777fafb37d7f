/* digest.h - SHA-256, by libcrypto; the only includer of its headers is digest.c. */
#ifndef RP_BASE_DIGEST_H
#define RP_BASE_DIGEST_H

#include <stddef.h>

#include "base/status.h"

#define RP_DIGEST_HEX_SIZE 65 /* 64 hex digits and the null */

struct rp_digest;

/* Null when the library cannot; every other call takes null (add does nothing, end fails). */
struct rp_digest *rp_digest_create(void);
void rp_digest_destroy(struct rp_digest *digest);
void rp_digest_add(struct rp_digest *digest, const void *bytes, size_t n);
enum rp_status rp_digest_end(struct rp_digest *digest, char hex[RP_DIGEST_HEX_SIZE]) RP_MUST_CHECK;

#define RP_DIGEST_ID_SIZE 17 /* 16 hex digits and the null */

/* The first 16 hex digits of the digest of a text: what points and protocols are known by. */
enum rp_status rp_digest_id(const char *text, char id[RP_DIGEST_ID_SIZE]) RP_MUST_CHECK;

/* Of one block of bytes. */
enum rp_status rp_digest_of(const void *bytes, size_t n,
                            char hex[RP_DIGEST_HEX_SIZE]) RP_MUST_CHECK;

#endif
