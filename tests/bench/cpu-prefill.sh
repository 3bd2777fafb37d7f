#!/usr/bin/env bash
#
# Fused prefill against sgemm(2048), fp32, batch 1, 8 heads, D 64 and 128, T 1k to 8k, a causal mask
# at half the FLOPs; then the two implementations that keep the scores against it.
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
# shellcheck source-path=SCRIPTDIR source=../lib_cpu.sh
. "$RP_SOURCE/tests/lib_cpu.sh"

for threads in 1 2; do
    bars=(0.90 0.82)
    [ "$threads" = 1 ] || bars=(0.87 0.78)
    bench_kernels prefill "$threads"
    how="fused over sgemm(2048), $(wc -l <"$OUT") points, threads: $threads"
    bench_verdict "cpu-prefill-mean-$threads" "$(geometric_mean D=)" at_least "${bars[0]}" "$how"
    bench_verdict "cpu-prefill-worst-$threads" "$(smallest D=)" at_least "${bars[1]}" "$how"
done

bench_kernels baselines 1
for name in naive reference; do
    bench_verdict "cpu-fused-over-$name" "$(figure_of "$name")" at_least 2.2 'T=8192 D=64'
    bench_verdict "cpu-fused-over-$name-causal" "$(figure_of "$name,causal")" at_least 4 \
        'T=8192 D=64, causal'
done
bench_exit
