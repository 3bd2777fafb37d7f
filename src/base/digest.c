/* digest.c - SHA-256 over libcrypto's EVP interface. */
#include "base/digest.h"

#include <openssl/evp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct rp_digest {
    EVP_MD_CTX *context;
    bool failed;
};

/* A context that is begun, made once: each beginning looks the algorithm up by name, which costs
 * more than the digest of a row. Null when the library cannot. */
static const EVP_MD_CTX *begun_context(void)
{
    static EVP_MD_CTX *begun;
    if (begun)
        return begun;
    begun = EVP_MD_CTX_new();
    if (begun && EVP_DigestInit_ex(begun, EVP_sha256(), NULL) != 1) {
        EVP_MD_CTX_free(begun);
        begun = NULL;
    }
    return begun;
}

struct rp_digest *rp_digest_create(void)
{
    const EVP_MD_CTX *begun = begun_context();
    struct rp_digest *digest = begun ? calloc(1, sizeof *digest) : NULL;
    if (!digest)
        return NULL;
    digest->context = EVP_MD_CTX_new();
    if (!digest->context || EVP_MD_CTX_copy_ex(digest->context, begun) != 1) {
        rp_digest_destroy(digest);
        return NULL;
    }
    return digest;
}

void rp_digest_destroy(struct rp_digest *digest)
{
    if (!digest)
        return;
    EVP_MD_CTX_free(digest->context);
    free(digest);
}

void rp_digest_add(struct rp_digest *digest, const void *bytes, size_t n)
{
    if (digest && EVP_DigestUpdate(digest->context, bytes, n) != 1)
        digest->failed = true;
}

enum rp_status rp_digest_end(struct rp_digest *digest, char hex[RP_DIGEST_HEX_SIZE])
{
    unsigned char raw[EVP_MAX_MD_SIZE];
    unsigned int n = 0;
    hex[0] = '\0';
    if (!digest || digest->failed || EVP_DigestFinal_ex(digest->context, raw, &n) != 1 || n != 32)
        return RP_FAIL(RP_ERR_INTERNAL, "libcrypto could not compute a SHA-256 digest");
    static const char digits[] = "0123456789abcdef";
    for (unsigned int i = 0; i < n; ++i) {
        hex[2 * i] = digits[raw[i] >> 4];
        hex[2 * i + 1] = digits[raw[i] & 15];
    }
    hex[2 * n] = '\0';
    return RP_OK;
}

enum rp_status rp_digest_of(const void *bytes, size_t n, char hex[RP_DIGEST_HEX_SIZE])
{
    struct rp_digest *digest = rp_digest_create();
    rp_digest_add(digest, bytes, n);
    enum rp_status status = rp_digest_end(digest, hex);
    rp_digest_destroy(digest);
    return status;
}

enum rp_status rp_digest_id(const char *text, char id[RP_DIGEST_ID_SIZE])
{
    char hex[RP_DIGEST_HEX_SIZE];
    RP_TRY(rp_digest_of(text, strlen(text), hex));
    memcpy(id, hex, RP_DIGEST_ID_SIZE - 1);
    id[RP_DIGEST_ID_SIZE - 1] = '\0';
    return RP_OK;
}
