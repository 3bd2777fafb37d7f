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

# Where memory is fast beside arithmetic, scores in memory cost little and no kernel could reach the
# bar: then nine tenths of what the counts promise here are asked for.
bench_kernels baselines 1
baseline() { # NAME MASK BAR
    local counted bar
    counted=$(figure_of "counted$2")
    bar=$(awk -v bar="$3" -v c="$counted" 'BEGIN { print 0.9 * c < bar ? 0.9 * c : bar }')
    bench_verdict "cpu-fused-over-$1${2/,/-}" "$(figure_of "$1$2")" at_least "$bar" \
        "T=8192 D=64; bar: the smaller of $3 and 0.9 of the $counted that the counts promise here"
}
for name in naive reference; do
    baseline "$name" '' 2.2
    baseline "$name" ,causal 4
done
bench_exit
