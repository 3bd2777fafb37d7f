#!/usr/bin/env bash
#
# Fused decode, K and V of 32 MiB and more, cold, against the faster of the read probes; and with 16
# bits an element against 32.
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
# shellcheck source-path=SCRIPTDIR source=../lib_cpu.sh
. "$RP_SOURCE/tests/lib_cpu.sh"

bench_kernels decode 1
bench_verdict cpu-decode-worst "$(smallest read)" at_least 0.90 \
    'bytes of Q, K, V, O a second over those of the read probe, fp32, one query a kv head'
for dtype in fp16 bf16; do
    bench_verdict "cpu-decode-$dtype" "$(largest "$dtype")" at_most 0.60 \
        "time with $dtype over that with fp32, same shape"
done
bench_exit
