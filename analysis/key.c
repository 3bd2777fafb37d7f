/* key.c - splitmix64 over the values, FNV-1a over the bytes of a text. */
#include "analysis/key.h"

#include <math.h>
#include <string.h>

#include "base/status.h"

/* The step of splitmix64, which spreads any difference over all bits. */
uint64_t rp_key_add_i64(uint64_t key, int64_t value)
{
    uint64_t z = (key ^ (uint64_t)value) + UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

uint64_t rp_key_add_text(uint64_t key, const char *text)
{
    const uint64_t fnv_prime = UINT64_C(0x100000001b3);
    uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    for (const unsigned char *p = (const unsigned char *)text; *p; ++p)
        hash = (hash ^ *p) * fnv_prime;
    return rp_key_add_i64(key, (int64_t)hash);
}

uint64_t rp_key_add_point(uint64_t key, const struct rp_point *p)
{
    const int64_t axes[] = {p->stage, p->batch,    p->heads, p->kv_heads, p->seq_q,
                            p->seq_k, p->head_dim, p->dtype, p->causal};
    for (size_t i = 0; i < RP_COUNT(axes); ++i)
        key = rp_key_add_i64(key, axes[i]);
    return key;
}

uint64_t rp_key_add_device_kind(uint64_t key, const struct rp_device_row *device)
{
    double power_w = isnan(device->power_limit_w) ? -1 : device->power_limit_w;
    int64_t bits;
    memcpy(&bits, &power_w, sizeof bits);
    key = rp_key_add_text(key, device->gpu_type);
    key = rp_key_add_text(key, device->backend);
    key = rp_key_add_text(key, device->mig);
    return rp_key_add_i64(rp_key_add_i64(key, device->ecc), bits);
}
