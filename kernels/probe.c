/* probe.c - the list of probes, from probes.def. */
#include "kernels/probe.h"

#define RP_PROBE(backend, name) extern const struct rp_probe rp_probe_##backend##_##name;
#include "registry/probes.def"
#undef RP_PROBE

static const struct rp_probe *const probes[] = {
#define RP_PROBE(backend, name) &rp_probe_##backend##_##name,
#include "registry/probes.def"
#undef RP_PROBE
};

const struct rp_probe *const *rp_probes(void)
{
    return probes;
}
